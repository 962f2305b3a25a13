"""Bodies that the protobuf parser refuses as a whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests.traces.importers.otlp_bodies import SPAN, as_protobuf, pair, proto_span
from traces.importers.otlp import Bounds, DecodeError, decode_protobuf

SECOND = "resourceSpans[0].scopeSpans[0].spans[1]"
MARK = "HERE"


def spoiled(*spans, by=b"\xff\xfe\xfd\xfc"):
    """The request with every ``MARK`` replaced by bytes that aren't UTF-8."""
    return as_protobuf(*spans).replace(MARK.encode(), by)


def field(number, content):
    """A field with its length before it."""
    size, encoded = len(content), b""
    while size > 127:
        encoded, size = encoded + bytes([size & 127 | 128]), size >> 7
    return bytes([number << 3 | 2]) + encoded + bytes([size]) + content


def nested(depth):
    """An attribute ``deep`` of lists within lists, and one after it."""
    value = field(1, b"x")
    for _ in range(depth):
        value = field(5, field(1, value))
    return field(9, field(1, b"deep") + field(2, value))


def framed(*spans):
    return field(1, b"".join(field(2, field(2, span)) for span in spans))


def test_a_text_that_is_not_utf8_costs_only_its_bad_bytes():
    bad = proto_span(
        attributes=[pair("k", string_value=f"a{MARK}b"), pair("n", int_value=-1)]
    )
    decoded = decode_protobuf(spoiled(proto_span(), bad, proto_span(name="last")))
    assert [span.name for span in decoded.spans] == ["step", "step", "last"]
    assert decoded.spans[1].attributes == {"k": "a\ufffd\ufffd\ufffd\ufffdb", "n": -1}
    (reject,) = decoded.rejects
    assert reject.place == f"{SECOND}.attributes[0].value.stringValue"
    assert (reject.level, reject.code) == ("attribute", "text_cleaned")


def test_a_spoiled_span_keeps_every_field():
    sent = proto_span(
        name=MARK,
        kind=3,
        parent_span_id=b"p" * 8,
        start_time_unix_nano=5,
        end_time_unix_nano=7,
        attributes=[pair("d", double_value=0.5), pair("b", bool_value=True)],
        events=[Span.Event(name="e", time_unix_nano=6)],
        links=[Span.Link(trace_id=b"t" * 16, span_id=b"s" * 8)],
        status=Status(code=2, message="boom"),
    )
    good = decode_protobuf(as_protobuf(sent)).spans[0]
    (span,) = decode_protobuf(spoiled(sent)).spans
    for name in ("kind", "parent_id", "start_ns", "end_ns", "attributes", "events",
                 "links", "status", "status_message", "scope"):  # fmt: skip
        assert getattr(span, name) == getattr(good, name), name


def test_spoiled_resource_and_scope_cost_no_span():
    body = (
        as_protobuf(proto_span())
        .replace(b"shop", b"\xffhop")
        .replace(b"my.s", b"\xffy.s")
    )
    decoded = decode_protobuf(body)
    assert decoded.spans[0].scope.name == "\ufffdy.scope"
    assert decoded.spans[0].scope.resource == {"service.name": "\ufffdhop"}
    assert [one.place for one in decoded.rejects] == [
        "resourceSpans[0].resource.attributes[0].value.stringValue",
        "resourceSpans[0].scopeSpans[0].scope.name",
    ]


@pytest.mark.parametrize("depth", [40, 90])
def test_nesting_beyond_the_parser_but_within_the_bound_is_kept(depth):
    sent = proto_span().SerializeToString() + nested(depth)
    decoded = decode_protobuf(framed(sent))
    value = decoded.spans[0].attributes["deep"]
    for _ in range(depth):
        (value,) = value
    assert (value, decoded.rejects) == ("x", [])


def test_nesting_beyond_the_bound_costs_only_what_is_too_deep():
    good = proto_span(attributes=[pair("k", int_value=1)]).SerializeToString()
    decoded = decode_protobuf(framed(good + nested(2_000), good))
    assert len(decoded.spans) == 2
    assert decoded.spans[0].attributes["k"] == 1
    assert "nested deeper than 100 levels" in str(decoded.spans[0].attributes["deep"])
    assert [one.code for one in decoded.rejects] == ["nested_too_deep"]


def test_a_broken_attribute_is_left_out_and_named():
    sent = proto_span(attributes=[pair("k", string_value=MARK), pair("n", int_value=1)])
    inner = pair("k", string_value=MARK).SerializeToString()
    body = as_protobuf(sent).replace(inner, b"\x0a\x7f" + inner[2:])
    decoded = decode_protobuf(body)
    assert decoded.spans[0].attributes == {"n": 1}
    assert [(one.level, one.code) for one in decoded.rejects] == [
        ("attribute", "broken_protobuf")
    ]


def test_a_broken_span_costs_no_other():
    good, bad = proto_span(), proto_span(name="broken")
    data = bad.SerializeToString()
    body = as_protobuf(good, bad, good).replace(data, b"\x0a\x7f" + data[2:])
    decoded = decode_protobuf(body)
    assert [span.span_id for span in decoded.spans] == [SPAN, SPAN]
    (reject,) = decoded.rejects
    assert (reject.level, reject.place, reject.code) == ("span", SECOND, "broken_span")
    assert decoded.rejected_spans == 1


def test_a_body_cut_off_is_refused():
    with pytest.raises(DecodeError, match="protobuf"):
        decode_protobuf(as_protobuf(proto_span())[:-3])


@given(st.binary(max_size=200), st.integers(0, 400))
def test_no_bytes_are_trouble(noise, at):
    body = as_protobuf(proto_span(attributes=[pair("k", string_value="v" * 99)] * 2))
    try:
        decoded = decode_protobuf(
            body[:at] + noise + body[at + len(noise) :], Bounds(depth=3)
        )
    except DecodeError:
        return
    assert all(len(span.trace_id) == 32 for span in decoded.spans)
