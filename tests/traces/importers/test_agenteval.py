import json
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.records import (
    ReferenceLabel,
    Reject,
    Scope,
    SpanEvent,
    SpanLink,
    SpanRecord,
    SpanStatus,
    TraceRecord,
)
from traces.importers import agenteval
from traces.importers.base import DEFAULT_LIMITS, Limits

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
ID = TEXT.filter(bool).map(lambda text: text[:128])
NS = st.none() | st.integers(-(2**63) + 1, 2**63 - 1)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3)
    ),
    max_leaves=5,
)
OBJECT = st.dictionaries(TEXT, VALUES, max_size=3)
SCOPE = st.builds(Scope, TEXT, TEXT, OBJECT, OBJECT)
LABEL = st.builds(ReferenceLabel, TEXT, TEXT, TEXT, TEXT, TEXT)


@st.composite
def traces(draw):
    trace_id = draw(ID)
    span = st.builds(
        SpanRecord,
        st.just(trace_id),
        ID,
        st.none() | ID,
        TEXT,
        st.integers(0, 5),
        NS,
        NS,
        st.sampled_from(SpanStatus),
        TEXT,
        OBJECT,
        st.lists(st.builds(SpanEvent, TEXT, NS, OBJECT), max_size=2).map(tuple),
        st.lists(st.builds(SpanLink, TEXT, TEXT, OBJECT), max_size=2).map(tuple),
        SCOPE,
        st.none() | st.integers(0, 2**31 - 1),
    )
    spans = draw(st.lists(span, min_size=1, max_size=4))
    labels = draw(st.lists(LABEL, max_size=2))
    return TraceRecord(trace_id, tuple(spans), tuple(labels), draw(OBJECT))


def reread(data, limits=DEFAULT_LIMITS):
    return list(agenteval.read(BytesIO(data), name="x", limits=limits))


@pytest.mark.parametrize("path", fixtures("agenteval"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


@settings(max_examples=200, deadline=None)
@given(traces())
def test_a_trace_comes_back_as_it_was(trace):
    data = agenteval.write(trace)
    (again,) = reread(data)
    assert again == trace
    assert agenteval.write(again) == data


def test_the_fixture_is_written_as_it_was_read():
    data = (FIXTURES / "agenteval" / "runs.jsonl").read_bytes()
    assert b"".join(agenteval.write(trace) for trace in reread(data)) == data


def test_the_example_in_the_docs_is_such_a_file():
    page = (FIXTURES.parents[1] / "docs" / "formats" / "agenteval.md").read_text()
    example = page.split("```json\n")[1].split("```")[0].encode()
    (trace,) = read(example)
    assert len(trace.labels) == 1
    assert b"".join(agenteval.write(one) for one in reread(example)) == example


@pytest.mark.parametrize("format", ["tau_bench", "langfuse", "who_and_when"])
def test_export_import_export_is_the_same_for_what_other_formats_gave(format):
    for path in fixtures(format):
        for trace in read(path.read_bytes(), path.name):
            if isinstance(trace, TraceRecord):
                data = agenteval.write(trace)
                (again,) = read(data, "export.jsonl")
                assert agenteval.write(again) == data


def test_values_at_the_limits_pass_again():
    deep = json.loads("[" * 100 + "]" * 100)
    text = "x" * DEFAULT_LIMITS.max_text + "[cut]"
    event = SpanEvent("e", attributes={"deep": deep})
    span = SpanRecord("t", "s", attributes={"text": text}, events=(event,))
    assert reread(agenteval.write(TraceRecord("t", (span,))))[0].spans == (span,)


def test_a_long_trace_comes_in_parts():
    spans = tuple(SpanRecord("t", str(n)) for n in range(5))
    data = agenteval.write(TraceRecord("t", spans, attributes={"name": "long"}))
    parts = reread(data, Limits(max_spans=2))
    assert [len(part.spans) for part in parts] == [2, 2, 1]
    assert {part.attributes["name"] for part in parts} == {"long"}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ({"kind": "span", "trace_id": "t"}, "bad_line"),
        (
            {"kind": "span", "trace_id": "t", "span_id": "s", "start_ns": "1"},
            "bad_line",
        ),
        ({"kind": "span", "trace_id": "t", "span_id": "s", "status": "so"}, "bad_line"),
        ({"kind": "span", "trace_id": "t", "span_id": "s", "span_kind": 9}, "bad_line"),
        ({"kind": "span", "trace_id": "t", "span_id": "x" * 129}, "bad_line"),
        ({"kind": "verdict", "trace_id": "t"}, "bad_line"),
        ({"kind": "trace", "trace_id": "u", "agenteval": 2}, "unknown_version"),
        ([], "bad_line"),
    ],
)
def test_a_bad_line_costs_itself(line, code):
    data = agenteval.write(TraceRecord("t", (SpanRecord("t", "a"),)))
    found = reread(data + json.dumps(line).encode() + b"\n" + data)
    rejects = [one for one in found if isinstance(one, Reject)]
    assert [reject.code for reject in rejects] == [code]
    assert rejects[0].place.startswith("line 3, column 1")
    spans = [s.span_id for r in found if isinstance(r, TraceRecord) for s in r.spans]
    assert spans == ["a", "a"]


def test_spans_without_their_trace_line_are_kept():
    lines = agenteval.write(TraceRecord("t", (SpanRecord("t", "a"),))).splitlines(True)
    (trace,) = reread(lines[1])
    assert trace.spans == (SpanRecord("t", "a"),)
    assert [note.code for note in trace.rejects] == ["no_trace_line"]
