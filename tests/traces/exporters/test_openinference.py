"""Spans with OpenInference attributes, whatever their sender spoke."""

import json
from dataclasses import replace
from io import BytesIO

from tests.traces.graph.spans import llm, said, tool
from traces.domain.reading import read_span
from traces.domain.records import SpanLink, SpanRecord, TraceRecord
from traces.exporters import openinference
from traces.importers import read_any


def rows(*spans):
    found = openinference.lines(TraceRecord("t", spans))
    return [json.loads(line) for line in found]


def reread(span):
    data = b"".join(openinference.lines(TraceRecord("t", (span,))))
    (trace,) = read_any(BytesIO(data), name="", format="openinference")
    return trace.spans[0]


def test_a_model_call_says_the_same_in_this_dialect():
    span = llm("a", 1, 2, text="Yes.", calls=[("c", "find", {"id": 7})],
               given=[said("user", "Is it there?")])  # fmt: skip
    (row,) = rows(span)
    ours = {k: v for k, v in row["attributes"].items() if k not in span.attributes}
    alone = replace(span, attributes=ours)
    assert row["span_kind"] == "LLM"
    assert read_span(alone).output_messages == read_span(span).output_messages
    assert read_span(alone).input_messages == read_span(span).input_messages


def test_a_tool_says_what_it_was_given_and_gave():
    (row,) = rows(tool("a", 1, 2, run="find", arguments={"id": 7}, result="W-1"))
    said = row["attributes"]
    assert (said["tool.name"], said["output.value"]) == ("find", "W-1")
    assert json.loads(said["input.value"]) == {"id": 7}


def test_who_speaks_it_already_is_left_alone():
    attributes = {"openinference.span.kind": "TOOL", "input.value": "{}"}
    (row,) = rows(SpanRecord("t", "a", attributes=attributes))
    assert row["attributes"] == attributes


def test_times_are_kept_to_the_nanosecond():
    ns = 1_700_000_000_123_456_789
    span = SpanRecord("t", "a", start_ns=ns, end_ns=10**30)
    assert rows(span)[0]["start_time"] == "2023-11-14T22:13:20.123456789+00:00"
    assert rows(span)[0]["end_time"] is None
    assert reread(span).start_ns == ns


def test_links_and_resources_come_back():
    span = SpanRecord("t", "a", links=(SpanLink("u", "b", {"k": 1}),))
    assert reread(span).links == span.links
