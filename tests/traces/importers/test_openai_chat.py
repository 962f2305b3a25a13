import json

import pytest

from tests.traces.importers.golden import check, fixtures, label, read

USER = {"role": "user", "content": "Hello"}
BOT = {"role": "assistant", "content": "Hi"}


def spans(*messages, **more):
    (trace,) = read(json.dumps({"messages": messages} | more))
    return trace.spans


@pytest.mark.parametrize("path", fixtures("openai_chat"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_a_turn_is_given_only_what_is_new():
    messages = [USER, BOT] * 50
    given = [
        len(span.attributes["gen_ai.input.messages"])
        for span in spans(*messages)
        if "gen_ai.input.messages" in span.attributes
    ]
    assert given == [1] * 50


def test_positions_are_the_indexes_of_the_messages():
    found = [(span.span_id, span.position) for span in spans(USER, 5, BOT, None, BOT)]
    assert found == [("m0", 0), ("m2", 2), ("m4", 4)]


def test_tools_are_on_the_first_turn_only():
    tools = [{"type": "function", "function": {"name": "f", "parameters": {}}}]
    found = [
        span.attributes.get("gen_ai.tool.definitions")
        for span in spans(USER, BOT, USER, BOT, tools=tools)
    ]
    expected = [{"type": "function", "name": "f", "parameters": {}}]
    assert found == [None, expected, None, None]


def test_an_id_used_again_belongs_to_the_latest_call():
    def call(day):
        function = {"name": "tide", "arguments": json.dumps({"day": day})}
        return BOT | {"tool_calls": [{"id": "call_0", "function": function}]}

    answer = {"role": "tool", "tool_call_id": "call_0", "content": "x"}
    found = spans(USER, call(1), answer, call(2), answer)
    runs = [found[index].attributes["gen_ai.tool.call.arguments"] for index in (2, 4)]
    assert runs == [{"day": 1}, {"day": 2}]


def test_the_answer_beside_a_request_is_a_turn():
    found = spans(USER, choices=[{"message": BOT, "finish_reason": "stop"}])
    assert [span.name for span in found] == ["user message", "chat"]


def test_row_numbers_are_no_ids():
    one, other = (
        read(json.dumps({"id": "1", "messages": [USER | {"content": text}]}))[0]
        for text in ("a", "b")
    )
    assert one.trace_id != other.trace_id
    assert one.trace_id.startswith("chat-")
