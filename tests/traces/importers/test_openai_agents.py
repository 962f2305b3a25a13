import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.domain.records import TraceRecord
from traces.importers.openai_agents import said

EXPORT = (FIXTURES / "openai_agents" / "export.json").read_bytes()


def trace():
    (found,) = [one for one in read(EXPORT) if isinstance(one, TraceRecord)]
    return found


@pytest.mark.parametrize("path", fixtures("openai_agents"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_facts_of_the_trace():
    assert trace().attributes == {
        "source": "openai_agents",
        "name": "Desk",
        "workflow": "Desk",
        "session": "g-1",
        "extra": {"stage": "test"},
    }


def test_agents_hand_over_and_run_tools():
    steps = build_graph(trace().spans).graph.steps
    assert [step.name for step in steps if step.part == "handoff"] == ["→ Billing"]
    runs = {s.tool: (s.agent, s.error) for s in steps if s.type == "EXEC"}
    assert runs["refund"] == ("Billing", False)
    assert runs["notify"] == ("Billing", True)


def test_calls_and_results_stand_among_messages():
    found = said(
        [
            {"role": "user", "content": "a"},
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "b"},
        ],
        "user",
    )
    assert [message["role"] for message in found] == ["user", "assistant", "tool"]
    assert found[2]["parts"][0]["id"] == "c"


def test_a_trace_without_spans_is_refused():
    found = read('{"object": "trace", "id": "trace_9"}')
    assert [(one.code, one.trace_id) for one in found] == [("empty", "trace_9")]
