import json

import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read

RUN = json.loads((FIXTURES / "langfuse" / "agent_run.json").read_text())


def spans(run=RUN):
    (trace,) = read(json.dumps(run))
    return {span.span_id: span for span in trace.spans}


@pytest.mark.parametrize("path", fixtures("langfuse"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_cached_tokens_are_counted_once():
    found = spans()
    beside, inside = found["o2"].attributes, found["o4"].attributes
    assert beside["gen_ai.usage.input_tokens"] == 100
    assert beside["gen_ai.usage.cache_read.input_tokens"] == 80
    assert inside["gen_ai.usage.input_tokens"] == 30
    assert inside["gen_ai.usage.output_tokens"] == 6


def test_calls_that_are_only_listed_belong_to_the_answer():
    (message,) = spans()["o2"].attributes["gen_ai.output.messages"]
    call = {"type": "tool_call", "id": "call_1", "name": "tide"}
    assert message["parts"] == [call | {"arguments": {"port": "Oban"}}]


def test_values_are_unwrapped():
    tool = spans()["o3"].attributes
    assert tool["gen_ai.tool.call.arguments"] == {"port": "Oban"}
    assert tool["gen_ai.tool.call.result"] == {"high": "06:12"}


def test_copies_of_messages_are_left_out():
    assert not any(
        key.startswith("llm.input_messages") for key in spans()["o2"].attributes
    )


def test_a_trace_as_the_api_gives_it():
    trace = RUN["trace"] | {"observations": RUN["observations"]}
    assert spans(trace) == spans()


def test_an_error_is_an_error():
    found = spans()["o4"]
    assert (found.status, found.status_message) == ("error", "filtered")
    assert found.attributes["langfuse.observation.level"] == "ERROR"


def test_a_trace_without_observations_is_refused():
    (found,) = read(json.dumps(RUN | {"observations": []}))
    assert (found.level, found.code) == ("trace", "no_observations")
