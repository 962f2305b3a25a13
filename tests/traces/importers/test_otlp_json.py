from __future__ import annotations

import base64
import json
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.importers.otlp_bodies import (
    PARENT,
    SPAN,
    TRACE,
    as_json,
    document,
    span,
    text,
)
from traces.domain.records import Scope, SpanEvent, SpanLink, SpanRecord, SpanStatus
from traces.importers import read_any
from traces.importers.otlp import Bounds, DecodeError, decode_document, decode_json

FIRST = "resourceSpans[0].scopeSpans[0].spans[0]"


def codes(decoded):
    return [reject.code for reject in decoded.rejects]


def decode(*spans, **bounds):
    return decode_json(as_json(*spans), Bounds(**bounds))


def attributes(*pairs, **bounds):
    decoded = decode(span(attributes=list(pairs)), **bounds)
    return decoded.spans[0].attributes, codes(decoded)


def value(kind, content):
    return {"key": "k", "value": {kind: content}}


def test_every_field_is_read():
    sent = span(
        parentSpanId=PARENT.upper(),
        kind="SPAN_KIND_CLIENT",
        startTimeUnixNano="5",
        endTimeUnixNano=7,
        attributes=[text("a", "b"), {"key": "n", "value": {"intValue": "-3"}}],
        events=[{"name": "e", "timeUnixNano": "6", "attributes": [text("x", "y")]}],
        links=[{"traceId": TRACE, "spanId": PARENT}],
        status={"code": "STATUS_CODE_ERROR", "message": "boom"},
        flags=257,
        fieldOfTheFuture={"any": "thing"},
    )
    assert decode(sent).spans == [
        SpanRecord(
            TRACE,
            SPAN,
            PARENT,
            "step",
            3,
            5,
            7,
            SpanStatus.ERROR,
            "boom",
            {"a": "b", "n": -3},
            (SpanEvent("e", 6, {"x": "y"}),),
            (SpanLink(TRACE, PARENT),),
            Scope("my.scope", "2", {}, {"service.name": "shop"}),
        )
    ]


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (value("stringValue", ""), ""),
        (value("intValue", "9223372036854775807"), 2**63 - 1),
        (value("intValue", 7), 7),
        (value("doubleValue", 7), 7),
        (value("doubleValue", "0.5"), 0.5),
        (value("boolValue", False), False),
        (value("boolValue", "true"), True),
        (value("bytesValue", "AP8="), "AP8="),
        (value("arrayValue", {}), []),
        (value("arrayValue", {"values": [{"intValue": "1"}, {}]}), [1, None]),
        (
            value("kvlistValue", {"values": [text("a", "b"), {"key": "c"}]}),
            {"a": "b", "c": None},
        ),
    ],
)
def test_values(sent, read):
    assert attributes(sent) == ({"k": read}, [])


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (value("intValue", "ten"), "ten"),
        (value("intValue", str(2**63)), str(2**63)),
        (value("boolValue", 3), "3"),
        (value("stringValue", 3), "3"),
        ({"key": "k", "value": "bare"}, "bare"),
    ],
)
def test_a_value_of_the_wrong_type_is_kept_as_text_and_noted(sent, read):
    found, noted = attributes(sent)
    assert found == {"k": read}
    assert len(noted) == 1


def test_missing_kind_is_unspecified():
    assert decode(span()).spans[0].kind == 0


@pytest.mark.parametrize("kind", [9, "SPAN_KIND_ODD", -1, {}])
def test_an_unknown_kind_is_unspecified_and_noted(kind):
    decoded = decode(span(kind=kind))
    assert (decoded.spans[0].kind, codes(decoded)) == (0, ["bad_kind"])


@pytest.mark.parametrize("raw", [bytes.fromhex(TRACE), b"0123456789abcdef"])
def test_ids_in_base64_are_taken_where_their_length_is_right(raw):
    sent = span(
        traceId=base64.b64encode(raw).decode(),
        spanId=base64.b64encode(raw[:8]).decode(),
    )
    (found,) = decode(sent).spans
    assert (found.trace_id, found.span_id) == (raw.hex(), raw[:8].hex())


