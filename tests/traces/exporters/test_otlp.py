"""Spans as OTLP requests, read again by the importer."""

import json
from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st

from traces.domain.records import (
    Scope,
    SpanEvent,
    SpanLink,
    SpanRecord,
    SpanStatus,
    TraceRecord,
)
from traces.exporters import otlp
from traces.importers import read_any

TRACE, SPAN, PARENT = "a" * 32, "b" * 16, "c" * 16
VALUES = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(
        lambda x: not x.is_integer()
    )
    | st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)


def reread(trace):
    (found,) = read_any(BytesIO(b"".join(otlp.lines(trace))), name="", format="otlp")
    return found


def test_a_span_comes_back_whole():
    span = SpanRecord(
        TRACE,
        SPAN,
        PARENT,
        "search",
        3,
        1_700_000_000_000_000_001,
        1_700_000_001_000_000_000,
        SpanStatus.ERROR,
        "no",
        {"a": [1, {"b": None}], "n": 2**62},
        (SpanEvent("e", 1_700_000_000_500_000_000, {"k": "v"}),),
        (SpanLink("d" * 32, "e" * 16, {"x": True}),),
        Scope("lib", "1", {"s": 1}, {"service.name": "shop"}),
    )
    assert reread(TraceRecord(TRACE, (span,))).spans == (span,)


@given(st.dictionaries(st.sampled_from("xyz"), VALUES, min_size=1))
def test_values_come_back(attributes):
    span = SpanRecord(TRACE, SPAN, attributes=attributes)
    assert reread(TraceRecord(TRACE, (span,))).spans[0].attributes == attributes


def test_ids_of_other_formats_become_digests_that_agree():
    spans = (SpanRecord("t-1", "s"), SpanRecord("t-1", "u", "s", position=4))
    first, second = reread(TraceRecord("t-1", spans)).spans
    assert second.parent_id == first.span_id == otlp.span_id_of("s")
    assert first.trace_id == otlp.trace_id_of("t-1")
    assert second.position == 4


def test_facts_of_the_trace_stand_on_its_resources():
    trace = TraceRecord(
        "t", (SpanRecord("t", "s"),), attributes={"name": "High tide", "tags": ["a"]}
    )
    (span,) = reread(trace).spans
    assert span.scope.resource == {
        "agenteval.trace.name": "High tide",
        "agenteval.tags": ["a"],
    }


def test_what_is_nested_very_deep_is_json_text():
    deep = json.loads("[" * 90 + "]" * 90)
    span = SpanRecord(TRACE, SPAN, attributes={"deep": deep})
    found = reread(TraceRecord(TRACE, (span,))).spans[0].attributes["deep"]
    for _ in range(otlp.DEEPEST):
        (found,) = found
    assert found == "[" * 40 + "]" * 40
