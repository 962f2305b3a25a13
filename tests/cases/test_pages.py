"""Addresses as strangers type them: a page or a clear refusal, never a fault."""

import pytest
from django.urls import reverse

from tests.cases.conftest import TRACE, VIEWS, agent, llm, request, tool

NONSENSE = ["", "-1", "9" * 30, "\0é%ff", "'\"<script>alert(1)</script>", "NaN",
    "a" * 9_000, "[]"]  # fmt: skip
OF_LISTS = ("q", "after", "before", "sort", "columns", "code", "cursor", "limit")
OF_TRACES = ("step", "view", "strategy", "shift", "evaluation", "open", "find", "area")


@pytest.fixture
def run(take, opened):
    take(request(agent(1, lasts=99), llm(2, 1, start=1), tool(3, 1, start=30)))
    return opened()


@pytest.mark.parametrize("nonsense", NONSENSE, ids=lambda text: ascii(text)[:20])
def test_no_parameter_breaks_a_page(run, reader, nonsense):
    query = dict.fromkeys(OF_LISTS, nonsense)
    for name in ("overview", "traces", "review", "ingestion", "upload"):
        answer = reader.get(reverse(name, args=["shop"]), query)
        assert answer.status_code in (200, 302, 400, 404), name
        assert b"<script>alert" not in answer.content
    address = {"project": "shop", "trace_id": TRACE}
    for name in (
        "trace",
        "trace-diagnosis",
        "trace-outline",
        "trace-drawing",
        "trace-svg",
    ):
        for key in OF_TRACES:
            answer = reader.get(reverse(name, kwargs=address), {key: nonsense})
            assert answer.status_code in (200, 302, 400, 404), (name, key)
            assert b"<script>alert" not in answer.content


@pytest.mark.parametrize("nonsense", NONSENSE, ids=lambda text: ascii(text)[:20])
def test_no_parameter_breaks_the_api(run, reader, nonsense):
    step = run["steps"][0]["id"]
    for name, args in (("api-traces", []), ("api-trace", [TRACE]),
        ("api-trace-graph", [TRACE]), ("api-step", [step])):  # fmt: skip
        for key in (*OF_LISTS, *OF_TRACES):
            asked = {"project": "shop", key: nonsense}
            answer = reader.get(reverse(name, args=args), asked)
            assert answer.status_code in (200, 400, 404), (name, key)
            if answer.status_code != 200:
                assert answer.json()["error"]["message"]


@pytest.mark.parametrize("view", VIEWS)
def test_a_step_that_went_leaves_the_page(run, reader, view):
    address = reverse("trace", args=["shop", TRACE])
    answer = reader.get(address, {"step": "f" * 16, "view": view})
    assert answer.status_code in (200, 404)


def test_taxonomy_and_checks_have_pages(run, reader):
    for name in ("taxonomy", "checks"):
        assert reader.get(reverse(name, args=["shop"])).status_code == 200
