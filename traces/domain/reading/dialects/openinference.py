"""OpenInference: ``openinference.span.kind``, flat dotted or nested attributes."""

from __future__ import annotations

from collections.abc import Mapping

from traces.domain.reading.calls import read_tools, run_arguments
from traces.domain.reading.fields import Fields
from traces.domain.reading.indexed import nested
from traces.domain.reading.messages import finish_reason_of, read_messages
from traces.domain.reading.values import (
    first,
    first_decimal,
    first_text,
    first_whole,
    given,
    mapping,
    objects,
    text,
    under,
)
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Message, Role, ToolCall, ToolDefinition, Usage

KINDS = {
    "LLM": Role.LLM,
    "AGENT": Role.AGENT,
    "CHAIN": Role.CHAIN,
    "PROMPT": Role.CHAIN,
    "TOOL": Role.TOOL,
    "RETRIEVER": Role.RETRIEVER,
    "EMBEDDING": Role.EMBEDDING,
    "RERANKER": Role.RERANKER,
    "GUARDRAIL": Role.GUARDRAIL,
    "EVALUATOR": Role.EVALUATOR,
}
RUNS = frozenset({Role.RETRIEVER, Role.EMBEDDING, Role.RERANKER})
ROOTS = frozenset(
    {
        "openinference",
        "input",
        "output",
        "llm",
        "tool",
        "tool_call",
        "retrieval",
        "embedding",
        "reranker",
        "agent",
        "graph",
    }
)
"""First parts of the keys of the convention."""
_VALUES = frozenset({"value", "parameters", "invocation_parameters", "json_schema"})
MAX_DELTAS = 8
"""More answers than that are the pieces of a streamed one."""


def read_openinference(span: SpanRecord) -> Fields:
    """Fields that OpenInference attributes give."""
    said = _flat(span.attributes)
    role = KINDS.get(first_text(said, "openinference.span.kind").upper())
    found: Fields = {
        "role": role,
        "input": given(said, "input.value"),
        "output": given(said, "output.value"),
        "agent": first_text(said, "agent.name"),
    }
    if role is Role.AGENT and not found["agent"]:
        found["agent"] = first_text(said, "graph.node.id")
    if role is Role.TOOL:
        found |= _tool(span, said)
    elif role in RUNS:
        found |= _lookup(span, said, role)
    if role is Role.LLM or (role is None and first_text(said, "llm.model_name")):
        found |= _model(said)
    return found


def _flat(attributes: Mapping[str, Json]) -> Mapping[str, Json]:
    """Nested attributes as dotted keys; lists and values stay whole."""
    if not any(isinstance(attributes.get(root), dict) for root in ROOTS):
        return attributes
    flat: dict[str, Json] = {}
    for key, value in attributes.items():
        if key in ROOTS and isinstance(value, dict):
            _flatten(flat, key, value)
        else:
            flat[key] = value
    return flat


def _flatten(flat: dict[str, Json], prefix: str, tree: dict[str, Json]) -> None:
    stack = [(prefix, tree)]
    while stack:
        path, level = stack.pop()
        for key, value in level.items():
            name = f"{path}.{key}"
            # Longer paths are no attribute of the convention.
            deep = name.count(".") > 4
            if isinstance(value, dict) and key not in _VALUES and not deep:
                stack.append((name, value))
            else:
                flat[name] = value


def _tool(span: SpanRecord, said: Mapping[str, Json]) -> Fields:
    parameters = given(said, "tool.parameters")
    schema = parameters if _is_schema(parameters) else given(said, "tool.json_schema")
    raw = first(said, "tool_call.function.arguments", "input.value")
    if raw is None and schema is not parameters:
        raw = parameters
    arguments, malformed = run_arguments(raw)
    name = first_text(said, "tool.name", "tool_call.function.name")
    call = ToolCall(
        name or span.name,
        arguments,
        first_text(said, "tool_call.id", "tool.id"),
        malformed,
    )
    known = ToolDefinition(call.name, first_text(said, "tool.description"), schema)
    described = bool(known.description) or schema is not None
    return {"call": call, "input": arguments, "tools": (known,) if described else ()}


def _is_schema(value: Json) -> bool:
    return isinstance(value, dict) and (
        isinstance(value.get("properties"), dict) or value.get("type") == "object"
    )


def _lookup(span: SpanRecord, said: Mapping[str, Json], role: Role | None) -> Fields:
    """A search, an embedding or a reranking: the query and what it gave."""
    start = f"{role!s}."
    query = given(said, "input.value", f"{start}query")
    if query is None:
        query = _texts(nested(said, "embedding.embeddings"), "embedding", "text")
    arguments = {"query": query} if isinstance(query, str) else query
    documents = nested(said, "retrieval.documents") or nested(
        said, "reranker.output_documents"
    )
    found: Fields = {
        "call": ToolCall(first_text(said, "tool.name") or span.name, arguments),
        "input": query,
        "model": first_text(said, f"{start}model_name"),
    }
    if documents is not None:
        found["output"] = [_document(one) for one in objects(documents)]
    return found


def _texts(value: Json, *path: str) -> Json:
    found = [text(under(one, *path)) for one in objects(value)]
    found = [one for one in found if one]
    return found[0] if len(found) == 1 else found or None


def _document(value: dict[str, Json]) -> Json:
    inner = value.get("document")
    said = inner if isinstance(inner, dict) else value
    known = ("id", "content", "score", "metadata")
    return {key: said[key] for key in known if said.get(key) is not None} or said


def _model(said: Mapping[str, Json]) -> Fields:
    answered = read_messages(
        nested(said, "llm.output_messages") or nested(said, "llm.completions"),
        "assistant",
    )
    asked = read_messages(nested(said, "llm.input_messages") or _prompts(said))
    invocation = mapping(said.get("llm.invocation_parameters"))
    tools = read_tools(nested(said, "llm.tools")) or read_tools(
        first(invocation, "tools", "functions")
    )
    return {
        "role": Role.LLM,
        "input_messages": asked,
        "output_messages": _undivided(answered),
        "tools": tools,
        "model": first_text(said, "llm.model_name"),
        "provider": first_text(said, "llm.provider", "llm.system"),
        "finish_reason": first_text(said, "llm.finish_reason")
        or finish_reason_of(said.get("output.value")),
        "usage": _usage(said),
    }


def _prompts(said: Mapping[str, Json]) -> Json:
    prompts = nested(said, "llm.prompts")
    inner = [under(one, "prompt", "text") for one in objects(prompts)]
    return [one for one in inner if one] or prompts


def _undivided(answered: tuple[Message, ...]) -> tuple[Message, ...]:
    """One message of the many pieces that a streamed answer came in."""
    pieces = len(answered) > MAX_DELTAS and all(
        one.role == "assistant" and not one.tool_calls for one in answered
    )
    if not pieces:
        return answered
    thought = "".join(one.reasoning for one in answered)
    return (Message("assistant", "".join(one.text for one in answered), thought),)


def _usage(said: Mapping[str, Json]) -> Usage:
    asked = "llm.token_count.prompt_details"
    answered = "llm.token_count.completion_details"
    return Usage(
        input=first_whole(said, "llm.token_count.prompt"),
        output=first_whole(said, "llm.token_count.completion"),
        cached=first_whole(said, f"{asked}.cache_read", f"{asked}.cache_input"),
        cache_write=first_whole(said, f"{asked}.cache_write"),
        reasoning=first_whole(said, f"{answered}.reasoning"),
        cost_usd=first_decimal(said, "llm.cost.total"),
    )
