from datetime import UTC, timedelta

from django.urls import reverse

from tests.traces.views.conftest import NOW
from traces.overview_selectors import recent, waiting
from traces.query_filters import Reader

READER = Reader(NOW, UTC)


def html(client):
    return client.get(reverse("overview", args=("shop",))).content.decode()


def test_it_compares_the_last_week_with_the_one_before(client_as, make_trace):
    for day in range(10):
        started = NOW - timedelta(days=day)
        make_trace(started_at=started, failed_count=day % 2, root_count=day % 2)
    page = html(client_as("viewer"))
    assert "No clear change." in page
    assert "(3 of 7, interval" in page
    assert "(2 of 3, interval" in page


def test_it_ranks_root_causes_and_links_to_their_traces(client_as, make_trace):
    make_trace(failed_count=3, root_count=1, root_category="timeout", workflow="a b")
    page = html(client_as("viewer"))
    assert 'href="/p/shop/traces/?q=root:timeout"' in page
    assert 'href="/p/shop/traces/?q=workflow:%22a%20b%22"' in page
    assert "1 of 1" in page


def test_it_says_what_waits(client_as, project, make_trace):
    make_trace(structure="flat")
    make_trace(digest_state="failed", structure="")
    make_trace(digest_state="waiting", structure="", failed_count=None)
    project.reject_count = 2
    project.save()
    page = html(client_as("viewer"))
    for words in (
        "1 trace to review",
        "1 trace not",
        "1 trace being",
        "2 things refused",
    ):
        assert words in page
    found = waiting(project)
    assert (found.flat, found.broken, found.pending) == (1, 1, 1)


def test_nothing_waits(client_as, make_trace):
    make_trace()
    assert "Nothing. Everything that came in" in html(client_as("viewer"))


def test_an_empty_project_teaches(client_as, project):
    assert "Send the first trace" in html(client_as("viewer"))


def test_the_demo_is_introduced_by_its_own_traces(client_as, project, make_trace):
    project.is_demo = True
    project.save()
    spread = make_trace(failed_count=5, root_count=1)
    make_trace(failed_count=2, root_count=1)
    looped = make_trace(failed_count=1, root_count=1, structure="repaired")
    left = make_trace(failed_count=1, root_count=1, conformance="deviant")
    page = html(client_as("viewer"))
    assert "What you see here" in page
    told = dict(recent(project, READER).telling)
    assert told == {"spread": spread, "repaired": looped, "deviant": left}


def test_busy_days_are_sampled(project, make_trace, monkeypatch):
    monkeypatch.setattr("traces.overview_selectors.A_DAY", 2)
    for _ in range(3):
        make_trace(started_at=NOW)
    make_trace(started_at=NOW - timedelta(days=3))
    make_trace(started_at=None)
    found = recent(project, READER)
    assert len(found.runs) == 4
    assert found.capped


def test_a_clock_that_runs_ahead_moves_nothing(project, make_trace):
    make_trace(started_at=NOW)
    make_trace(started_at=NOW + timedelta(days=9_999))
    assert recent(project, READER).last == NOW.date()


def test_unjudged_traces_are_no_runs(project, make_trace):
    make_trace(failed_count=None)
    assert recent(project, READER).runs == ()


def test_many_traces_cost_as_many_queries_as_one(
    client_as, make_trace, django_assert_num_queries
):
    client = client_as("viewer")
    for _ in range(40):
        make_trace(failed_count=1, root_count=1)
    with django_assert_num_queries(10):
        # session, user, project, last day, sample, shown, waiting, role, switcher
        html(client)
