"""OpenTelemetry's GenAI conventions in all the shapes they had.

Messages as arrays, as JSON text, as indexed keys (``gen_ai.prompt.0.role``),
as span events; current and old names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traces.domain.reading.messages import (
    read_arguments,
    read_messages,
    read_tools,
)
from traces.domain.reading.values import (
    decimal,
    first,
    first_text,
    first_whole,
    nested,
    parsed,
    strings,
    text,
)
from traces.domain.records import Json, SpanEvent, SpanRecord
from traces.domain.view import Message, Role, ToolCall, Usage

OPERATIONS = {
    "chat": Role.LLM,
    "text_completion": Role.LLM,
    "completion": Role.LLM,
    "generate_content": Role.LLM,
    "invoke_agent": Role.AGENT,
    "create_agent": Role.AGENT,
    "invoke_workflow": Role.CHAIN,
    "execute_tool": Role.TOOL,
    "embeddings": Role.EMBEDDING,
    "retrieval": Role.RETRIEVER,
    "transfer": Role.HANDOFF,
    "handoff": Role.HANDOFF,
}
INPUT_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.content.prompt": "user",
}
OUTPUT_EVENTS = frozenset({"gen_ai.choice", "gen_ai.content.completion"})
DETAILS = "gen_ai.client.inference.operation.details"


def read_genai(span: SpanRecord) -> dict[str, Any]:
    """Fields that the GenAI attributes and events give; {} if there are none."""
    said = span.attributes
    spoken = any(key.startswith(("gen_ai.", "llm.request.type")) for key in said)
    if not spoken and not any(e.name.startswith("gen_ai.") for e in span.events):
        return {}
    found: dict[str, Any] = {}
    operation = text(said.get("gen_ai.operation.name")).casefold()
    role = OPERATIONS.get(operation)
    if role is not None:
        found["role"] = role
    elif said.get("gen_ai.tool.name") is not None:
        found["role"] = Role.TOOL
    given, answered = _messages(span)
    found |= {"input_messages": given, "output_messages": answered}
    found |= {
        "agent": _agent(said, operation),
        "model": first_text(said, "gen_ai.response.model", "gen_ai.request.model"),
        "provider": first_text(said, "gen_ai.provider.name", "gen_ai.system"),
        "finish_reason": _finish(said, span.events),
        "usage": _usage(said),
        "tools": read_tools(
            first(said, "gen_ai.tool.definitions", "gen_ai.request.tools")
            or nested(said, "llm.request.functions")
        ),
    }
    if found.get("role") is Role.TOOL:
        found |= _tool(said)
    if "role" not in found and (given or answered or found["model"]):
        found["role"] = Role.LLM
    return {key: value for key, value in found.items() if value}


def _agent(said: Mapping[str, Json], operation: str) -> str:
    name = first_text(said, "gen_ai.agent.name", "gen_ai.agent.id")
    return name if operation != "execute_tool" or name else ""


def _tool(said: Mapping[str, Json]) -> dict[str, Any]:
    raw = first(said, "gen_ai.tool.call.arguments", "gen_ai.tool.arguments", "gen_ai.tool.input")
    arguments, problem = read_arguments(raw)
    call = ToolCall(
        first_text(said, "gen_ai.tool.name"),
        arguments,
        first_text(said, "gen_ai.tool.call.id"),
        problem,
    )
    result = first(said, "gen_ai.tool.call.result", "gen_ai.tool.result", "gen_ai.tool.output")
    found: dict[str, Any] = {"call": call}
    if result is not None:
        found["output"] = parsed(result)
    if arguments is not None:
        found["input"] = arguments
    return found


def _messages(span: SpanRecord) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    said = span.attributes
    details = [event.attributes for event in span.events if event.name == DETAILS]
    sources: list[Mapping[str, Json]] = [said, *details]
    given: tuple[Message, ...] = ()
    answered: tuple[Message, ...] = ()
    for source in sources:
        system = read_messages(source.get("gen_ai.system_instructions"), "system")
        listed = read_messages(source.get("gen_ai.input.messages"))
        given = given or (system + listed)
        answered = answered or read_messages(
            source.get("gen_ai.output.messages"), "assistant"
        )
    given = given or read_messages(nested(said, "gen_ai.prompt"))
    answered = answered or read_messages(nested(said, "gen_ai.completion"), "assistant")
    return given or _from_events(span.events, INPUT_EVENTS), answered or _choices(
        span.events
    )


def _from_events(
    events: tuple[SpanEvent, ...], roles: Mapping[str, str]
) -> tuple[Message, ...]:
    found: list[Message] = []
    for event in events:
        role = roles.get(event.name)
        if role is not None:
            found.extend(read_messages(_event_body(event), role))
    return tuple(found)


def _choices(events: tuple[SpanEvent, ...]) -> tuple[Message, ...]:
    found: list[Message] = []
    for event in events:
        if event.name in OUTPUT_EVENTS:
            found.extend(read_messages(_event_body(event), "assistant"))
    return tuple(found)


def _event_body(event: SpanEvent) -> Json:
    said = event.attributes
    body = parsed(first(said, "body", "gen_ai.event.content", "gen_ai.prompt", "gen_ai.completion"))
    if body is not None and body != "":
        return body
    plain = {key: parsed(value) for key, value in said.items() if not key.startswith("gen_ai.")}
    return plain if plain else None


def _finish(said: Mapping[str, Json], events: tuple[SpanEvent, ...]) -> str:
    reasons = strings(first(said, "gen_ai.response.finish_reasons", "gen_ai.response.finish_reason"))
    if reasons:
        return reasons[0]
    indexed = nested(said, "gen_ai.completion")
    for item in indexed if isinstance(indexed, list) else []:
        if isinstance(item, dict) and text(item.get("finish_reason")):
            return text(item["finish_reason"])
    found = (text(event.attributes.get("finish_reason")) for event in events)
    return next((reason for reason in found if reason), "")


def _usage(said: Mapping[str, Json]) -> Usage | None:
    usage = Usage(
        input=first_whole(said, "gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
        output=first_whole(said, "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
        cached=first_whole(said, "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens"),
        cache_write=first_whole(
            said, "gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens"
        ),
        reasoning=first_whole(said, "gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens"),
        cost_usd=decimal(first(said, "gen_ai.usage.cost", "gen_ai.cost.total", "gen_ai.usage.total_cost")),
    )
    return None if usage == Usage() else usage


