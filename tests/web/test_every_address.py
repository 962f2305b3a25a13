"""What holds for every address: its cost, and how it says no."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.web.test_access_matrix import API, NOW, PAGES, World
from traces.models import ApiToken, IngestReject, Trace


@pytest.fixture
def world(db):
    return World()


def grow(project, number):
    """More of everything that pages list."""
    for n in range(number):
        key = f"{project.slug}-{number}-{n}"
        Trace.objects.create(
            project=project, trace_id=key, name=key, received_at=NOW, updated_at=NOW,
            started_at=NOW, score=2.0, failed_count=1, root_count=1, step_count=3,
            root_category="timeout", workflow=f"w{n}", agent=f"a{n}", tags=[f"t{n}"],
            structure="flat", digest_state="done",
        )  # fmt: skip
        ApiToken.objects.create(
            project=project, name=key, prefix="ae_", digest=key, scope="read",
            created_at=NOW,
        )  # fmt: skip
        IngestReject.objects.create(
            project=project, at=NOW, source="otlp", level="span", code="bad_span_id",
            place=f"span {n}", reason="No.",
        )  # fmt: skip


def queries(world, who, url):
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert world.ask(who, "get", url).status_code == 200, url
    return len(asked)


def test_no_address_costs_more_queries_where_there_is_more(world):
    readable = [name for name, rule in (PAGES | API).items() if rule.get]
    urls = {name: world.url(name, "shop") for name in readable}
    askers = {name: "token:read" if name in API else "admin" for name in readable}
    grow(world.ours, 2)
    few = {name: queries(world, askers[name], url) for name, url in urls.items()}
    grow(world.ours, 25)
    many = {name: queries(world, askers[name], url) for name, url in urls.items()}
    assert {n: (few[n], many[n]) for n in urls if many[n] > few[n]} == {}
    assert {name: count for name, count in many.items() if count > 20} == {}


@pytest.mark.parametrize("who", ["nobody", "stranger", "token:ingest", "token:foreign"])
@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_programs_are_refused_in_one_shape(world, who, method):
    wrong = {}
    for name in API:
        answer = world.ask(who, method, world.url(name, "shop") + "?project=shop")
        if answer.status_code < 400:
            continue
        problem = answer.json() if "json" in answer.headers["Content-Type"] else {}
        shape = {"type", "title", "status", "detail", "error"}
        if set(problem) != shape or problem["status"] != answer.status_code:
            wrong[name] = (answer.status_code, answer.headers["Content-Type"])
        elif set(problem["error"]) != {"code", "message", "details"}:
            wrong[name] = problem["error"]
    assert wrong == {}
