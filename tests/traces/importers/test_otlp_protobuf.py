from __future__ import annotations

import math

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests.traces.importers.otlp_bodies import (
    PARENT,
    SPAN,
    TRACE,
    as_json,
    as_protobuf,
    pair,
    proto_span,
)
from traces.domain.records import Scope, SpanEvent, SpanLink, SpanRecord, SpanStatus
from traces.importers.otlp import Bounds, DecodeError, decode_json, decode_protobuf

FIRST = "resourceSpans[0].scopeSpans[0].spans[0]"


def codes(decoded):
    return [reject.code for reject in decoded.rejects]


def decode(*spans, **bounds):
    return decode_protobuf(as_protobuf(*spans), Bounds(**bounds))


def attributes(*pairs, **bounds):
    """Attributes of a span with these, and codes of what was noted."""
    decoded = decode(proto_span(attributes=pairs), **bounds)
    return decoded.spans[0].attributes, codes(decoded)


def test_every_field_is_read():
    sent = proto_span(
        parent_span_id=bytes.fromhex(PARENT),
        name="plan",
        kind=3,
        start_time_unix_nano=5,
        end_time_unix_nano=7,
        attributes=[pair("n", int_value=-3), pair("ok", bool_value=True)],
        events=[
            Span.Event(
                name="e", time_unix_nano=6, attributes=[pair("x", double_value=0.5)]
            )
        ],
        links=[Span.Link(trace_id=bytes.fromhex(TRACE), span_id=bytes.fromhex(PARENT))],
        status=Status(code=2, message="boom"),
    )
    assert decode(sent).spans == [
        SpanRecord(
            TRACE,
            SPAN,
            PARENT,
            "plan",
            3,
            5,
            7,
            SpanStatus.ERROR,
            "boom",
            {"n": -3, "ok": True},
            (SpanEvent("e", 6, {"x": 0.5}),),
            (SpanLink(TRACE, PARENT),),
            Scope("my.scope", "2", {}, {"service.name": "shop"}),
        )
    ]


def test_spans_of_one_scope_share_it():
    one, two = decode(proto_span(), proto_span(name="other")).spans
    assert one.scope is two.scope


def test_all_kinds_of_values():
    listed = AnyValue()
    listed.array_value.values.extend([AnyValue(int_value=1), AnyValue()])
    mapped = AnyValue()
    mapped.kvlist_value.values.extend([pair("a", string_value="b")])
    found, noted = attributes(
        pair("empty", string_value=""),
        pair("zero", int_value=0),
        pair("bytes", bytes_value=b"\x00\xff"),
        pair("list", array_value=listed.array_value),
        pair("map", kvlist_value=mapped.kvlist_value),
    )
    assert found == {
        "empty": "",
        "zero": 0,
        "bytes": "AP8=",
        "list": [1, None],
        "map": {"a": "b"},
    }
    assert not noted


def test_empty_body_is_a_request_without_spans():
    assert decode_protobuf(b"").spans == []


def test_missing_kind_and_end_are_unspecified_and_unknown():
    (span,) = decode(proto_span(start_time_unix_nano=1)).spans
    assert (span.kind, span.start_ns, span.end_ns) == (0, 1, None)


def test_end_before_start_is_kept_as_sent():
    (span,) = decode(proto_span(start_time_unix_nano=9, end_time_unix_nano=4)).spans
    assert (span.start_ns, span.end_ns) == (9, 4)


@pytest.mark.parametrize(
    ("field", "value", "place", "code"),
    [
        ("trace_id", b"", "traceId", "missing_trace_id"),
        ("trace_id", b"abc", "traceId", "bad_trace_id"),
        ("trace_id", bytes(16), "traceId", "bad_trace_id"),
        ("span_id", b"", "spanId", "missing_span_id"),
        ("span_id", b"\x01", "spanId", "bad_span_id"),
        ("span_id", bytes(8), "spanId", "bad_span_id"),
    ],
)
def test_a_span_with_a_bad_id_is_refused_and_named(field, value, place, code):
    decoded = decode(proto_span(**{field: value}), proto_span())
    (reject,) = decoded.rejects
    assert (reject.level, reject.place, reject.code) == (
        "span",
        f"{FIRST}.{place}",
        code,
    )
    assert (len(decoded.spans), decoded.rejected_spans) == (1, 1)


@pytest.mark.parametrize("parent", [b"\x01", bytes(8)])
def test_a_bad_parent_makes_a_root(parent):
    decoded = decode(proto_span(parent_span_id=parent))
    assert decoded.spans[0].parent_id is None
    assert codes(decoded) == ["bad_parent_span_id"]
    assert decoded.rejected_spans == 0


def test_empty_key_and_empty_value_cost_only_the_attribute():
    found, noted = attributes(
        pair("", string_value="x"), pair("nothing"), pair("good", string_value="x")
    )
    assert found == {"good": "x"}
    assert noted == ["empty_key", "empty_value"]


def test_of_two_attributes_with_one_key_the_last_counts():
    found, _ = attributes(pair("k", string_value="a"), pair("k", string_value="b"))
    assert found == {"k": "b"}