@pytest.mark.parametrize(
    ("field", "sent", "code"),
    [
        ("traceId", None, "missing_trace_id"),
        ("traceId", "", "missing_trace_id"),
        ("traceId", "0" * 32, "bad_trace_id"),
        ("traceId", "zz" * 16, "bad_trace_id"),
        ("traceId", 12, "bad_trace_id"),
        ("spanId", "AQ==", "bad_span_id"),
        ("spanId", SPAN[:-1], "bad_span_id"),
        ("spanId", "0" * 16, "bad_span_id"),
    ],
)
def test_a_span_with_a_bad_id_is_refused_and_named(field, sent, code):
    decoded = decode(span(**{field: sent}), span())
    (reject,) = decoded.rejects
    assert (reject.level, reject.place, reject.code) == (
        "span",
        f"{FIRST}.{field}",
        code,
    )
    assert (len(decoded.spans), decoded.rejected_spans) == (1, 1)


def test_a_bad_parent_makes_a_root():
    decoded = decode(span(parentSpanId="AQ=="))
    assert decoded.spans[0].parent_id is None
    assert codes(decoded) == ["bad_parent_span_id"]


def test_empty_key_and_value_cost_only_the_attribute():
    found, noted = attributes(
        {"key": "", "value": {}},
        {"key": "k", "value": {}},
        {"key": "k"},
        text("a", "b"),
    )
    assert found == {"a": "b"}
    assert noted == ["empty_key", "empty_value", "empty_value"]


@pytest.mark.parametrize("odd", [None, 3, "text", [], {"value": {}}, {"key": 3}])
def test_an_odd_attribute_costs_only_itself(odd):
    found, noted = attributes(odd, text("a", "b"))
    assert (found, len(noted)) == ({"a": "b"}, 1)


@pytest.mark.parametrize("odd", [None, 3, "text", []])
def test_an_odd_span_costs_only_itself(odd):
    decoded = decode(odd, span())
    assert (len(decoded.spans), decoded.rejected_spans) == (1, 1)
    assert decoded.rejects[0].place == FIRST


@pytest.mark.parametrize("field", ["attributes", "events", "links"])
def test_a_list_that_is_none_costs_only_itself(field):
    decoded = decode(span(**{field: {"a": 1}}))
    assert (len(decoded.spans), codes(decoded)) == (1, ["not_a_list"])


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("quoted", [True, False])
def test_numbers_that_json_lacks(word, quoted):
    sent = as_json(span(attributes=[value("doubleValue", "WORD")]))
    body = sent.replace(b'"WORD"', f'"{word}"'.encode() if quoted else word.encode())
    decoded = decode_json(body)
    assert decoded.spans[0].attributes == {"k": None, "k.raw": word}
    assert codes(decoded) == ["number_as_text"]


def test_within_a_list_they_stay_text():
    body = as_json(
        span(attributes=[value("arrayValue", {"values": [{"doubleValue": "NaN"}]})])
    )
    assert decode_json(body).spans[0].attributes == {"k": ["NaN"]}


def test_nul_and_halves_of_surrogate_pairs_are_replaced_and_noted():
    body = as_json(span(name="a\0b", attributes=[text("k", "HALF"), text("ok", "😀")]))
    decoded = decode_json(body.replace(b"HALF", rb"x\ud83dy"))
    assert decoded.spans[0].name == "a\ufffdb"
    assert decoded.spans[0].attributes == {"k": "x\ufffdy", "ok": "😀"}
    assert codes(decoded) == ["text_cleaned", "text_cleaned"]


def test_bytes_that_are_not_utf8_are_replaced_and_noted():
    decoded = decode_json(as_json(span(name="HERE")).replace(b"HERE", b"\xff"))
    assert decoded.spans[0].name == "\ufffd"
    assert codes(decoded) == ["text_cleaned"]


def test_escaped_text_is_decoded():
    assert decode(span(name="日本")).spans[0].name == "日本"


def test_a_long_text_is_cut_and_says_so():
    found, noted = attributes(text("k", "x" * 50), attribute=20)
    assert found == {"k": "x" * 20 + "…[cut: 20 of 50 characters kept]"}
    assert noted == ["text_cut"]


@pytest.mark.parametrize("depth", [150, 700, 20_000])
def test_deep_nesting_costs_only_what_is_too_deep(depth):
    opening, closing = '{"arrayValue":{"values":[', "]}}"
    deep = f'{{"key":"deep","value":{opening * depth}{closing * depth}}}'
    body = as_json(span(attributes=["DEEP", text("a", "b")]))
    decoded = decode_json(body.replace(b'"DEEP"', deep.encode()))
    (found,) = decoded.spans
    assert found.attributes["a"] == "b"
    assert codes(decoded) == ["nested_too_deep"]


def in_lists(value, depth):
    for _ in range(depth):
        value = {"arrayValue": {"values": [value]}}
    return {"key": "deep", "value": value}


def in_maps(value, depth):
    for _ in range(depth):
        value = {"kvlistValue": {"values": [{"key": "k", "value": value}]}}
    return {"key": "deep", "value": value}


