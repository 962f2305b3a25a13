import pytest

from traces.importers.messages import is_message, read_messages, text_of

TEXT = {"type": "text", "content": "Hi"}
CALL = {"type": "tool_call", "id": "c1", "name": "tide", "arguments": {"port": "Oban"}}
ANSWER = {"type": "tool_call_response", "id": "c1", "response": "06:12"}


def parts(value, role="user"):
    return [(m["role"], m["parts"]) for m in read_messages(value, role)]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "Hi"},
        {"role": "model", "parts": [{"text": "Hi"}]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "Hi"}]},
        {"type": "ai", "content": "Hi"},
        {"message": {"role": "assistant", "content": "Hi"}},
        {"choices": [{"message": {"role": "assistant", "content": "Hi"}}]},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}]}}]},
        {"role": "assistant", "content": None, "refusal": "Hi"},
        "Hi",
    ],
)
def test_text_of_every_provider(message):
    assert parts(message, "assistant") == [("assistant", [TEXT])]


@pytest.mark.parametrize(
    "call",
    [
        {"id": "c1", "function": {"name": "tide", "arguments": '{"port": "Oban"}'}},
        {"id": "c1", "name": "tide", "args": {"port": "Oban"}, "type": "tool_call"},
        {"id": "c1", "name": "tide", "arguments": {"port": "Oban"}},
    ],
)
def test_calls_beside_the_content(call):
    message = {"role": "assistant", "content": "", "tool_calls": [call]}
    assert parts(message) == [("assistant", [CALL])]


@pytest.mark.parametrize(
    "block",
    [
        {"type": "tool_use", "id": "c1", "name": "tide", "input": {"port": "Oban"}},
        {
            "type": "tool_call",
            "id": "c1",
            "name": "tide",
            "arguments": {"port": "Oban"},
        },
        {"type": "function_call", "call_id": "c1", "name": "tide", "arguments": "{%s}"},
        {"functionCall": {"id": "c1", "name": "tide", "args": {"port": "Oban"}}},
        {"toolCallId": "c1", "toolName": "tide", "input": '{"port": "Oban"}'},
        '[{"id": "c1", "function": {"name": "tide", "arguments": "{%s}"}}]',
    ],
)
def test_calls_within_the_content(block):
    if isinstance(block, str):
        block = block % '\\"port\\": \\"Oban\\"'
    elif block.get("arguments") == "{%s}":
        block = block | {"arguments": '{"port": "Oban"}'}
    message = {"role": "assistant", "content": [block]}
    assert parts(message) == [("assistant", [CALL])]
    if isinstance(block, dict):
        assert parts([block], "assistant") == [("assistant", [CALL])]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "tool", "tool_call_id": "c1", "content": "06:12"},
        {"role": "tool", "id": "c1", "content": [{"type": "text", "text": "06:12"}]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "06:12"}
            ],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"id": "c1", "response": "06:12"}}],
        },
    ],
)
def test_answers_of_tools(message):
    assert parts(message) == [("tool", [ANSWER])]


def test_arguments_that_are_no_json_stay_text():
    call = {"id": "c", "function": {"name": "f", "arguments": "{port: Oban}"}}
    ((_, (part,)),) = parts({"role": "assistant", "content": "", "tool_calls": [call]})
    assert part["arguments"] == "{port: Oban}"


def test_prompt_and_system_make_messages():
    found = parts({"system": "Be brief.", "prompt": "Hi"})
    assert [role for role, _ in found] == ["system", "user"]


def test_images_are_referred_to():
    block = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    ((_, (part,)),) = parts({"role": "user", "content": [block]})
    assert part == {
        "type": "uri",
        "modality": "image",
        "uri": "https://example.org/a.png",
    }


def test_thoughts_stand_apart():
    message = {"role": "assistant", "content": "Hi", "reasoning_content": "Greet."}
    (read,) = read_messages(message)
    assert read["parts"] == [{"type": "reasoning", "content": "Greet."}, TEXT]
    assert text_of(read) == "Hi"


@pytest.mark.parametrize("value", [None, 5, [], {}, [1, 2], {"a": 1}, [{"a": 1}]])
def test_what_holds_no_message_gives_none(value):
    assert read_messages(value) == []
    assert not is_message(value)
