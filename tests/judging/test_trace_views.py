"""The trace page and its parts: what they ask the database, what they refuse."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from judging.services.digesting import digest_trace
from tests.traces.graph.spans import answered, llm, said, tool
from traces.domain.records import TraceRecord
from traces.models import Membership, Project, Step, Trace
from traces.services.imports import store_trace_record

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
PARTS = ("trace", "trace-diagnosis", "trace-outline", "trace-drawing", "trace-svg")

pytestmark = pytest.mark.django_db


def spans(turns):
    for n in range(turns):
        call = [(f"c{n}", "find", {"id": f"W-{n}"})]
        yield llm(
            f"a{n}", 4 * n, 4 * n + 1, calls=call, given=[said("user", "Find it")]
        )
        yield tool(f"b{n}", 4 * n + 2, 4 * n + 3, run="find", call_id=f"c{n}",
                   arguments={"id": f"W-{n}"}, result="Error: not found")  # fmt: skip
    yield llm("z", 4 * turns, 4 * turns + 1, text="It is found.",
              given=[answered(f"c{turns - 1}", "Error: not found")])  # fmt: skip


@pytest.fixture
def project():
    return Project.objects.create(slug="shop", name="Shop", created_at=NOW)


@pytest.fixture
def make(project):
    """A judged trace of some turns; the address of a part of its page."""

    def make(turns):
        record = TraceRecord("t" * 32, tuple(spans(turns)))
        store_trace_record(project=project, record=record, source="test", now=NOW)
        digest_trace(trace=Trace.objects.get(), now=NOW)
        return lambda name, *more: reverse(name, args=("shop", "t" * 32, *more))

    return make


@pytest.fixture
def reader(client, project):
    user = User.objects.create_user("reader")
    Membership.objects.create(project=project, user=user, role="viewer", created_at=NOW)
    client.force_login(user)
    return client


def queries(reader, url, django_assert_max_num_queries):
    with django_assert_max_num_queries(40) as asked:
        assert reader.get(url).status_code == 200
    return len(asked)


@pytest.mark.parametrize("name", PARTS)
def test_a_long_run_costs_as_many_queries_as_a_short_one(
    reader, make, name, django_assert_max_num_queries
):
    short = queries(reader, make(1)(name), django_assert_max_num_queries)
    Trace.objects.all().delete()
    assert queries(reader, make(30)(name), django_assert_max_num_queries) == short
    assert short <= 18


def test_a_step_alone(reader, make, django_assert_max_num_queries):
    url = make(2)
    key = Step.objects.filter(type="EXEC").first().key
    answer = reader.get(url("trace-step", key))
    assert "not found" in answer.content.decode()
    most = queries(reader, url("trace-step", key), django_assert_max_num_queries)
    assert most <= 15


@pytest.mark.parametrize("query", ["shift=nan", "shift=9", "shift=x", "strategy=x"])
@pytest.mark.parametrize("name", PARTS)
def test_what_makes_no_sense_is_not_there(reader, make, name, query):
    assert reader.get(f"{make(1)(name)}?{query}").status_code == 404


@pytest.mark.parametrize("opened", ["²", "1,x,²,", "9" * 5_000, "1;2", "-1"])
def test_regions_that_are_none_are_passed_over(reader, make, opened):
    address = make(1)("trace-drawing")
    assert reader.get(address, {"opened": opened}).status_code == 200


@pytest.mark.parametrize("name", ["step", "view", "span"])
def test_hostile_parameters_are_text(reader, make, name):
    hostile = '"><script>alert(1)</script>&x=#'
    html = reader.get(make(1)("trace"), {name: hostile, "view": hostile})
    assert "<script>alert" not in html.content.decode()
    assert html.status_code == 200


def test_links_carry_the_choices_along_as_an_address(reader, make):
    html = reader.get(make(1)("trace"), {"view": "a&b", "shift": "0.5"})
    assert "shift=0.5&amp;view=a%26b&amp;" in html.content.decode()


def test_a_trace_without_graph_has_a_page_and_no_parts(reader, project):
    record = TraceRecord("t" * 32, tuple(spans(1)))
    store_trace_record(project=project, record=record, source="test", now=NOW)
    found = {
        name: reader.get(reverse(name, args=("shop", "t" * 32))).status_code
        for name in PARTS
    }
    assert found == dict.fromkeys(PARTS, 404) | {"trace": 200}
