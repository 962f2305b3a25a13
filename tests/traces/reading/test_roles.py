from __future__ import annotations

import pytest

from tests.traces.reading.spans import view
from traces.domain.records import SpanStatus
from traces.domain.view import Role

CHAT = {"gen_ai.operation.name": "chat"}


@pytest.mark.parametrize(
    ("attributes", "role"),
    [
        ({"gen_ai.operation.name": "chat"}, Role.LLM),
        ({"gen_ai.operation.name": "generate_content"}, Role.LLM),
        ({"gen_ai.operation.name": "invoke_agent"}, Role.AGENT),
        ({"gen_ai.operation.name": "create_agent"}, Role.CHAIN),
        ({"gen_ai.operation.name": "invoke_workflow"}, Role.CHAIN),
        ({"gen_ai.operation.name": "embeddings"}, Role.EMBEDDING),
        ({"gen_ai.operation.name": "of_the_future"}, Role.CHAIN),
        ({"llm.request.type": "rerank"}, Role.RERANKER),
        ({"openinference.span.kind": "GUARDRAIL"}, Role.GUARDRAIL),
        ({"openinference.span.kind": "EVALUATOR"}, Role.EVALUATOR),
        ({"openinference.span.kind": "prompt"}, Role.CHAIN),
        ({"traceloop.span.kind": "agent"}, Role.AGENT),
        ({"langfuse.observation.type": "agent"}, Role.AGENT),
        ({"langfuse.observation.type": "span"}, Role.CHAIN),
        ({"langfuse.observation.type": "span", **CHAT}, Role.LLM),
        ({"mlflow.spanType": '"PARSER"'}, Role.CHAIN),
        ({"langsmith.span.kind": "retriever"}, Role.RETRIEVER),
        ({"gen_ai.request.model": "m", "gen_ai.system": "s", "gen_ai.usage.input_tokens": 1}, Role.LLM),
        ({"gen_ai.usage.input_tokens": 1}, Role.CHAIN),
        ({"gen_ai.agent.name": "a"}, Role.CHAIN),
        ({}, Role.CHAIN),
        ({"app.step": 3}, Role.CHAIN),
    ],
)  # fmt: skip
def test_roles(attributes, role):
    assert view(attributes).role is role


@pytest.mark.parametrize(
    "attributes",
    [
        {"http.request.method": "POST", "http.route": "/ask"},
        {"url.full": "http://x"},
        {"rpc.system": "grpc"},
        {"db.system": "postgresql", "db.statement": "SELECT 1"},
        {"messaging.system": "kafka"},
        {"net.peer.name": "x"},
        {"asgi.event.type": "http.response.body"},
        {"http.method": "GET", "session.id": "s", "user.id": "u"},
        {"http.method": "GET", "gen_ai.agent.id": "a"},
    ],
)
def test_servers_and_clients_are_plumbing(attributes):
    assert view(attributes, kind=2).role is Role.PLUMBING


@pytest.mark.parametrize(
    "scope",
    [
        "opentelemetry.instrumentation.fastapi",
        "opentelemetry.instrumentation.httpx",
        "@opentelemetry/instrumentation-undici",
        "go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp",
        "go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc",
    ],
)
def test_instrumentations_of_transport_are_plumbing(scope):
    assert view(scope=scope).role is Role.PLUMBING


def test_an_agent_behind_a_web_request_is_an_agent():
    said = {
        "gen_ai.operation.name": "invoke_agent",
        "server.address": "x",
        "http.method": "POST",
    }
    assert view(said).role is Role.AGENT


def test_a_plain_span_that_says_something_is_a_chain():
    assert view({"input.value": "x", "http.method": "POST"}).role is Role.CHAIN


@pytest.mark.parametrize(
    ("name", "attributes", "target"),
    [
        ("x", {"gen_ai.tool.name": "transfer_to_billing"}, "billing"),
        (
            "x",
            {
                "gen_ai.tool.name": "transfer_to_agent",
                "gen_ai.tool.call.arguments": '{"agent_name": "billing"}',
            },
            "billing",
        ),
        ("handoff to billing", {"openinference.span.kind": "TOOL"}, "billing"),
        ("Handoff: triage → billing", {}, "billing"),
        ("h", {"gen_ai.operation.name": "handoff", "gen_ai.handoff.to_agent": "billing"}, "billing"),
        ("x", {"agenteval.handoff_to": "billing"}, "billing"),
    ],
)  # fmt: skip
def test_hand_offs(name, attributes, target):
    found = view(attributes, name=name)
    assert (found.role, found.handoff_to) == (Role.HANDOFF, target)


def test_passing_on_to_people_is_a_tool_like_others():
    found = view({"gen_ai.tool.name": "transfer_to_human_agents"})
    assert (found.role, found.handoff_to) == (Role.TOOL, "")


