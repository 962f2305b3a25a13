"""Clocks that lie, run ahead or don't run: times stay as sent, nothing breaks."""

from datetime import timedelta

import pytest
from django.urls import reverse

from tests.cases.conftest import START, TRACE, agent, kinds, llm, request, tool
from traces.models import Span, Trace

MS = 1_000_000


def at(start, end):
    return {"startTimeUnixNano": str(start), "endTimeUnixNano": str(end)}


def test_an_end_before_the_start_lasts_no_time_and_is_said(take, opened):
    take(request(tool(1, fields=at(START, START - 5 * MS))))
    assert "clock_clamped" in kinds(opened())
    assert Trace.objects.get().duration_ms == 0
    stored = Span.objects.get()
    assert (stored.start_ns, stored.end_ns) == (START, START - 5 * MS)


def test_a_child_before_its_parent_is_not_moved(take, opened):
    take(request(agent(1, start=2_000, lasts=90), tool(2, 1, start=0)))
    graph = opened()
    assert "clock_clamped" in kinds(graph)
    assert Span.objects.get(span_id=f"{2:016x}").start_ns == START
    assert graph["steps"][0]["started_at"].startswith("2025-06-15T15:06:40")


def test_steps_less_than_a_millisecond_apart_keep_their_order(take, opened):
    begun = [START + 200_000 * n for n in (2, 0, 1)]
    take(
        request(
            *(
                tool(n, fields=at(t, t + 1))
                for n, t in zip((3, 1, 2), begun, strict=True)
            )
        )
    )
    assert [int(step["span"], 16) for step in opened()["steps"]] == [1, 2, 3]


def test_the_same_span_with_a_coarser_clock_is_the_same_span(take, opened):
    take(request(tool(1, fields=at(START + 123_456, START + 2 * MS))))
    take(request(tool(1, fields=at(START, START + 2 * MS))))
    assert Span.objects.count() == 1
    assert len(opened()["steps"]) == 1


EXTREME = [(0, 0), (1, 2**63 - 1), (2**63 - 1, 1), (2**63, 2**64 - 1), (10**40, -1)]


@pytest.mark.parametrize(("start", "end"), EXTREME)
def test_times_beyond_any_calendar_open_everywhere(take, opened, reader, start, end):
    take(request(agent(1, fields=at(start, end)), tool(2, 1, fields=at(end, start))))
    assert len(opened()["steps"]) == 1
    assert reader.get(reverse("overview", args=["shop"])).status_code == 200
    for query in ("time:today", "duration:>1s", "time:7d"):
        answer = reader.get(reverse("traces", args=["shop"]), {"q": query})
        assert answer.status_code == 200


def test_traces_of_years_ago_keep_ids_and_times(take, opened):
    old = START - int(timedelta(days=3_000).total_seconds()) * 10**9
    take(request(tool(1, fields=at(old, old + MS))))
    opened()
    trace = Trace.objects.get()
    assert (trace.trace_id, trace.started_at.year) == (TRACE, 2017)


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "Pacific/Apia", "Nowhere/Land", "\x00"])
def test_any_zone_of_a_reader_opens_pages(take, opened, reader, zone):
    take(request(llm(1)))
    reader.cookies["tz"] = zone
    opened()
