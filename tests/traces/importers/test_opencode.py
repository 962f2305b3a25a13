import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.domain.records import SpanStatus, TraceRecord

LOG = (FIXTURES / "opencode" / "sessions.jsonl").read_bytes()


@pytest.fixture
def trace():
    (one,) = [one for one in read(LOG) if isinstance(one, TraceRecord)]
    return one


@pytest.fixture
def spans(trace):
    return {span.span_id: span for span in trace.spans}


@pytest.mark.parametrize("path", fixtures("opencode"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_a_sub_agent_lies_inside_its_task(spans):
    assert {spans[key].parent_id for key in ("k1", "k2", "k2.c0", "k3")} == {
        "session-ses_child"
    }
    task = spans["session-ses_child"]
    assert task.parent_id is None
    assert task.attributes["gen_ai.tool.call.result"] == "Nine."


def test_the_last_word_on_a_part_counts(spans):
    (said,) = spans["m2"].attributes["gen_ai.output.messages"]
    assert [part.get("content") for part in said["parts"]] == ["Ask a helper.", None]
    assert said["parts"][1]["arguments"] == {"prompt": "Get the time."}


def test_facts_of_the_whole(trace):
    assert trace.trace_id == "ses_main"
    assert trace.attributes["name"] == "Time of day"


def test_errors(spans):
    assert spans["k2.c1"].status_message == "no command now"
    assert spans["m4"].status is SpanStatus.ERROR
    assert spans["m4"].status_message == "overloaded"


def test_parallel_calls_join(trace):
    graph = build_graph(trace.spans).graph
    runs = [step.key for step in graph.steps if step.span_id.startswith("k2.c")]
    after = [{e.target for e in graph.edges if e.source == key} for key in runs]
    assert len(runs) == 2
    assert set.intersection(*after)
