import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.domain.records import SpanStatus, TraceRecord

FOLDER = FIXTURES / "jaeger"


def trace(name):
    found = read((FOLDER / name).read_bytes(), name)
    return next(one for one in found if isinstance(one, TraceRecord))


@pytest.mark.parametrize("path", fixtures("jaeger"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def spans():
    return {span.span_id[-2:]: span for span in trace("trace.json").spans}


def test_ids_are_whole_and_times_are_nanoseconds():
    found = spans()["a2"]
    assert found.span_id == "00000000000000a2"
    assert found.end_ns - found.start_ns == 2_000_000
    assert found.attributes["gen_ai.usage.input_tokens"] == 12


def test_status_scope_and_resource():
    assert spans()["a3"].status is SpanStatus.ERROR
    assert spans()["a3"].status_message == "not found"
    assert spans()["a1"].scope.name == "my.sdk"
    assert spans()["a1"].scope.resource == {"service.name": "desk", "host.name": "h1"}


def test_what_follows_is_a_link():
    (link,) = spans()["a4"].links
    assert link.span_id == "00000000000000a3"


def test_calls_lead_to_runs():
    edges = build_graph(trace("trace.json").spans).graph.edges
    assert [str(edge.kind) for edge in edges].count("call") == 2


def test_evaluations_are_labels():
    (one,) = trace("trace.json").labels
    assert (one.kind, one.value, one.note) == ("score", "0.5", "Relevance")
