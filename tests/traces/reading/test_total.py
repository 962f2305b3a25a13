"""Any attributes whatever give a view, the same one each time."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.reading.spans import view
from traces.domain.reading import read_span
from traces.domain.records import Scope, SpanEvent, SpanLink, SpanRecord, SpanStatus
from traces.domain.view import Message, SpanView

WORDS = st.sampled_from(
    ["", "user", "assistant", "tool", "LLM", "TOOL", "agent", "chat", "execute_tool", "{}", "[]",
     '{"messages": [{"role": "user"}]}', '[{"type": "text"}]', "{'a': 1}", '"x"', "[[[", "\ud800",
     "null", "-1", "1e999", "x" * 50, '{"choices": [{"message": {"content": [{"type": 3}]}}]}']
)  # fmt: skip
NAMES = st.sampled_from(
    ["role", "content", "parts", "type", "text", "name", "id", "tool_calls", "function", "arguments",
     "message", "messages", "kwargs", "lc", "data", "input", "output", "choices", "candidates",
     "generations", "args", "tool_call_id", "status", "isError", "error", "usage", "0", "1"]
)  # fmt: skip
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | WORDS
    | st.text(max_size=8)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4)
    ),
    max_leaves=12,
)
TEXTS = VALUES.map(lambda value: json.dumps(value, default=str))
KEYS = st.sampled_from(
    ["agenteval.step.type", "agenteval.depends_on", "agenteval.boundary", "agenteval.input",
     "openinference.span.kind", "openinference", "input.value", "output.value", "llm",
     "llm.input_messages", "llm.input_messages.0.message.role", "llm.output_messages.0.message",
     "llm.tools", "llm.tools.0.tool.json_schema", "llm.invocation_parameters", "tool.parameters",
     "retrieval.documents", "retrieval.documents.0.document.content", "embedding.embeddings",
     "llm.token_count.prompt", "metadata", "gen_ai.operation.name", "gen_ai.input.messages",
     "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.tool.definitions",
     "gen_ai.prompt", "gen_ai.prompt.0.content", "gen_ai.completion", "gen_ai.completion.0",
     "gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "gen_ai.usage.input_tokens",
     "gen_ai.response.finish_reasons", "llm.prompts.0.content", "llm.request.functions.0.name",
     "traceloop.span.kind", "traceloop.entity.input", "ai.operationId", "ai.prompt",
     "ai.prompt.messages", "ai.prompt.tools", "ai.response.toolCalls", "ai.values",
     "gcp.vertex.agent.llm_request", "gcp.vertex.agent.llm_response",
     "gcp.vertex.agent.tool_call_args", "gcp.vertex.agent.tool_response", "events",
     "all_messages_events", "model_request_parameters", "tool_arguments", "final_result", "tools",
     "langfuse.observation.type", "langfuse.observation.input", "langfuse.observation.output",
     "langfuse.observation.usage_details", "langfuse.observation.cost_details",
     "langfuse.trace.tags", "mlflow.spanType", "mlflow.spanInputs", "mlflow.spanOutputs",
     "mlflow.chat.messages", "mlflow.chat.tokenUsage", "langsmith.span.kind",
     "langsmith.span.tags", "span.type", "crew_key", "error.type", "http.method", ""]
)  # fmt: skip
ATTRIBUTES = st.dictionaries(KEYS, VALUES | TEXTS, max_size=8)
EVENTS = st.builds(
    SpanEvent,
    st.sampled_from(
        ["exception", "gen_ai.choice", "gen_ai.user.message", "gen_ai.tool.message", "tool.output",
         "gen_ai.client.inference.operation.details", "db.query.result", "x"]
    ),
    st.none(),
    st.dictionaries(NAMES | KEYS | st.just("body"), VALUES | TEXTS, max_size=4),
)  # fmt: skip
SPANS = st.builds(
    SpanRecord,
    st.just("t"),
    st.just("s"),
    name=st.sampled_from(
        ["", "chat", "claude_code.tool", "handoff to x", "execute_tool (merged tools)",
         "generate_content", "running 2 tools", "tool.a.b.success-1", "agent_run [a]", "A.run"]
    ),
    kind=st.integers(0, 5),
    status=st.sampled_from(SpanStatus),
    status_message=st.text(max_size=5),
    attributes=ATTRIBUTES,
    events=st.lists(EVENTS, max_size=3).map(tuple),
    links=st.lists(
        st.builds(SpanLink, st.just("t"), st.just("x"), st.dictionaries(KEYS, VALUES, max_size=1)),
        max_size=1,
    ).map(tuple),
    scope=st.builds(
        Scope,
        st.sampled_from(
            ["", "gcp.vertex.agent", "pydantic-ai", "openinference.instrumentation.beeai",
             "crewai.telemetry", "opentelemetry.instrumentation.httpx"]
        ),
        resource=st.dictionaries(KEYS, VALUES, max_size=2),
    ),
)  # fmt: skip


def check(found: SpanView) -> None:
    texts = (found.agent, found.error, found.model, found.provider, found.finish_reason,
             found.handoff_to, found.session, found.user, found.boundary)  # fmt: skip
    assert all(isinstance(text, str) for text in texts)
    assert all(isinstance(tag, str) for tag in found.tags)
    for message in (*found.input_messages, *found.output_messages):
        assert isinstance(message, Message)
        assert all(
            isinstance(one, str)
            for one in (message.role, message.text, message.call_id)
        )
        assert all(isinstance(call.name, str) for call in message.tool_calls)
    hash((found.role, found.usage, found.declared))


@settings(max_examples=200, deadline=None)
@given(SPANS)
def test_any_span_gives_a_view(span):
    found = read_span(span)
    check(found)
    assert repr(read_span(span)) == repr(found)


def seconds(attributes):
    begin = time.process_time()
    check(view(attributes))
    return time.process_time() - begin


DEEP = '{"a":' * 50_000
HOSTILE = {
    "deep text": lambda n: "[" * n,
    "deep objects": lambda n: '{"messages":' * n + "1" + "}" * n,
    "quotes": lambda n: '"\\' * n,
    "cut": lambda n: '[{"a":"' + "x," * n + "…[cut: 1 of 2 characters kept]",
    "cut commas": lambda n: "[" + "1," * n + "…[cut: 1 of 2 characters kept]",
    "cut brackets": lambda n: "[" * n + "…[cut: 1 of 2 characters kept]",
    "python": lambda n: "{'a': " + "-" * n + "1}",
    "arrows": lambda n: "→" * n,
    "spaces": lambda n: "[" + " " * n,
    "role": lambda n: "role='" * n,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_takes_linear_time(kind):
    text = HOSTILE[kind](100_000)
    keys = ["gen_ai.input.messages", "input.value", "gen_ai.tool.call.arguments",
            "langfuse.observation.input", "metadata", "traceloop.entity.input"]  # fmt: skip
    said = dict.fromkeys(keys, text) | {"gen_ai.tool.name": "f", "crew_key": "k"}
    assert seconds(said) < 5


def test_many_numbered_keys_take_linear_time():
    said = {"openinference.span.kind": "LLM"} | {
        f"llm.input_messages.{n}.message.content": "x" for n in range(20_000)
    }
    assert len(view(said).input_messages) == 20_000
    assert seconds(said) < 10


def test_levels_of_keys_are_bounded():
    said = {"openinference.span.kind": "LLM", "llm.input_messages" + ".0" * 50_000: "x"}
    check(view(said))
