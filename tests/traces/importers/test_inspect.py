import io
import zipfile

import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.domain.records import SpanStatus, TraceRecord

FOLDER = FIXTURES / "inspect"


def traces(name):
    found = read((FOLDER / name).read_bytes(), name)
    return [one for one in found if isinstance(one, TraceRecord)]


@pytest.mark.parametrize("path", fixtures("inspect"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_a_sub_agent_lies_inside_its_tool():
    spans = {span.span_id: span for span in traces("log.json")[0].spans}
    assert spans["t2"].attributes["gen_ai.tool.call.id"] == "c2"
    assert spans["a1"].parent_id == "t2"
    assert spans["e4"].parent_id == "a1"


def test_parallel_tools_join():
    graph = build_graph(traces("log.json")[0].spans).graph
    runs = [s.key for s in graph.steps if s.type == "EXEC"]
    after = [{e.target for e in graph.edges if e.source == key} for key in runs]
    assert len(runs) == 2
    assert set.intersection(*after)


def test_graders_are_no_part_of_the_run():
    text = repr(traces("log.json")[0].spans)
    assert "Is it green?" not in text


def test_attachments_are_put_back():
    (first, *_) = [s for s in traces("log.json")[0].spans if s.span_id == "e1"]
    (system, _) = first.attributes["gen_ai.input.messages"]
    assert system["parts"][0]["content"].startswith("You sell tea.")


def test_scores_are_labels_and_the_target_is_a_reference():
    (trace,) = traces("log.json")
    found = [(one.kind, one.value) for one in trace.labels]
    assert found == [("score", "C"), ("outcome", "passed")]
    assert trace.attributes["reference"]["target"] == "green"


def test_messages_of_a_pool_are_given_once():
    old, bare = traces("samples.jsonl")
    asked = [s.attributes.get("gen_ai.input.messages") for s in old.spans]
    assert [len(given) for given in asked if given] == [1, 1]
    assert bare.spans[2].status is SpanStatus.ERROR


def test_an_eval_file_is_an_archive_of_samples():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name in ("samples.jsonl", "summaries.json"):
            archive.write(FOLDER / name, f"samples/{name}")
    found = read(made.getvalue(), "log.eval")
    codes = [getattr(one, "code", "trace") for one in found]
    assert codes == ["trace", "trace", "not_traces"]
