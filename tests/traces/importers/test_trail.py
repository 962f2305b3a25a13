import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.domain.records import TraceRecord
from traces.importers.trail import duration

FOLDER = FIXTURES / "trail"
TRACE_ID = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize("path", fixtures("trail"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


@pytest.mark.parametrize(
    ("words", "nanoseconds"),
    [
        ("PT1M48.755S", 108_755_000_000),
        ("PT0S", 0),
        ("P1DT2H", 26 * 3600 * 10**9),
        ("PT0.000001S", 1000),
        ("P", None),
        ("", None),
        ("1s", None),
    ],
)
def test_durations(words, nanoseconds):
    assert duration(words) == nanoseconds


def test_nested_spans_become_a_tree():
    (trace,) = read((FOLDER / "trace.json").read_bytes())
    parents = {span.span_id[-2:]: span.parent_id for span in trace.spans}
    assert parents["aa"] is None
    assert parents["ad"] == "00000000000000ab"
    assert [note.code for note in trace.rejects] == ["no_id"]
    steps = build_graph(trace.spans).graph.steps
    assert {step.type for step in steps if not step.boundary} >= {"EXEC"}


def test_labels_meet_their_trace_by_the_name_of_the_file():
    path = FOLDER / f"{TRACE_ID}.json"
    (trace,) = read(path.read_bytes(), f"annotations/gaia/{path.name}")
    assert isinstance(trace, TraceRecord)
    assert (trace.trace_id, trace.spans) == (TRACE_ID, ())
    kinds = [one.kind for one in trace.labels]
    assert kinds == ["failed_step", "category"] * 2 + ["score", "score"]
    assert trace.labels[1].value == "Tool Selection Errors"


def test_labels_without_a_trace_are_refused():
    (found,) = read((FOLDER / f"{TRACE_ID}.json").read_bytes())
    assert found.code == "no_labels"
