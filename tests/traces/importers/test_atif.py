import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.domain.records import SpanStatus, TraceRecord

FOLDER = FIXTURES / "atif"


def trace(name):
    found = read((FOLDER / name).read_bytes(), name)
    return next(one for one in found if isinstance(one, TraceRecord))


@pytest.mark.parametrize("path", fixtures("atif"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_a_step_is_a_turn_and_its_results():
    spans = {span.span_id: span for span in trace("trajectory.json").spans}
    assert list(spans) == ["m0", "m1", "m2", "m2.c0", "m2.c1", "m2.c2", "m3"]
    assert spans["m2.c0"].attributes["gen_ai.tool.call.arguments"] == {"path": "a"}
    assert spans["m2.c2"].attributes["agenteval.boundary"] == "environment"
    assert spans["m2"].status is SpanStatus.UNSET
    assert spans["m2"].attributes["llm.cost.total"] == 0.01


def test_parallel_calls_join():
    graph = build_graph(trace("trajectory.json").spans).graph
    runs = [step.key for step in graph.steps if step.type == "EXEC"]
    after = [{e.target for e in graph.edges if e.source == key} for key in runs]
    assert len(runs) == 2
    assert set.intersection(*after)
