"""OpenInference: ``openinference.span.kind``, flat dotted or nested attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traces.domain.reading.messages import read_arguments, read_messages, read_tools
from traces.domain.reading.values import (
    decimal,
    first,
    first_text,
    first_whole,
    nested,
    parsed,
    text,
    under,
)
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Role, ToolCall, Usage

KINDS = {
    "LLM": Role.LLM,
    "AGENT": Role.AGENT,
    "CHAIN": Role.CHAIN,
    "TOOL": Role.TOOL,
    "RETRIEVER": Role.RETRIEVER,
    "EMBEDDING": Role.EMBEDDING,
    "RERANKER": Role.RERANKER,
    "GUARDRAIL": Role.GUARDRAIL,
    "EVALUATOR": Role.EVALUATOR,
}
NEST = ("openinference", "input", "output", "llm", "tool", "metadata", "session", "user", "agent", "retrieval", "graph")


def flat(attributes: Mapping[str, Json]) -> Mapping[str, Json]:
    """Nested attributes (older exports) as dotted keys, one or two levels down."""
    if not any(isinstance(attributes.get(name), dict) for name in NEST):
        return attributes
    found: dict[str, Json] = {}
    for key, value in attributes.items():
        if key in NEST and isinstance(value, dict):
            for inner, below in value.items():
                found[f"{key}.{inner}"] = below
                if isinstance(below, dict):
                    found |= {f"{key}.{inner}.{k}": v for k, v in below.items()}
        else:
            found[key] = value
    return found


def read_openinference(span: SpanRecord) -> dict[str, Any]:
    """Fields that OpenInference attributes give; {} if there are none."""
    said = flat(span.attributes)
    role = KINDS.get(text(said.get("openinference.span.kind")).upper())
    if role is None and not any(k.startswith(("llm.", "input.", "output.", "tool.")) for k in said):
        return {}
    found: dict[str, Any] = {"role": role}
    given, answered = parsed(said.get("input.value")), parsed(said.get("output.value"))
    if given not in (None, ""):
        found["input"] = given
    if answered not in (None, ""):
        found["output"] = answered
    found["agent"] = first_text(said, "agent.name", "graph.node.id") if role is not Role.TOOL else ""
    if role in {Role.TOOL, Role.RETRIEVER, Role.EMBEDDING, Role.RERANKER}:
        found["call"] = _call(span, said, found.get("input"))
    if role is Role.LLM or (role is None and first_text(said, "llm.model_name")):
        found |= _model(said)
    return {key: value for key, value in found.items() if value not in (None, "", ())}


def _call(span: SpanRecord, said: Mapping[str, Json], given: Json) -> ToolCall:
    name = first_text(said, "tool.name", "tool_call.function.name") or span.name
    raw = first(said, "tool_call.function.arguments", "input.value", "tool.parameters")
    arguments, problem = read_arguments(raw if raw is not None else given)
    call_id = first_text(said, "tool_call.id", "tool.id", "tool_call.function.id")
    return ToolCall(name, arguments, call_id, problem)


def _model(said: Mapping[str, Json]) -> dict[str, Any]:
    given = read_messages(_unwrap(nested(said, "llm.input_messages")))
    answered = read_messages(_unwrap(nested(said, "llm.output_messages")), "assistant")
    invocation = parsed(said.get("llm.invocation_parameters"))
    tools = read_tools(_tools(nested(said, "llm.tools"))) or read_tools(under(invocation, "tools"))
    return {
        "role": Role.LLM,
        "input_messages": given,
        "output_messages": answered,
        "tools": tools,
        "model": first_text(said, "llm.model_name"),
        "provider": first_text(said, "llm.provider", "llm.system"),
        "finish_reason": first_text(said, "llm.finish_reason") or _finish(said),
        "usage": _usage(said),
    }


def _unwrap(value: Json) -> Json:
    """``{"message": {...}}`` items as messages; contents lists in order."""
    if not isinstance(value, list):
        return value
    return [_message(item.get("message", item)) if isinstance(item, dict) else item for item in value]


def _message(message: Json) -> Json:
    if not isinstance(message, dict):
        return message
    listed = message.get("contents")
    if isinstance(listed, list) and not message.get("content"):
        return message | {"content": listed}
    return message


def _tools(value: Json) -> Json:
    if not isinstance(value, list):
        return value
    found = []
    for item in value:
        schema = under(item, "tool", "json_schema") or under(item, "tool.json_schema")
        found.append(schema if schema is not None else item)
    return found


def _finish(said: Mapping[str, Json]) -> str:
    body = parsed(said.get("output.value"))
    choices = under(body, "choices")
    if isinstance(choices, list) and choices:
        return text(under(choices[0], "finish_reason"))
    return ""


def _usage(said: Mapping[str, Json]) -> Usage | None:
    detail = "llm.token_count.prompt_details"
    usage = Usage(
        input=first_whole(said, "llm.token_count.prompt"),
        output=first_whole(said, "llm.token_count.completion"),
        cached=first_whole(said, f"{detail}.cache_read", f"{detail}.cache_input"),
        cache_write=first_whole(said, f"{detail}.cache_write"),
        reasoning=first_whole(said, "llm.token_count.completion_details.reasoning"),
        cost_usd=decimal(first(said, "llm.cost.total", "llm.cost.total_cost")),
    )
    return None if usage == Usage() else usage
