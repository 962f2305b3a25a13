"""How many traces there are, when they ran, and that they never change."""

from collections import Counter
from datetime import UTC, datetime, timedelta

from agenteval_web.demo import build_demo
from agenteval_web.demo.stage import nanoseconds
from tests.demo.spans import NOW, start_of, version_of

FORTNIGHT = timedelta(days=14)


def test_same_seed_and_time_give_the_same_traces(demo):
    assert build_demo(now=NOW) == tuple(demo.values())


def test_another_seed_gives_other_ids_and_words(demo):
    other = {trace.scenario: trace for trace in build_demo(now=NOW, seed=8)}
    assert other.keys() == demo.keys()
    ids = {trace.record.trace_id for trace in demo.values()}
    assert ids.isdisjoint(trace.record.trace_id for trace in other.values())
    words = [name for name in demo if demo[name].answer != other[name].answer]
    assert len(words) >= 15


def test_three_workflows_with_healthy_and_failing_runs(demo):
    assert Counter(trace.workflow for trace in demo.values()) == {
        "customer-service": 20,
        "data-analysis": 12,
        "document-processing": 13,
    }
    healthy = Counter(t.workflow for t in demo.values() if t.fault is None)
    assert healthy == {
        "customer-service": 8,
        "data-analysis": 4,
        "document-processing": 5,
    }


def test_all_spans_lie_in_the_fortnight_before_now(demo):
    for trace in demo.values():
        ends = [span.end_ns for span in trace.record.spans if span.end_ns]
        assert nanoseconds(NOW - FORTNIGHT) <= start_of(trace)
        assert max(ends) <= nanoseconds(NOW)


def test_traces_come_oldest_first_even_just_after_midnight():
    traces = build_demo(now=datetime(2027, 3, 1, 0, 5, tzinfo=UTC))
    roots = [trace.record.spans[-1].start_ns for trace in traces]
    assert roots == sorted(roots)
    assert max(s.end_ns or 0 for t in traces for s in t.record.spans) <= nanoseconds(
        datetime(2027, 3, 1, 0, 5, tzinfo=UTC)
    )


def test_old_version_runs_before_the_new_one(demo):
    old = [start_of(t) for t in demo.values() if version_of(t) == "2.3.0"]
    new = [start_of(t) for t in demo.values() if version_of(t) == "2.4.0"]
    assert (len(old), len(new)) == (21, 24)
    assert max(old) < min(new)


def test_two_sessions_have_three_traces_each(demo):
    roots = [trace.record.spans[-1].attributes for trace in demo.values()]
    sessions = Counter(root["session.id"] for root in roots if "session.id" in root)
    assert sessions == {"chat-3301-noor": 3, "notebook-118": 3}


def test_two_traces_are_long(demo):
    assert len(demo["month_end"].record.spans) == 242
    assert len(demo["station_audit"].record.spans) == 567