def test_an_addressed_turn_of_a_model_stays_a_models():
    found = view(CHAT | {"agenteval.handoff_to": "billing"})
    assert (found.role, found.handoff_to) == (Role.LLM, "billing")


@pytest.mark.parametrize(
    ("name", "attributes", "agent"),
    [
        ("invoke_agent", {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}, "a"),
        ("invoke_agent a", {"gen_ai.operation.name": "invoke_agent"}, "a"),
        ("x", {"openinference.span.kind": "AGENT", "agent.name": "a"}, "a"),
        ("x", {"openinference.span.kind": "AGENT", "graph.node.id": "a"}, "a"),
        ("CodeAgent.run", {"openinference.span.kind": "AGENT"}, "CodeAgent"),
        ("Writer._execute_core", {"openinference.span.kind": "AGENT"}, "Writer"),
        (
            "Task._execute_core",
            {"openinference.span.kind": "AGENT", "task_key": "k",
             "input.value": "{\"agent\": \"id=1 role='Writer' goal='x'\"}"},
            "Writer",
        ),
        ("x", {"traceloop.span.kind": "agent", "traceloop.entity.name": "a"}, "a"),
        ("ChatOpenAI", CHAT | {"metadata": '{"langgraph_node": "writer"}'}, "writer"),
        (
            "ChatOpenAI",
            CHAT | {"metadata": '{"langgraph_node": "agent", '
                    '"langgraph_checkpoint_ns": "writer:1|agent:2"}'},
            "writer",
        ),
        ("x", CHAT | {"langsmith.metadata.langgraph_node": "writer"}, "writer"),
        ("x", {"metadata": '{"langgraph_node": "tools"}'}, ""),
        ("x", {"metadata": '{"node": "writer"}'}, ""),
        ("x", CHAT, ""),
    ],
)  # fmt: skip
def test_who_acts(name, attributes, agent):
    assert view(attributes, name=name).agent == agent


EXCEPTION = (
    "exception",
    {"exception.type": "ToolError", "exception.message": "timed out"},
)
TOOL = {"gen_ai.tool.name": "f"}


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"status": SpanStatus.ERROR, "status_message": "boom"}, "boom"),
        ({"status": SpanStatus.ERROR}, "error"),
        ({"status": SpanStatus.ERROR, "events": [EXCEPTION]}, "ToolError: timed out"),
        (
            {"status": SpanStatus.ERROR, "status_message": "ToolError: timed out",
             "events": [EXCEPTION]},
            "ToolError: timed out",
        ),
        (
            {"status": SpanStatus.ERROR, "status_message": "failed", "events": [EXCEPTION]},
            "failed: ToolError: timed out",
        ),
        ({"events": [EXCEPTION]}, "ToolError: timed out"),
        ({"events": [("exception", {})]}, "exception"),
        ({"status": SpanStatus.OK, "events": [EXCEPTION]}, ""),
        ({"attributes": TOOL | {"error.type": "timeout"}}, "timeout"),
        ({}, ""),
    ],
)  # fmt: skip
def test_the_sources_own_words_for_a_failure(more, error):
    attributes = more.get("attributes", TOOL)
    rest = {key: value for key, value in more.items() if key != "attributes"}
    assert view(attributes, **rest).error == error


@pytest.mark.parametrize(
    ("result", "error"),
    [
        ({"isError": True, "content": "no such file"}, "no such file"),
        ({"is_error": True, "error": "bad"}, "bad"),
        (
            {"tool_call_id": "c", "type": "tool", "status": "error", "content": "bad"},
            "bad",
        ),
        ({"isError": False, "content": "Error: x"}, ""),
        ({"error": "not found"}, ""),
        ({"status": "error"}, ""),
        ("Error: not found", ""),
    ],
)
def test_only_a_flag_makes_a_result_an_error(result, error):
    assert view(TOOL | {"gen_ai.tool.call.result": result}).error == error


def test_a_failed_tool_says_what_its_result_says():
    found = view(
        TOOL | {"gen_ai.tool.call.result": '{"error": "no ticker XYZ"}'},
        status=SpanStatus.ERROR,
        status_message="TOOL_ERROR",
    )
    assert found.error == "TOOL_ERROR: no ticker XYZ"


def test_langfuses_level_is_a_failure():
    said = {
        "langfuse.observation.type": "tool",
        "langfuse.observation.level": "ERROR",
        "langfuse.observation.status_message": "boom",
    }
    assert view(said).error == "boom"


def test_malformed_arguments_keep_their_text():
    call = {"type": "tool_call", "id": "c", "name": "f", "arguments": '{"a": '}
    said = CHAT | {"gen_ai.output.messages": [{"role": "assistant", "parts": [call]}]}
    (found,) = view(said).output_messages[0].tool_calls
    assert found.arguments == '{"a": '
    assert found.malformed.startswith("not valid JSON")
