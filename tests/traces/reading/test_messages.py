"""The same conversation in everybody's words."""

from __future__ import annotations

import json

import pytest

from traces.domain.reading.messages import finish_reason_of, read_messages
from traces.domain.view import Message, ToolCall

CALL = ToolCall("find", {"city": "Rome"}, "c1")
CONVERSATION = (
    Message("system", "Be brief."),
    Message("user", "Weather in Rome?"),
    Message("assistant", "I look.", tool_calls=(CALL,)),
    Message("tool", "sunny", call_id="c1"),
    Message("assistant", "It is sunny."),
)
ARGUMENTS = '{"city": "Rome"}'

OPENAI = [
    {"role": "developer", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Weather in Rome?"}]},
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "find", "arguments": ARGUMENTS},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
    {"role": "assistant", "content": "It is sunny."},
]
ANTHROPIC = {
    "system": [{"type": "text", "text": "Be brief."}],
    "messages": [
        {"role": "user", "content": "Weather in Rome?"},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {
                    "type": "tool_use",
                    "id": "c1",
                    "name": "find",
                    "input": {"city": "Rome"},
                },
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c1",
                    "content": [{"type": "text", "text": "sunny"}],
                }
            ],
        },
        {"role": "assistant", "content": [{"type": "text", "text": "It is sunny."}]},
    ],
}
GEMINI = {
    "config": {"system_instruction": "Be brief."},
    "contents": [
        {"role": "user", "parts": [{"text": "Weather in Rome?"}]},
        {
            "role": "model",
            "parts": [
                {"text": "I look."},
                {
                    "functionCall": {
                        "id": "c1",
                        "name": "find",
                        "args": {"city": "Rome"},
                    }
                },
            ],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"id": "c1", "response": "sunny"}}],
        },
        {"role": "model", "parts": [{"text": "It is sunny."}]},
    ],
}
OTEL = [
    {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
    {"role": "user", "parts": [{"type": "text", "content": "Weather in Rome?"}]},
    {
        "role": "assistant",
        "parts": [
            {"type": "text", "content": "I look."},
            {
                "type": "tool_call",
                "id": "c1",
                "name": "find",
                "arguments": {"city": "Rome"},
            },
        ],
    },
    {
        "role": "tool",
        "parts": [{"type": "tool_call_response", "id": "c1", "response": "sunny"}],
    },
    {"role": "assistant", "parts": [{"type": "text", "content": "It is sunny."}]},
]
BEDROCK = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"text": "Weather in Rome?"}]},
    {
        "role": "assistant",
        "content": [
            {"text": "I look."},
            {"toolUse": {"toolUseId": "c1", "name": "find", "input": {"city": "Rome"}}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"toolResult": {"toolUseId": "c1", "content": [{"text": "sunny"}]}}
        ],
    },
    {"role": "assistant", "content": [{"text": "It is sunny."}]},
]
RESPONSES = {
    "instructions": "Be brief.",
    "input": [
        {
            "role": "user",
            "content": [{"type": "input_text", "text": "Weather in Rome?"}],
        },
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "I look."}],
        },
        {
            "type": "function_call",
            "id": "fc_9",
            "call_id": "c1",
            "name": "find",
            "arguments": ARGUMENTS,
        },
        {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
        {"role": "assistant", "content": "It is sunny."},
    ],
}
VERCEL = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": [{"type": "text", "text": "Weather in Rome?"}]},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            {
                "type": "tool-call",
                "toolCallId": "c1",
                "toolName": "find",
                "input": {"city": "Rome"},
            },
        ],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool-result",
                "toolCallId": "c1",
                "output": {"type": "text", "value": "sunny"},
            }
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": "It is sunny."}]},
]


def constructed(kind, **kwargs):
    path = ["langchain", "schema", "messages", kind]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": kwargs}


LANGCHAIN_CALLS = [
    {"name": "find", "args": {"city": "Rome"}, "id": "c1", "type": "tool_call"}
]
LANGCHAIN = {
    "messages": [
        [
            constructed("SystemMessage", content="Be brief."),
            constructed("HumanMessage", content="Weather in Rome?"),
            constructed("AIMessage", content="I look.", tool_calls=LANGCHAIN_CALLS),
            constructed("ToolMessage", content="sunny", tool_call_id="c1", id="run-7"),
            constructed("AIMessageChunk", content="It is sunny."),
        ]
    ]
}
LANGCHAIN_DUMPED = [
    {"type": "system", "content": "Be brief."},
    {"type": "human", "content": "Weather in Rome?", "additional_kwargs": {}},
    {"type": "ai", "content": "I look.", "tool_calls": LANGCHAIN_CALLS},
    {"type": "tool", "content": "sunny", "tool_call_id": "c1", "status": "success"},
    {"type": "ai", "data": {"content": "It is sunny."}},
]

SHAPES = {
    "openai": OPENAI,
    "anthropic": ANTHROPIC,
    "gemini": GEMINI,
    "otel": OTEL,
    "bedrock": BEDROCK,
    "vercel": VERCEL,
    "langchain": LANGCHAIN,
    "langchain dumped": LANGCHAIN_DUMPED,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "encode",
    [lambda value: value, json.dumps, lambda value: json.dumps(json.dumps(value))],
    ids=["value", "text", "text in text"],
)
def test_one_conversation_in_everybodys_words(shape, encode):
    assert read_messages(encode(SHAPES[shape])) == CONVERSATION


def test_responses_have_calls_as_messages_of_their_own():
    found = read_messages(RESPONSES)
    assert found[2:4] == (
        Message("assistant", "I look."),
        Message("assistant", tool_calls=(CALL,)),
    )
    assert (*found[:2], *found[4:]) == (*CONVERSATION[:2], *CONVERSATION[3:])


