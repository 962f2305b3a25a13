from __future__ import annotations

import json

import pytest

from traces.domain.reading.calls import (
    asked_arguments,
    read_call,
    read_tools,
    run_arguments,
)
from traces.domain.view import ToolCall, ToolDefinition

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOL = ToolDefinition("find", "Finds.", SCHEMA)


@pytest.mark.parametrize(
    ("raw", "arguments", "malformed"),
    [
        ('{"a": 1}', {"a": 1}, ""),
        ({"a": 1}, {"a": 1}, ""),
        (json.dumps('{"a": 1}'), {"a": 1}, ""),
        ("", {}, ""),
        ("  ", {}, ""),
        (None, None, ""),
        ('{"a": 1', '{"a": 1', "not valid JSON"),
        ("{'a': 1}", "{'a': 1}", "not valid JSON"),
        ('{"a": "x\ny"}', '{"a": "x\ny"}', "not valid JSON"),
        ("5", 5, "not a JSON object"),
    ],
)
def test_arguments_that_a_model_wrote(raw, arguments, malformed):
    found, problem = asked_arguments(raw)
    assert found == arguments
    assert problem.startswith(malformed)
    assert bool(problem) == bool(malformed)


@pytest.mark.parametrize(
    ("raw", "arguments", "malformed"),
    [
        ('{"a": 1}', {"a": 1}, ""),
        ("{'a': None, 'b': (1, 2)}", {"a": None, "b": [1, 2]}, ""),
        ("just words", "just words", ""),
        (
            '{"args": [], "kwargs": {"a": 1}, "sanitize_inputs_outputs": true}',
            {"a": 1},
            "",
        ),
        ('{"args": [3], "kwargs": {"a": 1}}', {"args": [3], "a": 1}, ""),
        ('{"args": 3, "other": 1}', {"args": 3, "other": 1}, ""),
        ("{broken", "{broken", "not valid JSON"),
        ("{1, 2}", "{1, 2}", "not valid JSON"),
        ("{'a': " + "-" * 50_000 + "1}", None, "not valid JSON"),
        ("[" * 9_000 + "]" * 9_000, None, "not valid JSON"),
    ],
)
def test_arguments_that_an_instrumentation_noted(raw, arguments, malformed):
    found, problem = run_arguments(raw)
    assert found == (raw if arguments is None else arguments)
    assert problem.startswith(malformed)
    assert bool(problem) == bool(malformed)


@pytest.mark.parametrize(
    "call",
    [
        {
            "id": "c",
            "type": "function",
            "function": {"name": "f", "arguments": '{"a": 1}'},
        },
        {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}},
        {"type": "tool_call", "id": "c", "name": "f", "arguments": {"a": 1}},
        {
            "type": "function_call",
            "id": "x",
            "call_id": "c",
            "name": "f",
            "arguments": '{"a": 1}',
        },
        {"toolCallId": "c", "toolName": "f", "args": '{"a": 1}'},
        {"id": "c", "name": "f", "args": {"a": 1}},
        {"toolUseId": "c", "name": "f", "input": {"a": 1}},
        {"tool_call": {"id": "c", "function": {"name": "f", "arguments": '{"a": 1}'}}},
        '{"id": "c", "name": "f", "args": {"a": 1}}',
    ],
)
def test_calls_in_everybodys_words(call):
    assert read_call(call) == ToolCall("f", {"a": 1}, "c")


@pytest.mark.parametrize("call", [None, 3, [], {}, {"function": None}])
def test_what_is_no_call_has_no_name(call):
    assert read_call(call).name in {"", "3"}


@pytest.mark.parametrize(
    "tools",
    [
        [
            {
                "type": "function",
                "name": "find",
                "description": "Finds.",
                "parameters": SCHEMA,
            }
        ],
        [
            {
                "type": "function",
                "function": {
                    "name": "find",
                    "description": "Finds.",
                    "parameters": SCHEMA,
                },
            }
        ],
        [{"name": "find", "description": "Finds.", "input_schema": SCHEMA}],
        [{"name": "find", "description": "Finds.", "inputSchema": SCHEMA}],
        [{"name": "find", "description": "Finds.", "parameters_json_schema": SCHEMA}],
        [
            {
                "function_declarations": [
                    {"name": "find", "description": "Finds.", "parameters": SCHEMA}
                ]
            }
        ],
        [
            {
                "tool": {
                    "json_schema": json.dumps(
                        {
                            "type": "function",
                            "function": {
                                "name": "find",
                                "description": "Finds.",
                                "parameters": SCHEMA,
                            },
                        }
                    )
                }
            }
        ],
        [json.dumps({"name": "find", "description": "Finds.", "inputSchema": SCHEMA})],
        {"name": "find", "description": "Finds.", "parameters": SCHEMA},
    ],
)
def test_definitions_in_everybodys_words(tools):
    assert read_tools(tools) == (TOOL,)
    assert read_tools(json.dumps(tools)) == (TOOL,)


def test_the_first_definition_of_a_name_counts():
    assert read_tools([{"name": "a", "description": "1"}, {"name": "a"}]) == (
        ToolDefinition("a", "1"),
    )


@pytest.mark.parametrize("tools", [None, 3, "x", [None, 3], {"a": 1}])
def test_what_defines_nothing_gives_none(tools):
    assert read_tools(tools) == ()
