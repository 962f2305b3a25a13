import json

import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.domain.records import EdgeKind, TraceRecord

SESSION = (FIXTURES / "claude_code" / "session.jsonl").read_bytes()


def spans():
    (trace,) = [one for one in read(SESSION) if isinstance(one, TraceRecord)]
    return {span.span_id: span for span in trace.spans}


def needs(span):
    return span.attributes.get("agenteval.depends_on")


@pytest.mark.parametrize("path", fixtures("claude_code"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_parallel_calls_are_one_answer_and_join():
    found = spans()
    assert "u3" not in found
    assert "u5" not in found
    assert needs(found["u7"]) == ["t1", "t2"]


def test_a_sub_agent_lies_inside_its_call():
    found = spans()
    assert {found[key].parent_id for key in ("s1", "s2", "t4", "s4")} == {"t3"}
    assert found["s2"].attributes["gen_ai.agent.name"] == "finder"
    assert found["t3"].attributes["claude_code.result.agentId"] == "a1"


def test_a_rewind_depends_on_where_it_goes_back_to():
    assert needs(spans()["u12"]) == ["u9"]


def test_a_compaction_goes_on_from_what_was_before():
    found = spans()
    assert needs(found["u16"]) == ["t5"]
    assert needs(found["u19"]) == ["u16", "u18"]


def test_cached_tokens_count_as_input():
    said = spans()["u2"].attributes
    assert said["gen_ai.usage.input_tokens"] == 110
    assert said["gen_ai.usage.output_tokens"] == 40


def test_files_of_sub_agents_meet_their_session():
    lines = SESSION.decode().splitlines()
    apart = {"main": [], "side": []}
    for line in lines:
        side = '"isSidechain": true' in line
        apart["side" if side else "main"].append(line)
    found = [
        span
        for part in apart.values()
        for one in read("\n".join(part))
        if isinstance(one, TraceRecord)
        for span in one.spans
    ]
    inner = [span for span in found if span.parent_id]
    assert {span.parent_id for span in inner} == {"agent-a1"}
    graph = build_graph(found).graph
    assert [r for r in graph.repairs if r.kind == "orphan_attached"] == []
    assert any(edge.kind is EdgeKind.HANDOFF for edge in graph.edges)


def test_a_sub_agent_that_is_called_again_keeps_both_calls():
    def line(uuid, kind, **more):
        ids = {"uuid": uuid, "sessionId": "s", "type": kind}
        return ids | {"message": {"role": kind, "content": [more.pop("block")]}} | more

    lines = []
    for number in (1, 2):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Task", "input": {}}
        answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x"}
        lines.append(line(f"a{number}", "assistant", block=call))
        lines.append(
            line(f"b{number}", "user", block=answer, toolUseResult={"agentId": "7"})
        )
    (trace,) = read("\n".join(map(json.dumps, lines)))
    assert sorted(s.span_id for s in trace.spans) == ["a1", "a2", "agent-7", "t2"]