@pytest.mark.parametrize("around", [in_lists, in_maps])
def test_files_keep_as_many_levels_as_requests(around):
    sent = document(span(attributes=[around({"stringValue": "x"}, 100)]))
    (read,) = read_any(BytesIO(json.dumps(sent).encode()), name="", format="otlp")
    assert read.spans[0].attributes == decode_json(json.dumps(sent)).spans[0].attributes
    assert read.rejects == ()


def test_what_is_too_deep_is_kept_as_json_text():
    inner = {"kvlistValue": {"values": [
        {"key": "a", "value": {"intValue": "7"}},
        {"key": "b", "value": {"arrayValue": {"values": [{}, {"boolValue": True}]}}},
        {"key": "c", "value": None},
    ]}}  # fmt: skip
    found, noted = attributes(in_lists(inner, 2), depth=2)
    assert found == {"deep": [['{"a":7,"b":[null,true],"c":null}']]}
    assert noted == ["nested_too_deep"]


def test_deep_nesting_in_a_text_is_only_text():
    found, noted = attributes(text("k", "[" * 20_000))
    assert (found, noted) == ({"k": "[" * 20_000}, [])


def test_names_as_in_protobuf_are_read():
    sent = document(span(startTimeUnixNano="5", attributes=[text("trace_id", "kept")]))
    snake = json.dumps(sent)
    for camel, name in (
        ("resourceSpans", "resource_spans"),
        ("scopeSpans", "scope_spans"),
        ("traceId", "trace_id"),
        ("spanId", "span_id"),
        ("startTimeUnixNano", "start_time_unix_nano"),
        ("stringValue", "string_value"),
    ):
        snake = snake.replace(camel, name)
    assert decode_json(snake.encode()).spans == decode_document(sent).spans


def test_old_names_of_the_scope_are_read():
    old = {"instrumentationLibrary": {"name": "lib"}, "spans": [span()]}
    (found,) = decode_document(
        {"resourceSpans": [{"instrumentationLibrarySpans": [old]}]}
    ).spans
    assert found.scope.name == "lib"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"resourceLogs": []}', "OTLP logs request"),
        (b'{"resourceMetrics": []}', "OTLP metrics request"),
        (b'{"spans": []}', "resourceSpans is missing"),
        (b"[]", "a list"),
        (b"3", "a single value"),
        (b'{"resourceSpans": {}}', "not a list"),
        (b"\x0a\x03abc", "application/x-protobuf"),
    ],
)
def test_what_is_no_traces_request_is_named(body, said):
    with pytest.raises(DecodeError, match=said):
        decode_json(body)


def test_broken_json_is_refused_with_line_and_column():
    with pytest.raises(DecodeError) as caught:
        decode_json(b'{"resourceSpans": [\n  {"a" 1}]}')
    assert caught.value.place.startswith("line 2, column 8")


@pytest.mark.parametrize(
    "body", [b"{}", b'{"resourceSpans": []}', b'{"resourceSpans": null}']
)
def test_an_empty_request_has_no_spans(body):
    assert decode_json(body).spans == []


def test_old_times_are_taken():
    assert decode(span(startTimeUnixNano="1")).spans[0].start_ns == 1


@pytest.mark.parametrize("time", ["yesterday", "-5", 1.5, True, str(2**63)])
def test_what_is_no_time_is_left_out_and_noted(time):
    decoded = decode(span(endTimeUnixNano=time))
    assert (decoded.spans[0].end_ns, codes(decoded)) == (None, ["bad_time"])


def test_end_zero_is_unknown():
    assert decode(span(endTimeUnixNano="0")).spans[0].end_ns is None


def test_rejects_beyond_the_listed_ones_are_counted():
    decoded = decode(*[span(spanId="")] * 1_500)
    assert (len(decoded.rejects), decoded.left_out, decoded.rejected_spans) == (
        1_000,
        500,
        1_500,
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
    ),
)
FIELDS = st.sampled_from(
    ["traceId", "spanId", "parentSpanId", "name", "kind", "attributes", "events",
     "links", "status", "startTimeUnixNano", "traceState", "droppedLinksCount"]
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(FIELDS, JSON), JSON, JSON)
def test_no_json_is_trouble(fields, inside, attribute):
    pairs = [{"key": "k", "value": attribute}, attribute]
    spans = [
        span() | fields,
        inside,
        span(attributes=pairs, events=[inside], links=[inside]),
    ]
    decoded = decode_document(document(*spans) | {"other": inside})
    assert decoded.spans[-1].trace_id == TRACE