@pytest.mark.parametrize(
    ("number", "word"),
    [(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity")],
)
def test_numbers_that_json_lacks_become_null_with_their_text_beside(number, word):
    found, noted = attributes(pair("score", double_value=number))
    assert found == {"score": None, "score.raw": word}
    assert noted == ["number_as_text"]


def test_nul_is_replaced_and_noted():
    found, noted = attributes(pair("a\0b", string_value="c\0"))
    assert found == {"a\ufffdb": "c\ufffd"}
    assert noted == ["text_cleaned", "text_cleaned"]


def test_a_long_text_is_cut_and_says_so():
    found, noted = attributes(pair("k", string_value="äöüß" * 5), attribute=15)
    assert found == {"k": "äöüßäöü…[cut: 7 of 20 characters kept]"}
    assert noted == ["text_cut"]


def test_what_is_nested_too_deep_is_kept_as_text():
    value = AnyValue(string_value="x")
    for _ in range(4):
        around = AnyValue()
        around.array_value.values.append(value)
        value = around
    found, noted = attributes(pair("k", array_value=value.array_value), depth=2)
    assert found == {"k": [['[["x"]]']]}
    assert noted == ["nested_too_deep"]


def test_too_many_attributes_events_and_links_are_counted():
    sent = proto_span(
        attributes=[pair(str(n), int_value=n) for n in range(3)],
        events=[Span.Event(name="e")] * 3,
        links=[Span.Link(trace_id=b"t" * 16, span_id=b"s" * 8)] * 3,
    )
    decoded = decode(sent, attributes=2, events=1, links=1)
    (span,) = decoded.spans
    assert (len(span.attributes), len(span.events), len(span.links)) == (2, 1, 1)
    assert codes(decoded) == [
        "too_many_attributes",
        "too_many_events",
        "too_many_links",
    ]


def test_a_key_that_is_too_long_costs_only_its_attribute():
    found, noted = attributes(
        pair("k" * 99, int_value=1), pair("k", int_value=2), key=50
    )
    assert (found, noted) == ({"k": 2}, ["key_too_long"])


def test_spans_beyond_the_bound_are_refused_and_counted():
    decoded = decode(*[proto_span()] * 5, spans=2)
    assert (len(decoded.spans), decoded.rejected_spans) == (2, 3)
    assert codes(decoded) == ["too_many_spans"]


def test_a_link_that_leads_nowhere_is_left_out():
    decoded = decode(proto_span(links=[Span.Link(trace_id=b"t" * 16)]))
    assert (decoded.spans[0].links, codes(decoded)) == ((), ["bad_link"])


def test_dropped_counts_and_trace_state_are_kept():
    found = (
        decode(
            proto_span(
                dropped_attributes_count=4, dropped_events_count=1, trace_state="a=b"
            )
        )
        .spans[0]
        .attributes
    )
    assert found == {
        "otel.dropped_attributes_count": 4,
        "otel.dropped_events_count": 1,
        "w3c.tracestate": "a=b",
    }


def test_a_time_beyond_storage_is_left_out():
    decoded = decode(proto_span(end_time_unix_nano=2**63))
    assert (decoded.spans[0].end_ns, codes(decoded)) == (None, ["bad_time"])


def test_a_declared_position_is_the_position():
    decoded = decode(proto_span(attributes=[pair("agenteval.position", int_value=4)]))
    assert decoded.spans[0].position == 4


def test_logs_at_the_address_for_traces_are_named():
    logs = ExportLogsServiceRequest()
    record = logs.resource_logs.add().scope_logs.add().log_records.add()
    record.time_unix_nano, record.body.string_value = 5, "hello"
    record.trace_id, record.span_id = b"t" * 16, b"s" * 8
    with pytest.raises(DecodeError, match="OTLP logs request"):
        decode_protobuf(logs.SerializeToString())


def test_metrics_at_the_address_for_traces_are_named():
    metrics = ExportMetricsServiceRequest()
    metric = metrics.resource_metrics.add().scope_metrics.add().metrics.add()
    metric.name, metric.unit = "latency", "ms"
    metric.gauge.data_points.add(as_int=3)
    with pytest.raises(DecodeError, match="OTLP metrics request"):
        decode_protobuf(metrics.SerializeToString())


def test_json_sent_as_protobuf_gets_a_hint():
    with pytest.raises(DecodeError, match="application/json"):
        decode_protobuf(as_json())


@pytest.mark.parametrize("body", [b"hello", b"\x0a\xff\xff", b"\x00", b"\xff" * 40])
def test_what_is_no_request_is_refused(body):
    with pytest.raises(DecodeError):
        decode_protobuf(body)


def test_many_spans_are_no_trouble():
    decoded = decode(*[proto_span()] * 45_000)
    assert len(decoded.spans) == 45_000


def test_both_encodings_give_the_same():
    value = {"arrayValue": {"values": [{"intValue": "2"}, {"doubleValue": 0.5}]}}
    sent = {"traceId": TRACE, "spanId": SPAN, "kind": 1, "endTimeUnixNano": "9"}
    listed = AnyValue()
    listed.array_value.values.extend(
        [AnyValue(int_value=2), AnyValue(double_value=0.5)]
    )
    json_spans = decode_json(
        as_json(sent | {"attributes": [{"key": "k", "value": value}]})
    )
    proto = Span(
        trace_id=bytes.fromhex(TRACE),
        span_id=bytes.fromhex(SPAN),
        kind=1,
        end_time_unix_nano=9,
        attributes=[pair("k", array_value=listed.array_value)],
    )
    assert decode(proto).spans == json_spans.spans
