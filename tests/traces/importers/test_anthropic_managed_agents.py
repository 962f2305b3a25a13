import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.domain.records import TraceRecord

FOLDER = FIXTURES / "anthropic_managed_agents"


def trace(name="session.jsonl"):
    (one,) = read((FOLDER / name).read_bytes(), name)
    assert isinstance(one, TraceRecord)
    return one


@pytest.mark.parametrize("path", fixtures("anthropic_managed_agents"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_the_session_is_the_trace():
    assert trace().trace_id == "sesn_1"
    assert trace().attributes["agent"] == "Clerk"
    assert trace("events.json").trace_id == "e1"


def test_calls_of_one_answer_are_parallel():
    graph = build_graph(trace().spans).graph
    steps = {step.key: step.span_id for step in graph.steps}
    called = [steps[e.target] for e in graph.edges if str(e.kind) == "call"]
    assert {"e8", "e10"} <= set(called)


def test_tokens_and_errors():
    spans = {span.span_id: span for span in trace().spans}
    assert spans["e3"].attributes["gen_ai.usage.input_tokens"] == 27
    assert spans["e10"].status_message == "rejected"
    assert spans["e9"].attributes["agenteval.output"] == "deny: Not here."
