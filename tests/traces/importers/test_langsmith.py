import json

import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.domain.records import TraceRecord

FOLDER = FIXTURES / "langsmith"


def traces(name, data=None):
    data = data or (FOLDER / name).read_bytes()
    return [one for one in read(data, name) if isinstance(one, TraceRecord)]


@pytest.mark.parametrize("path", fixtures("langsmith"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_calls_lead_to_runs():
    (trace,) = traces("runs.jsonl")
    edges = build_graph(trace.spans).graph.edges
    assert [str(edge.kind) for edge in edges].count("call") == 2


def test_messages_with_their_classes_are_plain_messages():
    said = traces("runs.jsonl")[0].spans[1].attributes
    roles = [message["role"] for message in said["gen_ai.input.messages"]]
    assert roles == ["system", "user"]
    assert said["gen_ai.usage.input_tokens"] == 20
    assert said["gen_ai.usage.cache_read.input_tokens"] == 4


def test_feedback_is_a_reference_label():
    (one,) = traces("runs.jsonl")[0].labels
    assert (one.kind, one.value, one.note) == ("score", "0.5", "helpful, n = 2")


def test_a_patch_ends_what_was_posted_before():
    (trace,) = traces("batches.json")
    ended = {span.span_id: span.end_ns is not None for span in trace.spans}
    assert ended == {"b2": True, trace.trace_id: True}
    model = next(span for span in trace.spans if span.span_id == "b2")
    assert "gen_ai.input.messages" in model.attributes
    assert "gen_ai.output.messages" in model.attributes


def test_inner_runs_belong_to_the_outer_run():
    (trace,) = traces("tree.json")
    parents = {span.span_id: span.parent_id for span in trace.spans}
    assert parents == {trace.trace_id: None, "n2": trace.trace_id, "n3": "n2"}


def test_the_dotted_order_tells_trace_and_parent():
    order = "20260301T090000000000Zroot.20260301T090001000000Zme"
    run = {"id": "me", "run_type": "chain", "dotted_order": order}
    (trace,) = traces("", json.dumps([run]))
    assert (trace.trace_id, trace.spans[0].parent_id) == ("root", "root")
