from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import connection

from tests.traces.views.conftest import NOW
from traces import listing_selectors
from traces.domain.query import parse
from traces.listing_selectors import (
    SORTS,
    Place,
    count_matches,
    count_newer,
    list_for_review,
    list_traces,
    newest_place,
    read_place,
    selected_traces,
)
from traces.models import Project
from traces.query_filters import Reader, resolve

READER = Reader(NOW, UTC)


def found(project, text="", sort="newest", reader=READER):
    listing = list_traces(project, parse(text), SORTS[sort], None, reader)
    return [trace.name for trace in listing.rows]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("failed:yes", {"failed_count": 2}),
        ("failed:>1", {"failed_count": 2}),
        ("failed:2", {"failed_count": 2}),
        ("score:<3", {"score": 2.5}),
        ("root:timeout", {"root_category": "timeout"}),
        ("category:timeout", {"categories": ["value-error", "timeout"]}),
        ("structure:flat,repaired", {"structure": "flat"}),
        ("conformance:deviant", {"conformance": "deviant"}),
        ("outcome:failed", {"outcome": "failed"}),
        ('agent:"the planner"', {"agent": "the planner"}),
        ("agent:the*", {"agent": "the planner"}),
        ("workflow:w", {"workflow": "w"}),
        ("model:m", {"model": "m"}),
        ("tool:search", {"tools": ["book", "search"]}),
        ("tag:日本", {"tags": ["日本"]}),
        ("session:s1", {"session": "s1"}),
        ("user:u1", {"user_name": "u1"}),
        ("environment:prod", {"environment": "prod"}),
        ("version:1.2", {"version": "1.2"}),
        ("source:tau_bench", {"source": "tau_bench"}),
        ("id:abc*", {"trace_id": "abcdef"}),
        ("duration:>30s", {"duration_ms": 30_001}),
        ("cost:>0.1", {"cost_usd": 0.2}),
        ("steps:>10", {"step_count": 11}),
        ("errors:yes", {"error_count": 1}),
        ("repairs:yes", {"repair_count": 1}),
        ("state:waiting", {"digest_state": "waiting"}),
        ("state:unfinished", {"finished": False}),
        ("refund", {"search": "a refund of order 12"}),
        ("Refund ORDER", {"search": "a refund of order 12"}),
        ('"order 12"', {"search": "a refund of order 12"}),
        ("請求", {"search": "日本語の請求書"}),
        (r"\u8acb\u6c42", {"search": "日本語の請求書"}),
        ("100%_", {"search": "exactly 100%_ sure"}),
    ],
)
def test_each_filter_finds_its_trace_and_its_negation_the_other(
    project, make_trace, text, columns
):
    make_trace(name="other")
    make_trace(name="this", **columns)
    assert found(project, text) == ["this"]
    if " " not in text or '"' in text:
        assert found(project, f"-{text}") == ["other"]


def test_words_of_a_list_must_match_whole(project, make_trace):
    make_trace(tags=["production"], tools=['say "hi"'])
    assert found(project, "tag:prod") == []
    assert len(found(project, r'tool:"say \"hi\""')) == 1


def test_today_is_the_readers_today(project, make_trace):
    # 20:00 UTC on the 3rd is 05:00 on the 4th in Tokyo, where it is the 4th.
    make_trace(name="t", started_at=datetime(2026, 3, 3, 20, tzinfo=UTC))
    tokyo = Reader(NOW, ZoneInfo("Asia/Tokyo"))
    assert found(project, "after:today") == []
    assert found(project, "after:today", reader=tokyo) == ["t"]
    assert found(project, "before:today") == ["t"]


def test_traces_without_a_start_count_by_their_arrival(project, make_trace):
    make_trace(name="t", started_at=None, received_at=NOW)
    assert found(project, "after:1h") == ["t"]
    assert found(project, "after:1h", sort="started") == []


def test_moments_beyond_the_calendar_are_the_beginning():
    assert resolve(timedelta(days=999_999), READER).year == 1


def test_sorts(project, make_trace):
    make_trace(name="a", score=2.0, failed_count=1)
    make_trace(name="b", score=1.0, failed_count=3)
    make_trace(name="c", score=None, failed_count=None)
    assert found(project) == ["c", "b", "a"]
    assert found(project, sort="worst") == ["b", "a"]
    assert found(project, sort="failed") == ["b", "a"]


def test_longest_and_dearest_come_first_and_unknown_values_not_at_all(
    project, make_trace
):
    make_trace(name="a", duration_ms=9, cost_usd=0.25)
    make_trace(name="b", duration_ms=70_000, cost_usd=0.01)
    make_trace(name="c", duration_ms=None, cost_usd=None)
    assert found(project, sort="longest") == ["b", "a"]
    assert found(project, sort="dearest") == ["a", "b"]


