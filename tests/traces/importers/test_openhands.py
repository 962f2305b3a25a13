import json

import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.domain.records import EdgeKind, TraceRecord

FOLDER = FIXTURES / "openhands"


def trace(name):
    found = read((FOLDER / name).read_bytes(), name)
    (one,) = [one for one in found if isinstance(one, TraceRecord)]
    return one


@pytest.mark.parametrize("path", fixtures("openhands"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


@pytest.mark.parametrize(
    ("name", "turn", "runs"),
    [("v0.json", "m5", {"m6", "m8"}), ("v1.jsonl", "e3", {"e5", "e6"})],
)
def test_calls_of_one_response_are_one_answer(name, turn, runs):
    spans = {span.span_id: span for span in trace(name).spans}
    (said,) = spans[turn].attributes["gen_ai.output.messages"]
    kinds = [part["type"] for part in said["parts"]]
    assert kinds == ["text", "tool_call", "tool_call"]
    graph = build_graph(spans.values()).graph
    steps = {step.key: step.span_id for step in graph.steps}
    called = {
        steps[edge.target]
        for edge in graph.edges
        if edge.kind is EdgeKind.CALL and steps[edge.target] != turn
        if steps[edge.source] == turn
    }
    assert called == runs


def test_errors_are_the_source_s_own_words():
    spans = {span.span_id: span.status_message for span in trace("v1.jsonl").spans}
    failed = {key: words for key, words in spans.items() if words}
    assert failed == {
        "e6": "no such file",
        "e9": "Don't.",
        "e11": "no tool nope",
    }


def test_an_observation_without_its_action_is_kept():
    spans = {span.span_id: span for span in trace("v1.jsonl").spans}
    said = spans["e10"].attributes
    assert said["gen_ai.tool.call.result"] == "an answer without its call"


def test_events_in_files_share_the_trace_of_their_folder():
    lines = (FOLDER / "v1.jsonl").read_text().splitlines()
    ids = set()
    for number, line in enumerate(lines):
        name = f"runs/abc/events/event-{number:05d}-{json.loads(line)['id']}.json"
        ids |= {o.trace_id for o in read(line, name) if isinstance(o, TraceRecord)}
    assert ids == {"openhands-abc"}
