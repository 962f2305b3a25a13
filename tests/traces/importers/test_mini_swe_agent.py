import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.domain.records import SpanStatus, TraceRecord

FOLDER = FIXTURES / "mini_swe_agent"


def trace(name):
    found = read((FOLDER / name).read_bytes(), name)
    return next(one for one in found if isinstance(one, TraceRecord))


@pytest.mark.parametrize("path", fixtures("mini_swe_agent"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_commands_and_results_are_paired():
    spans = {span.span_id: span for span in trace("v2.traj.json").spans}
    assert spans["m3"].attributes["gen_ai.tool.call.arguments"] == {
        "command": "cat src/cart.py"
    }
    assert spans["m5"].status is SpanStatus.ERROR
    assert spans["m5"].status_message == "exit code 1"
    assert spans["m5"].end_ns - spans["m5"].start_ns == 1_500_000_000


def test_commands_in_fences_are_calls():
    graph = build_graph(trace("v1.jsonl").spans).graph
    (run,) = [step for step in graph.steps if step.type == "EXEC"]
    assert (run.tool, run.span_id) == ("bash", "m3")
    into = [str(edge.kind) for edge in graph.edges if edge.target == run.key]
    assert into == ["call"]


def test_a_turn_without_a_command_is_answered_by_the_environment():
    spans = {span.span_id: span.attributes for span in trace("v1.jsonl").spans}
    assert spans["m5"]["agenteval.boundary"] == "user"