@pytest.mark.parametrize("sort", SORTS)
def test_pages_cover_everything_once(project, make_trace, monkeypatch, sort):
    monkeypatch.setattr(listing_selectors, "PAGE", 3)
    values = [
        {"score": n % 2, "failed_count": n % 3, "duration_ms": n % 4, "cost_usd": n / 4}
        for n in range(10)
    ]
    made = {make_trace(**columns).name for columns in values}
    names, code, pages = [], "", 0
    while code or not pages:
        place = read_place(code, SORTS[sort])
        listing = list_traces(project, parse(""), SORTS[sort], place, READER)
        names += [trace.name for trace in listing.rows]
        code, pages = listing.following, pages + 1
    assert pages == 4
    assert sorted(names) == sorted(made)


def test_a_search_stops_after_a_scan_and_goes_on_from_there(
    project, make_trace, monkeypatch
):
    monkeypatch.setattr(listing_selectors, "SCAN", 4)
    make_trace(name="old", agent="x")
    for _ in range(5):
        make_trace()
    first = list_traces(project, parse("agent:x"), SORTS["newest"], None, READER)
    assert (first.rows, bool(first.looked_until)) == ((), True)
    place = read_place(first.following, SORTS["newest"])
    second = list_traces(project, parse("agent:x"), SORTS["newest"], place, READER)
    assert [trace.name for trace in second.rows] == ["old"]
    assert second.following == ""


def test_an_indexed_value_is_found_however_old(project, make_trace, monkeypatch):
    monkeypatch.setattr(listing_selectors, "SCAN", 4)
    make_trace(name="old", session="s1")
    for _ in range(9):
        make_trace()
    assert found(project, "session:s1") == ["old"]
    assert found(project, "before:1d", sort="started")[-1] == "old"


def test_other_projects_stay_out(project, make_trace):
    make_trace()
    other = Project.objects.create(slug="o", name="O", created_at=NOW)
    assert found(other) == []
    assert not selected_traces(other, [str(make_trace().pk)]).exists()


def test_matches_are_counted_with_their_values(project, make_trace):
    make_trace(workflow="a", tags=["x", "y"], failed_count=1, root_category="timeout")
    make_trace(workflow="a", tags=["x"])
    make_trace(workflow="b", failed_count=None)
    matches = count_matches(project, parse(""), SORTS["newest"], READER)
    assert (matches.count, matches.more) == (3, False)
    assert (matches.failing, matches.judged) == (1, 2)
    assert matches.facets["workflow"] == (("a", 2), ("b", 1))
    assert matches.facets["tag"] == (("x", 2), ("y", 1))
    assert matches.facets["root"] == (("timeout", 1),)


def test_counting_stops(project, make_trace, monkeypatch):
    monkeypatch.setattr(listing_selectors, "COUNTED", 2)
    for _ in range(4):
        make_trace()
    matches = count_matches(project, parse(""), SORTS["newest"], READER)
    assert (matches.count, matches.more) == (2, True)


def test_counts_what_came_since(project, make_trace):
    make_trace()
    place = newest_place(project)
    make_trace(workflow="a")
    make_trace(workflow="b")
    assert count_newer(project, parse(""), place, READER) == 2
    assert count_newer(project, parse("workflow:a"), place, READER) == 1


def test_review_lists_flat_and_broken(project, make_trace):
    make_trace()
    make_trace(name="flat", structure="flat")
    make_trace(name="broken", digest_state="failed", structure="")
    rows = list_for_review(project, None).rows
    assert [trace.name for trace in rows] == ["broken", "flat"]


@pytest.mark.parametrize(
    "code",
    ["", "x", "bnVsbA", "WzEsMl0", "W05hTiwxXQ", Place(10**400, 1).code(), "日"],
)
def test_places_that_make_no_sense_are_none(code):
    assert read_place(code, SORTS["newest"]) is None


def test_places_survive_the_address():
    place = Place(NOW, 7)
    assert read_place(place.code(), SORTS["newest"]) == place
    assert read_place(Place(2.5, 7).code(), SORTS["worst"]) == Place(2.5, 7)
    assert read_place(place.code(), SORTS["worst"]) is None


@pytest.mark.sqlite
@pytest.mark.parametrize("sort", SORTS)
def test_every_order_has_its_index(project, sort, django_assert_num_queries):
    with django_assert_num_queries(2) as asked:
        list_traces(project, parse("agent:x"), SORTS[sort], None, READER)
    for query in asked.captured_queries:
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {query['sql']}")
            plan = " ".join(row[3] for row in cursor.fetchall())
        assert "USING INDEX trace_" in plan or "USING COVERING INDEX trace_" in plan
        assert "TEMP B-TREE" not in plan
