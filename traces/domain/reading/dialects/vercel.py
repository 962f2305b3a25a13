"""The AI SDK of Vercel: ``ai.*``."""

from __future__ import annotations

from collections.abc import Mapping

from traces.domain.reading.calls import read_tools, run_arguments
from traces.domain.reading.fields import Fields
from traces.domain.reading.jsontext import parsed
from traces.domain.reading.messages import read_messages
from traces.domain.reading.values import (
    first,
    first_text,
    first_whole,
    given,
    strings,
)
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Message, Role, ToolCall, Usage

_STARTS = ("ai.generate", "ai.stream")


def read_vercel(span: SpanRecord) -> Fields:
    """Fields that the SDK's attributes give."""
    said = span.attributes
    named = first_text(said, "ai.operationId", "operation.name")
    operation = named.split(" ")[0]
    if not operation.startswith("ai."):
        return {}
    if operation == "ai.toolCall":
        return _tool(said)
    if operation.startswith("ai.embed"):
        return _embedding(said, operation)
    found = _model(said) if operation.startswith(_STARTS) else {}
    return found | {"role": _role(operation, said), "agent": _agent(said)}


def _role(operation: str, said: Mapping[str, Json]) -> Role:
    """The inner call asks a model; the outer one runs the loop around it."""
    if operation.rsplit(".", 1)[-1].startswith("do"):
        return Role.LLM
    return Role.AGENT if _agent(said) else Role.CHAIN


def _agent(said: Mapping[str, Json]) -> str:
    return first_text(said, "ai.telemetry.functionId", "resource.name")


def _tool(said: Mapping[str, Json]) -> Fields:
    raw = first(said, "ai.toolCall.args", "ai.toolCall.input")
    arguments, malformed = run_arguments(raw)
    call = ToolCall(
        first_text(said, "ai.toolCall.name"),
        arguments,
        first_text(said, "ai.toolCall.id"),
        malformed,
    )
    output = given(said, "ai.toolCall.result", "ai.toolCall.output")
    return {"role": Role.TOOL, "call": call, "input": arguments, "output": output}


def _embedding(said: Mapping[str, Json], operation: str) -> Fields:
    values = [parsed(one) for one in strings(said.get("ai.values"))]
    asked = given(said, "ai.value") or values or None
    inner = ".do" in operation
    return {
        "role": Role.EMBEDDING if inner else Role.CHAIN,
        "input": asked,
        "model": first_text(said, "ai.model.id"),
        "provider": first_text(said, "ai.model.provider"),
        "usage": Usage(input=first_whole(said, "ai.usage.tokens")),
    }


def _model(said: Mapping[str, Json]) -> Fields:
    answer: dict[str, Json] = {
        "role": "assistant",
        "content": first_text(
            said, "ai.response.text", "ai.response.object", "ai.result.text"
        ),
        "reasoning": first_text(said, "ai.response.reasoning"),
        "tool_calls": given(said, "ai.response.toolCalls", "ai.result.toolCalls"),
    }
    return {
        "input_messages": _asked(said),
        "output_messages": read_messages([answer], "assistant"),
        "tools": read_tools(_tool_texts(said.get("ai.prompt.tools"))),
        "model": first_text(said, "ai.response.model", "ai.model.id"),
        "provider": first_text(said, "ai.model.provider"),
        "finish_reason": first_text(
            said, "ai.response.finishReason", "ai.finishReason"
        ),
        "usage": _usage(said),
    }


def _asked(said: Mapping[str, Json]) -> tuple[Message, ...]:
    listed = said.get("ai.prompt.messages")
    return read_messages(listed or said.get("ai.prompt"))


def _tool_texts(value: Json) -> Json:
    value = parsed(value)
    return [parsed(one) for one in value] if isinstance(value, list) else value


def _usage(said: Mapping[str, Json]) -> Usage:
    def tokens(*names: str) -> int | None:
        return first_whole(said, *(f"ai.usage.{name}" for name in names))

    return Usage(
        input=tokens("inputTokens", "promptTokens"),
        output=tokens("outputTokens", "completionTokens"),
        cached=tokens("cachedInputTokens"),
        reasoning=tokens("reasoningTokens"),
    )
