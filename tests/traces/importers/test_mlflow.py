import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph

TRACE = (FIXTURES / "mlflow" / "trace.json").read_bytes()


@pytest.mark.parametrize("path", fixtures("mlflow"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_ids_in_base64_become_hex():
    (trace,) = read(TRACE)
    assert trace.trace_id == "tr-0001"
    ids = [(span.span_id, span.parent_id) for span in trace.spans[:2]]
    assert ids == [("00" * 7 + "01", None), ("00" * 7 + "02", "00" * 7 + "01")]


def test_feedback_is_a_label_and_an_expectation_is_not():
    (trace,) = read(TRACE)
    (one,) = trace.labels
    assert (one.kind, one.value, one.span_id) == ("score", "true", "00" * 7 + "02")
    assert one.note == "correct: It matches."
    assert trace.attributes["reference"] == {"answer": {"value": "shipped"}}


def test_a_span_without_an_id_costs_only_itself():
    (trace,) = read(TRACE)
    assert len(trace.spans) == 3
    assert [note.code for note in trace.rejects] == ["no_id"]


def test_a_run_finds_its_call_by_name():
    graph = build_graph(read(TRACE)[0].spans).graph
    assert [str(e.kind) for e in graph.edges].count("call") == 2
    assert [step.error for step in graph.steps][-1]
