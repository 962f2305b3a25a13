from traces.domain.records import ReferenceLabel, Reject, SpanRecord
from traces.importers.base import Limits
from traces.importers.gather import Found, gather


def found(trace, span, size=10, **more):
    return Found(SpanRecord(trace, span), size, **more)


def ids(records):
    return [(r.trace_id, [span.span_id for span in r.spans]) for r in records]


def test_mixed_spans_are_put_together():
    mixed = [found("a", "1"), found("b", "1"), found("a", "2")]
    assert ids(gather(mixed, Limits())) == [("b", ["1"]), ("a", ["1", "2"])]


def test_the_trace_that_waits_longest_goes_first():
    mixed = [found("a", "1"), found("b", "1"), found("b", "2"), found("a", "2")]
    records = gather(mixed, Limits(max_pending_bytes=25))
    assert ids(records) == [("a", ["1"]), ("b", ["1", "2"]), ("a", ["2"])]


def test_a_huge_trace_comes_in_parts():
    spans = [found("a", str(n)) for n in range(5)]
    parts = [len(r.spans) for r in gather(spans, Limits(max_spans=2))]
    assert parts == [2, 2, 1]


def test_rejects_pass_and_labels_and_facts_are_kept():
    reject, label = Reject("span", "x", "y", "z"), ReferenceLabel("score", "1", "s")
    one = found("a", "1", labels=(label,), attributes={"session": "s"}, notes=(reject,))
    passed, record = gather([reject, one], Limits())
    assert passed is reject
    assert record.labels == (label,)
    assert record.rejects == (reject,)
    assert record.attributes == {"session": "s"}
