from __future__ import annotations

import io
import json

import pytest

from tests.traces.importers.otlp_bodies import (
    PARENT,
    SPAN,
    TRACE,
    as_json,
    as_protobuf,
    document,
    proto_span,
    span,
    text,
)
from traces.domain.records import ReferenceLabel, Reject, TraceRecord
from traces.importers import otlp
from traces.importers.base import Limits
from traces.importers.jsonstream import take_sample

OTHER = "a" * 32


def read(data, **limits):
    source = io.BytesIO(data)
    return list(otlp.read(source, name="file", limits=Limits(**limits)))


def lines(*documents):
    return b"\n".join(json.dumps(one).encode() for one in documents)


def recognised(data):
    return otlp.recognises(take_sample(io.BytesIO(data))[0])


def delimited(*bodies):
    return b"".join(len(body).to_bytes(4, "big") + body for body in bodies)


def ids(found):
    return [[one.span_id for one in record.spans] for record in found]


def logs(*records):
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": list(records)}]}]}


def log(**more):
    return {"traceId": TRACE, "spanId": SPAN, "timeUnixNano": "7"} | more


def events(found):
    (record,) = found
    return [event for one in record.spans for event in one.events]


@pytest.mark.parametrize(
    "data",
    [
        as_json(span()),
        json.dumps(document(span()), indent=1).encode(),
        lines(document(span()), document(span())),
        json.dumps([document(span())]).encode(),
        lines(logs(log())),
        as_protobuf(proto_span()),
        as_protobuf(proto_span()) * 3,
        as_protobuf(*[proto_span()] * 9_000),
        delimited(as_protobuf(proto_span()), as_protobuf(proto_span())),
    ],
)
def test_recognised(data):
    assert recognised(data)


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b'{"spans": []}', b"[]", b"\n\nSome text.", b"\x0a", b"\x0a\x05\x12abcd",
     b"\x00\x00\x00\x05hello", b'{"resourceMetrics": []}'],
)  # fmt: skip
def test_not_recognised(data):
    assert not recognised(data)


def test_one_request():
    (record,) = read(as_json(span(), span(spanId=PARENT)))
    assert (record.trace_id, ids([record])) == (TRACE, [[SPAN, PARENT]])


def test_spans_of_a_trace_come_together_over_lines():
    found = read(
        lines(
            document(span(), span(traceId=OTHER)),
            document(span(spanId=PARENT)),
        )
    )
    assert {one.trace_id: ids([one]) for one in found} == {
        TRACE: [[SPAN, PARENT]],
        OTHER: [[SPAN]],
    }


@pytest.mark.parametrize("pack", [lambda *b: b"".join(b), delimited])
def test_protobuf_requests_in_a_row(pack):
    other = proto_span(span_id=bytes.fromhex(PARENT))
    assert ids(read(pack(as_protobuf(proto_span()), as_protobuf(other)))) == [
        [SPAN, PARENT]
    ]


def test_a_bad_line_costs_only_itself():
    good = as_json(span())
    found = read(
        b"\n".join(
            [good, b'{"resourceSpans": [', b'{"odd": 1}', as_json(span(spanId=PARENT))]
        )
    )
    rejects = [one for one in found if isinstance(one, Reject)]
    assert [one.place.split(",")[0] for one in rejects] == ["line 2", "line 3"]
    assert ids([one for one in found if isinstance(one, TraceRecord)]) == [
        [SPAN, PARENT]
    ]


def test_a_refused_span_is_placed_in_its_line():
    reject, _ = read(lines(document(span()), document(span(spanId=""))))
    assert reject.place.startswith("line 2, column 1, byte ")
    assert reject.place.endswith(": resourceSpans[0].scopeSpans[0].spans[0].spanId")


def test_a_protobuf_file_cut_off_keeps_what_came_before():
    data = delimited(as_protobuf(proto_span()), as_protobuf(proto_span(name="lost")))
    found = read(data[:-4])
    assert [one.spans[0].name for one in found if isinstance(one, TraceRecord)] == [
        "step"
    ]
    assert [one.code for one in found if isinstance(one, Reject)] == ["truncated"]


def test_a_request_that_is_too_long_is_passed_over():
    long, short = as_protobuf(proto_span(name="x" * 5_000)), as_protobuf(proto_span())
    found = read(delimited(long, short), max_trace_bytes=1_000)
    assert [type(one) for one in found] == [Reject, TraceRecord]
    assert found[0].code == "too_long"


def test_log_records_become_events_of_their_spans():
    record = log(
        eventName="gen_ai.user.message",
        attributes=[text("gen_ai.system", "openai")],
        body={"kvlistValue": {"values": [text("content", "hello")]}},
        severityText="INFO",
    )
    (event,) = events(read(lines(document(span(), **logs(record)))))
    assert (event.name, event.time_ns) == ("gen_ai.user.message", 7)
    assert event.attributes == {
        "gen_ai.system": "openai",
        "body": {"content": "hello"},
        "severity": "INFO",
    }


@pytest.mark.parametrize("key", ["event.name", "otel.event.name"])
def test_the_name_of_a_log_record_may_be_an_attribute(key):
    record = log(attributes=[text(key, "gen_ai.choice")])
    assert (
        events(read(lines(document(span(), **logs(record)))))[0].name == "gen_ai.choice"
    )


@pytest.mark.parametrize("order", [1, -1])
def test_log_records_may_come_on_other_lines(order):
    documents = [document(span()), logs(log(eventName="e"))][::order]
    assert [event.name for event in events(read(lines(*documents)))] == ["e"]


def test_a_log_record_without_span_joins_the_only_model_call():
    chat = span(spanId=PARENT, attributes=[text("gen_ai.operation.name", "chat")])
    (record,) = read(
        lines(document(span(), chat, **logs(log(spanId=None, eventName="e"))))
    )
    assert [len(one.events) for one in record.spans] == [0, 1]


def test_a_log_record_that_belongs_nowhere_is_reported():
    lost = logs(log(traceId=OTHER), log(traceId=None), log(spanId=PARENT))
    _, *rejects = read(lines(document(span(), **lost)))
    assert [(one.code, one.trace_id) for one in rejects] == [
        ("log_without_span", OTHER),
        ("log_without_span", TRACE),
        ("log_without_trace", ""),
    ]


def test_evaluations_become_reference_labels():
    result = {
        "name": "gen_ai.evaluation.result",
        "attributes": [
            text("gen_ai.evaluation.name", "Relevance"),
            {"key": "gen_ai.evaluation.score.value", "value": {"doubleValue": 0.9}},
            text("gen_ai.evaluation.score.label", "relevant"),
            text("gen_ai.evaluation.explanation", "on topic"),
        ],
    }
    (record,) = read(as_json(span(events=[result])))
    assert record.labels == (
        ReferenceLabel("score", "0.9", "otlp", SPAN, "Relevance: relevant: on topic"),
    )


def test_what_waits_in_memory_is_bounded():
    spans = [
        document(span(traceId=f"{n % 2 + 1:032x}", spanId=f"{n + 1:016x}"))
        for n in range(20)
    ]
    found = read(lines(*spans), max_pending_bytes=600)
    assert len(found) > 2
    assert sum(len(one.spans) for one in found) == 20


def test_log_records_that_wait_are_bounded():
    many = [logs(log(eventName="e")) for _ in range(9)]
    record, reject = read(lines(document(span()), *many), max_trace_bytes=500)
    assert 0 < len(record.spans[0].events) < 9
    assert reject.code == "too_many_logs"