@pytest.mark.parametrize(
    "answer",
    [
        "It is sunny.",
        {"choices": [{"message": {"role": "assistant", "content": "It is sunny."}}]},
        {"choices": [{"text": "It is sunny.", "index": 0}]},
        {
            "candidates": [
                {"content": {"role": "model", "parts": [{"text": "It is sunny."}]}}
            ]
        },
        {"role": "assistant", "content": [{"type": "text", "text": "It is sunny."}]},
        {"content": [{"type": "text", "text": "It is sunny."}]},
        {"generations": [[{"text": "It is sunny.", "type": "Generation"}]]},
        {
            "generations": [
                [
                    {
                        "text": "",
                        "message": constructed("AIMessage", content="It is sunny."),
                    }
                ]
            ]
        },
        {
            "output": [
                {"type": "message", "role": "assistant", "content": "It is sunny."}
            ]
        },
        [{"type": "text", "text": "It is sunny."}],
        ["It is sunny."],
    ],
)
def test_answers_of_a_model(answer):
    assert read_messages(answer, "assistant") == (Message("assistant", "It is sunny."),)


@pytest.mark.parametrize(
    "asked",
    [
        {"prompt": "Hi"},
        {"prompts": ["Hi"]},
        {"input": "Hi"},
        {"messages": "Hi"},
        {"messages": [{"role": "user", "content": "Hi"}], "model": "m"},
        {"contents": ["Hi"]},
    ],
)
def test_requests(asked):
    assert read_messages(asked)[-1] == Message("user", "Hi")


@pytest.mark.parametrize(
    "part",
    [
        {"type": "thinking", "thinking": "hm"},
        {"type": "reasoning", "content": "hm"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"text": "hm", "thought": True},
    ],
)
def test_thinking_stands_beside_the_answer(part):
    content = [part, {"type": "text", "text": "So."}]
    assert read_messages([{"role": "assistant", "content": content}]) == (
        Message("assistant", "So.", reasoning="hm"),
    )


def test_thinking_as_a_field():
    message = {"role": "assistant", "content": "So.", "reasoning_content": "hm"}
    assert read_messages([message])[0].reasoning == "hm"


@pytest.mark.parametrize(
    ("part", "word"),
    [
        ({"type": "image_url", "image_url": {"url": "x"}}, "image"),
        ({"type": "image", "source": {"data": "x"}}, "image"),
        ({"type": "input_audio", "input_audio": {}}, "audio"),
        ({"type": "blob", "modality": "video", "content": "x"}, "video"),
        ({"type": "uri", "mime_type": "image/png", "uri": "x"}, "image"),
        ({"inlineData": {"mimeType": "audio/wav", "data": "x"}}, "file"),
        ({"type": "document", "source": {}}, "file"),
        ({"type": "server_tool_call", "name": "web_search"}, "server_tool_call"),
        ({"type": "web_search_call", "id": "x"}, "web_search_call"),
        ({"type": "of_the_future", "payload": 1}, "of_the_future"),
    ],
)
def test_what_is_not_text_is_named(part, word):
    content = [part, {"type": "text", "text": "Look."}]
    assert read_messages([{"role": "user", "content": content}]) == (
        Message("user", "Look.", omitted=(word,)),
    )


def test_a_refusal_is_text():
    message = {"role": "assistant", "content": None, "refusal": "No."}
    assert read_messages([message]) == (Message("assistant", "No."),)


def test_a_summary_of_what_came_before_is_the_systems():
    parts = [{"type": "compaction", "content": "before"}]
    assert read_messages([{"role": "user", "parts": parts}]) == (
        Message("system", "before", name="compaction"),
    )


def test_results_of_several_tools_are_several_messages():
    results = [
        {"type": "tool_result", "tool_use_id": "a", "content": {"n": 1}},
        {"type": "tool_result", "tool_use_id": "b", "content": "two"},
        {"type": "text", "text": "Go on."},
    ]
    assert read_messages([{"role": "user", "content": results}]) == (
        Message("user", "Go on."),
        Message("tool", '{"n":1}', call_id="a"),
        Message("tool", "two", call_id="b"),
    )


def test_calls_written_into_the_text_of_a_message_are_calls():
    function = {"name": "find", "arguments": ARGUMENTS}
    text = json.dumps([{"function": function, "id": "c1", "type": "function"}])
    for role in ("assistant", "tool"):
        assert read_messages([{"role": role, "content": text}]) == (
            Message("assistant", tool_calls=(CALL,)),
        )


def test_text_that_only_looks_like_json_stays():
    for text in ('[{"name": "x"}]', '{"a": 1}', "[1, 2]"):
        message = {"role": "user", "content": text}
        assert read_messages([message]) == (Message("user", text),)


@pytest.mark.parametrize(
    "value", [None, 3, True, [], {}, {"a": {"b": 1}}, [[]], "", [None, 3]]
)
def test_what_is_no_conversation_gives_none(value):
    assert read_messages(value) == ()


def test_nesting_is_bounded():
    value = {"role": "user", "content": "deep"}
    for _ in range(50):
        value = {"message": value}
    assert read_messages(value) == ()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"choices": [{"finish_reason": "length"}]}, "length"),
        ({"candidates": [{"finishReason": "STOP"}]}, "STOP"),
        ([{"role": "assistant", "finish_reason": "stop"}], "stop"),
        ('{"stop_reason": "end_turn"}', "end_turn"),
        ("text", ""),
    ],
)
def test_finish_reasons(answer, reason):
    assert finish_reason_of(answer) == reason
