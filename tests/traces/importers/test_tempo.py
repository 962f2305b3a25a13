import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.domain.records import SpanStatus, TraceRecord

FOLDER = FIXTURES / "tempo"


def trace(name):
    found = read((FOLDER / name).read_bytes(), name)
    return next(one for one in found if isinstance(one, TraceRecord))


@pytest.mark.parametrize("path", fixtures("tempo"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_ids_in_base64_meet_those_in_hex():
    first, second = trace("batches.json").spans
    assert second.parent_id == first.span_id == "00000000000000b1"
    assert second.trace_id == first.trace_id


def test_rejects_say_where_in_the_file():
    rejects = read((FOLDER / "batches.json").read_bytes(), "x.json")
    place = next(one.place for one in rejects if not isinstance(one, TraceRecord))
    assert place.startswith(
        "x.json: line 1, column 1, byte 0: batches[1].scopeSpans[0]"
    )


def test_spans_have_the_right_agent():
    views = build_graph(trace("batches.json").spans).views
    assert views["00000000000000b1"].agent == "clerk"
    assert trace("trace.json").spans[0].status is SpanStatus.UNSET


def test_evaluations_are_labels():
    (one,) = trace("batches.json").labels
    assert (one.kind, one.value, one.note) == ("score", "0.5", "Relevance")
