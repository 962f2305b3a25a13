import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph

TRACE = (FIXTURES / "deepeval" / "trace.json").read_bytes()


@pytest.mark.parametrize("path", fixtures("deepeval"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def spans():
    return {span.span_id: span for span in read(TRACE)[0].spans}


def test_parallel_calls_and_their_runs():
    graph = build_graph(read(TRACE)[0].spans).graph
    steps = {step.key: step.span_id for step in graph.steps}
    called = {steps[e.target] for e in graph.edges if str(e.kind) == "call"}
    assert {"t1", "t2"} <= called


@pytest.mark.parametrize(("span", "call"), [("l3", "c9"), ("l4", "c8")])
def test_answers_that_are_calls_alone(span, call):
    (message,) = spans()[span].attributes["gen_ai.output.messages"]
    assert [part["id"] for part in message["parts"]] == [call]


def test_tools_among_the_messages_are_definitions():
    said = spans()["l1"].attributes
    assert [tool["name"] for tool in said["gen_ai.tool.definitions"]] == ["get_weather"]
    assert len(said["gen_ai.input.messages"]) == 1


def test_cost_is_tokens_times_price():
    assert spans()["l1"].attributes["llm.cost.total"] == pytest.approx(0.04)


def test_metrics_are_labels_and_expectations_are_not():
    (trace,) = read(TRACE)
    found = [(one.kind, one.value, one.span_id, one.note) for one in trace.labels]
    assert found == [("score", "0.75", "a1", "Relevancy: On topic.")]
    assert trace.attributes["reference"] == {"expectedOutput": "mild"}
