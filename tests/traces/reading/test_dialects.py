"""What each dialect says, and how several on one span are merged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.traces.reading.spans import span, view
from traces.domain.reading import read_span
from traces.domain.records import SpanLink, SpanStatus
from traces.domain.view import Declared, Message, Role, ToolCall, ToolDefinition, Usage

ASKED = (Message("system", "Be brief."), Message("user", "Weather in Rome?"))
CALL = ToolCall("find", {"city": "Rome"}, "c1")
ANSWERED = (Message("assistant", "I look.", tool_calls=(CALL,)),)
ARGUMENTS = '{"city": "Rome"}'
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}

SYSTEM_PARTS = [{"type": "text", "content": "Be brief."}]
ASKED_PARTS = [
    {"role": "user", "parts": [{"type": "text", "content": "Weather in Rome?"}]}
]
ANSWERED_PARTS = [
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
        "finish_reason": "tool_call",
    }
]
FUNCTION = {"name": "find", "arguments": ARGUMENTS}
OPENAI_CALLS = [{"id": "c1", "type": "function", "function": FUNCTION}]
OPENAI_ASKED = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Weather in Rome?"},
]
OPENAI_ANSWER = {"role": "assistant", "content": "I look.", "tool_calls": OPENAI_CALLS}
DETAILS = "gen_ai.client.inference.operation.details"
MESSAGES = {
    "gen_ai.system_instructions": SYSTEM_PARTS,
    "gen_ai.input.messages": ASKED_PARTS,
    "gen_ai.output.messages": ANSWERED_PARTS,
}
MESSAGES_TEXT = {key: json.dumps(value) for key, value in MESSAGES.items()}
CHAT = {"gen_ai.operation.name": "chat"}

MODEL_CALLS: dict[str, dict[str, Any]] = {
    "arrays": {"attributes": CHAT | MESSAGES},
    "JSON text": {"attributes": CHAT | MESSAGES_TEXT},
    "JSON text in JSON text": {
        "attributes": CHAT
        | {key: json.dumps(text) for key, text in MESSAGES_TEXT.items()}
    },
    "one event": {"attributes": CHAT, "events": [(DETAILS, MESSAGES_TEXT)]},
    "one log record": {"attributes": CHAT, "events": [(DETAILS, MESSAGES)]},
    "events with attributes": {
        "attributes": CHAT,
        "events": [
            ("gen_ai.system.message", {"gen_ai.system": "x", "content": "Be brief."}),
            ("gen_ai.user.message", {"content": "Weather in Rome?"}),
            ("gen_ai.choice", {"index": 0, "message": json.dumps(OPENAI_ANSWER)}),
        ],
    },
    "events with bodies": {
        "attributes": CHAT,
        "events": [
            ("gen_ai.system.message", {"body": {"content": "Be brief."}}),
            ("gen_ai.user.message", {"body": {"content": "Weather in Rome?"}}),
            ("gen_ai.choice", {"body": {"index": 0, "message": OPENAI_ANSWER}}),
        ],
    },
    "events of the first convention": {
        "attributes": CHAT,
        "events": [
            ("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps(OPENAI_ASKED)}),
            (
                "gen_ai.content.completion",
                {"gen_ai.completion": json.dumps([OPENAI_ANSWER])},
            ),
        ],
    },
    "indexed keys": {
        "attributes": {
            "llm.request.type": "chat",
            "gen_ai.prompt.0.role": "system",
            "gen_ai.prompt.0.content": "Be brief.",
            "gen_ai.prompt.1.role": "user",
            "gen_ai.prompt.1.content": "Weather in Rome?",
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": "I look.",
            "gen_ai.completion.0.tool_calls.0.id": "c1",
            "gen_ai.completion.0.tool_calls.0.name": "find",
            "gen_ai.completion.0.tool_calls.0.arguments": ARGUMENTS,
        }
    },
    "oldest keys": {
        "attributes": {
            "llm.prompts.0.role": "system",
            "llm.prompts.0.content": "Be brief.",
            "llm.prompts.1.role": "user",
            "llm.prompts.1.content": "Weather in Rome?",
            "llm.completions.0.content": "I look.",
            "llm.completions.0.tool_calls.0": {"id": "c1", "function": FUNCTION},
        }
    },
    "whole prompt": {
        "attributes": {
            "langsmith.span.kind": "llm",
            "gen_ai.prompt": json.dumps({"messages": [OPENAI_ASKED]}),
            "gen_ai.completion": json.dumps({"choices": [{"message": OPENAI_ANSWER}]}),
        }
    },
    "openinference, flat": {
        "attributes": {
            "openinference.span.kind": "LLM",
            "llm.input_messages.0.message.role": "system",
            "llm.input_messages.0.message.content": "Be brief.",
            "llm.input_messages.1.message.role": "user",
            "llm.input_messages.1.message.contents.0.message_content.type": "text",
            "llm.input_messages.1.message.contents.0.message_content.text": "Weather in Rome?",
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": "I look.",
            "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "find",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": ARGUMENTS,
        }
    },
    "openinference, nested": {
        "attributes": {
            "openinference": {"span": {"kind": "LLM"}},
            "llm": {
                "input_messages": [{"message": one} for one in OPENAI_ASKED],
                "output_messages": [
                    {
                        "message": {
                            "role": "assistant",
                            "content": "I look.",
                            "tool_calls": [
                                {"tool_call": {"id": "c1", "function": FUNCTION}}
                            ],
                        }
                    }
                ],
            },
        }
    },
    "openinference, half nested": {
        "attributes": {
            "openinference.span.kind": "LLM",
            "llm.input_messages": [
                {"message.role": "system", "message.content": "Be brief."},
                {"message.role": "user", "message.content": "Weather in Rome?"},
            ],
            "llm.output_messages": [
                {
                    "message.content": "I look.",
                    "message.tool_calls": [
                        {
                            "tool_call.id": "c1",
                            "tool_call.function.name": "find",
                            "tool_call.function.arguments": ARGUMENTS,
                        }
                    ],
                }
            ],
        }
    },
    "openinference, values only": {
        "attributes": {
            "openinference.span.kind": "LLM",
            "input.value": json.dumps({"messages": OPENAI_ASKED, "model": "m"}),
            "output.value": json.dumps({"choices": [{"message": OPENAI_ANSWER}]}),
        }
    },
    "vercel": {
        "attributes": {
            "ai.operationId": "ai.generateText.doGenerate",
            "ai.prompt.messages": json.dumps(OPENAI_ASKED),
            "ai.response.text": "I look.",
            "ai.response.toolCalls": json.dumps(
                [{"toolCallId": "c1", "toolName": "find", "args": ARGUMENTS}]
            ),
        }
    },
    "adk": {
        "scope": "gcp.vertex.agent",
        "name": "call_llm",
        "attributes": {
            "gcp.vertex.agent.llm_request": json.dumps(
                {
                    "model": "g",
                    "config": {"system_instruction": "Be brief."},
                    "contents": [
                        {"role": "user", "parts": [{"text": "Weather in Rome?"}]}
                    ],
                }
            ),
            "gcp.vertex.agent.llm_response": json.dumps(
                {
                    "content": {
                        "role": "model",
                        "parts": [
                            {"text": "I look."},
                            {
                                "function_call": {
                                    "id": "c1",
                                    "name": "find",
                                    "args": {"city": "Rome"},
                                }
                            },
                        ],
                    }
                }
            ),
        },
    },
    "pydantic ai": {
        "scope": "pydantic-ai",
        "attributes": CHAT
        | {
            "events": json.dumps(
                [
                    {"event.name": "gen_ai.system.message", **OPENAI_ASKED[0]},
                    {"event.name": "gen_ai.user.message", **OPENAI_ASKED[1]},
                    {
                        "event.name": "gen_ai.choice",
                        "index": 0,
                        "message": OPENAI_ANSWER,
                    },
                ]
            )
        },
    },
    "langfuse": {
        "attributes": {
            "langfuse.observation.type": "generation",
            "langfuse.observation.input": json.dumps(OPENAI_ASKED),
            "langfuse.observation.output": json.dumps(OPENAI_ANSWER),
        }
    },
    "mlflow": {
        "attributes": {
            "mlflow.spanType": '"CHAT_MODEL"',
            "mlflow.spanInputs": json.dumps({"messages": OPENAI_ASKED}),
            "mlflow.spanOutputs": json.dumps({"choices": [{"message": OPENAI_ANSWER}]}),
        }
    },
    "mlflow, one conversation": {
        "attributes": {
            "mlflow.spanType": '"CHAT_MODEL"',
            "mlflow.chat.messages": json.dumps([*OPENAI_ASKED, OPENAI_ANSWER]),
        }
    },
}


@pytest.mark.parametrize("shape", MODEL_CALLS)
def test_one_model_call_in_every_shape(shape):
    said = dict(MODEL_CALLS[shape])
    found = view(said.pop("attributes"), **said)
    assert found.role is Role.LLM
    assert found.input_messages == ASKED
    assert found.output_messages == ANSWERED


TOOL_RUNS: dict[str, dict[str, Any]] = {
    "gen_ai": {
        "attributes": {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "find",
            "gen_ai.tool.call.id": "c1",
            "gen_ai.tool.call.arguments": ARGUMENTS,
            "gen_ai.tool.call.result": '{"sky": "clear"}',
        }
    },
    "gen_ai, messages": {
        "attributes": {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "find",
            "gen_ai.input.messages": json.dumps(
                [{"role": "tool", "parts": [ANSWERED_PARTS[0]["parts"][1]]}]
            ),
            "gen_ai.output.messages": json.dumps(
                [
                    {
                        "role": "tool",
                        "parts": [
                            {
                                "type": "tool_call_response",
                                "id": "c1",
                                "response": {"sky": "clear"},
                            }
                        ],
                    }
                ]
            ),
        }
    },
    "gen_ai, events": {
        "attributes": {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "find",
            "gen_ai.tool.call.id": "c1",
        },
        "events": [
            ("gen_ai.tool.message", {"role": "tool", "content": ARGUMENTS, "id": "c1"}),
            ("gen_ai.choice", {"message": '{"sky": "clear"}', "id": "c1"}),
        ],
    },
    "openinference": {
        "attributes": {
            "openinference.span.kind": "TOOL",
            "tool.name": "find",
            "tool.id": "c1",
            "input.value": ARGUMENTS,
            "output.value": '{"sky": "clear"}',
        }
    },
    "openinference by langchain": {
        "name": "find",
        "attributes": {
            "openinference.span.kind": "TOOL",
            "input.value": "{'city': 'Rome'}",
            "output.value": json.dumps(
                {"type": "tool", "content": '{"sky": "clear"}', "tool_call_id": "c1"}
            ),
        },
    },
    "openinference by newer langchain": {
        "name": "find",
        "attributes": {
            "openinference.span.kind": "TOOL",
            "input.value": "{'city': 'Rome'}",
            "output.value": json.dumps(
                {
                    "type": "tool",
                    "data": {"content": '{"sky": "clear"}', "tool_call_id": "c1"},
                }
            ),
        },
    },
    "openinference by smolagents": {
        "attributes": {
            "openinference.span.kind": "TOOL",
            "tool.name": "find",
            "tool_call.id": "c1",
            "input.value": '{"args": [], "sanitize_inputs_outputs": true, "kwargs": '
            + ARGUMENTS
            + "}",
            "output.value": '{"sky": "clear"}',
        }
    },
    "openllmetry": {
        "attributes": {
            "traceloop.span.kind": "tool",
            "traceloop.entity.name": "find",
            "traceloop.entity.input": '{"inputs": {"city": "Rome"}, "tags": []}',
            "traceloop.entity.output": '{"outputs": {"sky": "clear"}}',
            "gen_ai.tool.call.id": "c1",
        }
    },
    "vercel": {
        "attributes": {
            "ai.operationId": "ai.toolCall",
            "ai.toolCall.name": "find",
            "ai.toolCall.id": "c1",
            "ai.toolCall.args": ARGUMENTS,
            "ai.toolCall.result": '{"sky": "clear"}',
        }
    },
    "adk": {
        "scope": "gcp.vertex.agent",
        "name": "execute_tool find",
        "attributes": {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "find",
            "gen_ai.tool.call.id": "c1",
            "gcp.vertex.agent.llm_request": "{}",
            "gcp.vertex.agent.llm_response": "{}",
            "gcp.vertex.agent.tool_call_args": ARGUMENTS,
            "gcp.vertex.agent.tool_response": '{"sky": "clear"}',
        },
    },
    "pydantic ai": {
        "name": "running tool: find",
        "attributes": {
            "gen_ai.tool.call.id": "c1",
            "tool_arguments": ARGUMENTS,
            "tool_response": '{"sky": "clear"}',
        },
    },
    "langfuse": {
        "name": "find",
        "attributes": {
            "langfuse.observation.type": "tool",
            "langfuse.observation.input": ARGUMENTS,
            "langfuse.observation.output": '{"sky": "clear"}',
            "gen_ai.tool.call.id": "c1",
        },
    },
    "mlflow": {
        "name": "find",
        "attributes": {
            "mlflow.spanType": '"TOOL"',
            "mlflow.spanInputs": ARGUMENTS,
            "mlflow.spanOutputs": '{"sky": "clear"}',
            "gen_ai.tool.call.id": "c1",
        },
    },
    "langsmith": {
        "name": "find",
        "attributes": {
            "langsmith.span.kind": "tool",
            "gen_ai.prompt": '{"input": {"city": "Rome"}}',
            "gen_ai.completion": '{"output": {"sky": "clear"}}',
            "gen_ai.tool.call.id": "c1",
        },
    },
}


@pytest.mark.parametrize("shape", TOOL_RUNS)
def test_one_tool_run_in_every_shape(shape):
    said = dict(TOOL_RUNS[shape])
    found = view(said.pop("attributes"), **said)
    assert (found.role, found.call, found.error) == (Role.TOOL, CALL, "")
    assert found.output in ({"sky": "clear"}, '{"sky": "clear"}', '{"sky":"clear"}')


USAGES: dict[str, dict[str, Any]] = {
    "gen_ai": {
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 60,
        "gen_ai.usage.cache_creation.input_tokens": 10,
        "gen_ai.usage.reasoning.output_tokens": 5,
        "gen_ai.usage.cost": 0.5,
    },
    "gen_ai, old names": {
        "gen_ai.usage.prompt_tokens": "100",
        "gen_ai.usage.completion_tokens": "20",
        "gen_ai.usage.cache_read_input_tokens": 60,
        "gen_ai.usage.cache_creation_input_tokens": 10,
        "gen_ai.usage.reasoning_tokens": 5,
        "gen_ai.usage.total_cost": "0.5",
    },
    "openinference": {
        "llm.token_count.prompt": 100,
        "llm.token_count.completion": 20,
        "llm.token_count.total": 120,
        "llm.token_count.prompt_details.cache_read": 60,
        "llm.token_count.prompt_details.cache_write": 10,
        "llm.token_count.completion_details.reasoning": 5,
        "llm.cost.total": 0.5,
        "openinference.span.kind": "LLM",
    },
    "langfuse": {
        "langfuse.observation.type": "generation",
        "langfuse.observation.usage_details": json.dumps(
            {
                "input": 30,
                "output": 20,
                "cache_read_input_tokens": 60,
                "cache_creation_input_tokens": 10,
                "output_reasoning_tokens": 5,
                "total": 120,
            }
        ),
        "langfuse.observation.cost_details": '{"total": 0.5}',
    },
}


@pytest.mark.parametrize("shape", USAGES)
def test_usage_in_every_shape(shape):
    assert view(USAGES[shape]).usage == Usage(100, 20, 60, 10, 5, 0.5)


def test_cached_tokens_are_a_part_and_never_added():
    said = {
        "gen_ai.usage.input_tokens": 130_213,
        "gen_ai.usage.cache_read.input_tokens": 128_955,
        "gen_ai.usage.cache_creation.input_tokens": 1_253,
    }
    assert view(said).usage.input == 130_213


def test_parts_that_exceed_the_whole_were_not_in_it():
    said = {"span.type": "llm_request", "input_tokens": 10, "cache_read_tokens": 90}
    assert view(said, name="claude_code.llm_request").usage == Usage(100, None, 90)


def test_the_convention_wins_over_everything():
    found = view(
        {
            "agenteval.step.type": "PLAN",
            "agenteval.step.name": "outline",
            "agenteval.depends_on": ["a", "b"],
            "agenteval.input": '{"task": 1}',
            "agenteval.output": "Done.",
            "agenteval.agent": "planner",
            "agenteval.workflow": "w",
            "gen_ai.agent.name": "other",
            "input.value": "other",
            "output.value": "other",
            "openinference.span.kind": "CHAIN",
        }
    )
    assert found.declared == Declared("PLAN", ("a", "b"), "w", "outline")
    assert (found.agent, found.input, found.output) == ("planner", {"task": 1}, "Done.")
    assert found.role is Role.CHAIN


def test_a_link_declares_a_dependency_within_its_trace():
    kind = {"agenteval.link.kind": "depends_on"}
    links = (SpanLink("t", "x", kind), SpanLink("t", "y"), SpanLink("u", "z", kind))
    assert view(links=links).declared.depends_on == ("x",)


def test_a_workflow_may_be_declared_on_the_resource():
    assert view(resource={"agenteval.workflow": "w"}).declared.workflow == "w"


@pytest.mark.parametrize(
    ("step_type", "role"),
    [("PLAN", Role.LLM), ("EXEC", Role.TOOL), ("RETRIEVE", Role.CHAIN)],
)
def test_a_declared_step_has_a_role(step_type, role):
    assert view({"agenteval.step.type": step_type}).role is role


def test_boundaries():
    found = view({"agenteval.boundary": "user", "agenteval.output": "Hello"})
    assert (found.role, found.boundary, found.output) == (
        Role.BOUNDARY,
        "user",
        "Hello",
    )


def test_dialects_fill_in_what_others_lack():
    found = view(
        {
            "openinference.span.kind": "LLM",
            "llm.token_count.prompt": 7,
            "gen_ai.usage.cost": 0.25,
            "gen_ai.provider.name": "p",
            "gen_ai.output.messages": ANSWERED_PARTS,
        }
    )
    assert found.usage == Usage(input=7, cost_usd=0.25)
    assert (found.provider, found.output_messages) == ("p", ANSWERED)


def test_a_call_is_merged_part_by_part():
    found = view(
        {
            "openinference.span.kind": "TOOL",
            "input.value": "{}",
            "gen_ai.tool.name": "find",
            "gen_ai.tool.call.id": "c1",
        },
        name="",
    )
    assert found.call == ToolCall("find", {}, "c1")


def test_an_empty_result_is_a_result():
    assert view({"gen_ai.tool.name": "f", "gen_ai.tool.call.result": ""}).output == ""
    assert view({"gen_ai.tool.name": "f"}).output is None


def test_tools_that_a_model_could_choose():
    definition = {"name": "find", "description": "Finds.", "parameters": SCHEMA}
    openai = {"type": "function", "function": definition}
    tool = (ToolDefinition("find", "Finds.", SCHEMA),)
    for said in (
        CHAT | {"gen_ai.tool.definitions": json.dumps([definition])},
        {
            "openinference.span.kind": "LLM",
            "llm.tools.0.tool.json_schema": json.dumps(openai),
        },
        {
            "openinference.span.kind": "LLM",
            "llm.invocation_parameters": json.dumps({"tools": [openai]}),
        },
        {
            "openinference.span.kind": "LLM",
            "input.value": json.dumps({"messages": OPENAI_ASKED, "tools": [openai]}),
        },
        CHAT
        | {
            "llm.request.functions.0.name": "find",
            "llm.request.functions.0.description": "Finds.",
            "llm.request.functions.0.parameters": json.dumps(SCHEMA),
        },
        {
            "ai.operationId": "ai.streamText.doStream",
            "ai.prompt.tools": [json.dumps(definition | {"type": "function"})],
        },
        CHAT
        | {"model_request_parameters": json.dumps({"function_tools": [definition]})},
    ):
        assert view(said).tools == tool, said


def test_a_retriever_has_its_query_as_argument():
    found = view(
        {
            "openinference.span.kind": "RETRIEVER",
            "input.value": "capital of France",
            "retrieval.documents.0.document.id": "d1",
            "retrieval.documents.0.document.content": "Paris is …",
            "retrieval.documents.0.document.score": 0.9,
            "retrieval.documents.1.document.content": "Lyon is …",
        },
        name="kb",
    )
    assert found.call == ToolCall("kb", {"query": "capital of France"})
    assert found.output == [
        {"id": "d1", "content": "Paris is …", "score": 0.9},
        {"content": "Lyon is …"},
    ]


def test_a_reranker_and_an_embedding():
    found = view(
        {
            "openinference.span.kind": "RERANKER",
            "reranker.query": "q",
            "reranker.model_name": "m",
            "reranker.output_documents.0.document.content": "best",
        }
    )
    assert (found.role, found.input, found.model) == (Role.RERANKER, "q", "m")
    assert found.output == [{"content": "best"}]
    found = view(
        {
            "openinference.span.kind": "EMBEDDING",
            "embedding.model_name": "e",
            "embedding.embeddings.0.embedding.text": "q",
            "embedding.embeddings.0.embedding.vector": [0.1, 0.2],
        }
    )
    assert (found.role, found.input, found.output) == (Role.EMBEDDING, "q", None)


def test_a_tools_own_description():
    found = view(
        {
            "openinference.span.kind": "TOOL",
            "tool.name": "find",
            "tool.description": "Finds.",
            "tool.parameters": json.dumps(SCHEMA),
            "input.value": ARGUMENTS,
        }
    )
    assert found.tools == (ToolDefinition("find", "Finds.", SCHEMA),)
    assert found.call == ToolCall("find", {"city": "Rome"})


def test_streamed_pieces_are_one_answer():
    said = {"openinference.span.kind": "LLM"} | {
        f"llm.output_messages.{n}.message.content": word
        for n, word in enumerate(
            [
                "It",
                "is",
                "sunny",
                "in",
                "Rome",
                "to",
                "day",
                ",",
                "my",
                "dear",
                "friend",
                ".",
            ],
            233,
        )
    }
    assert view(said).output_messages == (
        Message("assistant", "ItissunnyinRometoday,mydearfriend."),
    )


def test_an_agents_request_and_answer_come_out_of_its_messages():
    found = view(
        {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "a",
            "gen_ai.input.messages": ASKED_PARTS,
            "gen_ai.output.messages": ANSWERED_PARTS,
        }
    )
    assert (found.role, found.agent) == (Role.AGENT, "a")
    assert (found.input, found.output) == ("Weather in Rome?", "I look.")


def test_pydantic_ai_keeps_the_whole_conversation_on_the_agent():
    talk = [
        *OPENAI_ASKED,
        OPENAI_ANSWER,
        {"role": "tool", "id": "c1", "content": "clear"},
    ]
    for key in ("all_messages_events", "pydantic_ai.all_messages"):
        found = view(
            {
                "agent_name": "a",
                key: json.dumps([*talk, {"role": "assistant", "content": "Sunny."}]),
                "final_result": "Sunny.",
            },
            name="agent run",
        )
        assert (found.role, found.agent) == (Role.AGENT, "a")
        assert (found.input, found.output) == ("Weather in Rome?", "Sunny.")


def test_vercels_outer_call_is_a_loop_around_the_inner_one():
    said = {"ai.operationId": "ai.generateText", "ai.prompt": '{"prompt": "Hi"}'}
    assert (view(said).role, view(said).input) == (Role.CHAIN, "Hi")
    found = view(said | {"ai.telemetry.functionId": "helper"})
    assert (found.role, found.agent) == (Role.AGENT, "helper")


def test_adks_inner_span_without_content_repeats_the_outer():
    inner = {
        "gen_ai.operation.name": "generate_content",
        "gen_ai.request.model": "g",
        "gen_ai.usage.output_tokens": 3,
    }
    name, scope = "generate_content g", "gcp.vertex.agent"
    elided = [("gen_ai.user.message", {"body": {"content": "<elided>"}})]
    assert view(inner, name=name, scope=scope).role is Role.PLUMBING
    assert view(inner, name=name, scope=scope, events=elided).role is Role.PLUMBING
    assert view(inner | MESSAGES, name=name, scope=scope).role is Role.LLM
    assert view(inner, name=name, scope="other").role is Role.LLM


def test_content_that_was_not_recorded_is_said():
    used = CHAT | {"gen_ai.usage.output_tokens": 3}
    elided = [("gen_ai.choice", {"body": {"content": "<elided>"}})]
    assert view(used).content_omitted
    assert view(CHAT, events=elided).content_omitted
    assert not view(used | MESSAGES).content_omitted
    assert not view(CHAT).content_omitted
    assert not view(used, status=SpanStatus.ERROR).content_omitted


def test_claude_codes_own_spans():
    asked = view(
        {"span.type": "interaction", "user_prompt": "Hi"},
        name="claude_code.interaction",
    )
    assert (asked.role, asked.input) == (Role.AGENT, "Hi")
    run = view(
        {
            "span.type": "tool",
            "tool_name": "Bash",
            "tool_use_id": "c1",
            "full_command": "ls",
        },
        name="claude_code.tool",
        events=[("tool.output", {"output": "a b"})],
    )
    assert run.call == ToolCall("Bash", {"command": "ls"}, "c1")
    assert run.output == "a b"
    waiting = view(
        {"span.type": "tool.blocked_on_user"}, name="claude_code.tool.blocked_on_user"
    )
    assert waiting.role is Role.PLUMBING
    failed = view(
        {"span.type": "tool.execution", "tool_use_id": "c1", "error": "no"},
        name="claude_code.tool.execution",
        status=SpanStatus.ERROR,
    )
    assert (failed.role, failed.error) == (Role.TOOL, "no")


def test_beeais_events_of_one_run():
    said = {"openinference.span.kind": "TOOL", "tool.parameters": '{"q": 1}'}
    scope = "openinference.instrumentation.beeai"
    found = view(said, name="tool.search.wikipedia.success-12", scope=scope)
    assert found.call == ToolCall("wikipedia", {"q": 1})
    assert (
        view(said, name="tool.search.wikipedia.start-12", scope=scope).role
        is Role.PLUMBING
    )


def test_a_search_in_a_vector_store_is_a_retrieval():
    found = view(
        {"db.system": "chroma", "db.vector.query.top_k": 2},
        name="chroma.query",
        events=[("db.query.result", {"db.query.result.document": "Paris is …"})],
    )
    assert (found.role, found.output) == (Role.RETRIEVER, [{"content": "Paris is …"}])


def test_session_user_tags_and_facts():
    found = view(
        {
            "langfuse.session.id": "s1",
            "user.id": "u1",
            "agenteval.tags": ["a", "b"],
            "agenteval.case.id": "c",
            "agenteval.trace.name": "n",
            "gen_ai.workflow.name": "w",
        },
        resource={
            "deployment.environment.name": "prod",
            "service.version": "2",
            "user.id": "r",
        },
    )
    assert (found.session, found.user, found.tags) == ("s1", "u1", ("a", "b"))
    assert found.metadata == {
        "case": "c",
        "name": "n",
        "environment": "prod",
        "version": "2",
    }


@pytest.mark.parametrize(
    "tags", [["x", "y"], '["x", "y"]', {"key": "langsmith.span.tags", "value": "x, y"}]
)
def test_tags_in_several_shapes(tags):
    said = (
        {tags["key"]: tags["value"]} if isinstance(tags, dict) else {"tag.tags": tags}
    )
    assert view(said).tags == ("x", "y")


def test_langgraphs_thread_is_a_session():
    assert view({"metadata": '{"thread_id": 7}'}).session == "7"


def test_the_order_of_attributes_does_not_matter():
    said = MODEL_CALLS["indexed keys"]["attributes"] | USAGES["openinference"]
    backward = dict(reversed(list(said.items())))
    assert read_span(span(said)) == read_span(span(backward))
