"""OpenTelemetry's GenAI conventions: attributes, current and old names.

Messages as arrays, as JSON text or as indexed keys (``gen_ai.prompt.0.role``);
those in span events are in ``genai_events``.
"""

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
    strings,
)
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Message, Role, ToolCall, Usage

OPERATIONS = {
    "chat": Role.LLM,
    "text_completion": Role.LLM,
    "completion": Role.LLM,
    "generate_content": Role.LLM,
    "message": Role.LLM,
    "responses": Role.LLM,
    "invoke_agent": Role.AGENT,
    "agent": Role.AGENT,
    "create_agent": Role.CHAIN,
    "invoke_workflow": Role.CHAIN,
    "chain": Role.CHAIN,
    "plan": Role.CHAIN,
    "execute_tool": Role.TOOL,
    "tool": Role.TOOL,
    "embeddings": Role.EMBEDDING,
    "embedding": Role.EMBEDDING,
    "rerank": Role.RERANKER,
    "retrieval": Role.RETRIEVER,
    "retrieve": Role.RETRIEVER,
    "evaluate": Role.EVALUATOR,
    "transfer": Role.HANDOFF,
    "handoff": Role.HANDOFF,
}
_OLD_KINDS = {"chat": Role.LLM, "completion": Role.LLM, "embedding": Role.EMBEDDING,
              "rerank": Role.RERANKER}  # fmt: skip
_STARTS = ("gen_ai.", "llm.request.", "llm.usage.", "llm.prompts.", "llm.completions.")
_MODEL = ("gen_ai.response.model", "gen_ai.request.model", "llm.response.model",
          "llm.request.model")  # fmt: skip
_INDEXED = (
    "gen_ai.prompt",
    "gen_ai.completion",
    "llm.prompts.",
    "llm.completions.",
    "llm.request.functions",
)
_FINISH = (
    "gen_ai.response.finish_reasons",
    "gen_ai.response.finish_reason",
    "llm.response.finish_reason",
    "llm.response.stop_reason",
)
SYSTEM, ASKED, ANSWERED = (
    "gen_ai.system_instructions",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
)


def read_genai(span: SpanRecord) -> Fields:
    """Fields that the GenAI attributes give."""
    said = span.attributes
    if not any(key.startswith(_STARTS) for key in said):
        return {}
    asked, answered = messages_in(said)
    found: Fields = {"input_messages": asked, "output_messages": answered}
    if any(key.startswith(_INDEXED) for key in said):
        found |= _indexed(said, asked, answered)
    found |= {
        "role": _role(said, found),
        "agent": first_text(said, "gen_ai.agent.name"),
        "model": first_text(said, *_MODEL),
        "provider": first_text(said, "gen_ai.provider.name", "gen_ai.system"),
        "usage": _usage(said),
        "handoff_to": first_text(said, "gen_ai.handoff.to_agent"),
    }
    if not found.get("finish_reason"):
        found["finish_reason"] = _finish(said)
    definitions = first(said, "gen_ai.tool.definitions", "gen_ai.request.tools")
    if definitions is not None:
        found["tools"] = read_tools(definitions)
    if found["role"] in {Role.TOOL, Role.RETRIEVER}:
        found |= _tool(said, found["role"])
    return found


def _indexed(
    said: Mapping[str, Json],
    asked: tuple[Message, ...],
    answered: tuple[Message, ...],
) -> Fields:
    """Messages under keys with running numbers, or as whole values there."""
    found: Fields = {"tools": read_tools(nested(said, "llm.request.functions"))}
    # A whole value is what went in or out of any span, not only a model's.
    if said.get("gen_ai.prompt") is not None:
        found["input"] = given(said, "gen_ai.prompt")
    else:
        listed = nested(said, "gen_ai.prompt") or nested(said, "llm.prompts")
        found["input_messages"] = asked or read_messages(listed)
    if said.get("gen_ai.completion") is not None:
        found["output"] = given(said, "gen_ai.completion")
    else:
        listed = nested(said, "gen_ai.completion") or nested(said, "llm.completions")
        found["output_messages"] = answered or read_messages(listed, "assistant")
        found["finish_reason"] = finish_reason_of(listed)
    return found


def messages_in(
    said: Mapping[str, Json],
) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """What a model was given and what it answered, from attributes or an event."""
    system = read_messages(said.get(SYSTEM), "system")
    asked = read_messages(said.get(ASKED))
    if system and any(one.role == "system" for one in asked[:1]):
        system = ()
    return system + asked, read_messages(said.get(ANSWERED), "assistant")


def _role(said: Mapping[str, Json], found: Fields) -> Role | None:
    operation = first_text(said, "gen_ai.operation.name").casefold()
    known = OPERATIONS.get(operation) or _OLD_KINDS.get(
        first_text(said, "llm.request.type").casefold()
    )
    if known is not None:
        return known
    if first(said, "gen_ai.tool.name", "gen_ai.tool.call.id") is not None:
        return Role.TOOL
    asked = found.get("input_messages") or found.get("output_messages")
    return Role.LLM if asked or _is_model_call(said) else None


def _is_model_call(said: Mapping[str, Json]) -> bool:
    """Whether a model was asked and it is said what it used or why it stopped."""
    named = first(said, *_MODEL) is not None
    used = any(
        key.startswith(("gen_ai.usage.", "gen_ai.response.", "llm.usage."))
        for key in said
    )
    return (
        named
        and used
        and first(said, "gen_ai.provider.name", "gen_ai.system") is not None
    )


def _tool(said: Mapping[str, Json], role: Role | None) -> Fields:
    names = ("call.arguments", "arguments", "input")
    raw = first(said, *(f"gen_ai.tool.{name}" for name in names))
    if raw is None and role is Role.RETRIEVER:
        raw = first(said, "gen_ai.retrieval.query.text")
    arguments, malformed = run_arguments(raw)
    call = ToolCall(
        first_text(said, "gen_ai.tool.name", "gen_ai.data_source.id"),
        arguments,
        first_text(said, "gen_ai.tool.call.id"),
        malformed,
    )
    results = ("call.result", "result", "output", "message")
    keys = (*(f"gen_ai.tool.{name}" for name in results), "gen_ai.retrieval.documents")
    return {"call": call, "input": arguments, "output": given(said, *keys)}


def _finish(said: Mapping[str, Json]) -> str:
    stated = strings(first(said, *_FINISH))
    return stated[0] if stated else finish_reason_of(said.get(ANSWERED))


def _usage(said: Mapping[str, Json]) -> Usage:
    def tokens(*names: str) -> int | None:
        return first_whole(said, *(f"gen_ai.usage.{name}" for name in names))

    old = "llm.usage."
    return Usage(
        input=_either(
            tokens("input_tokens", "prompt_tokens"),
            first_whole(said, f"{old}prompt_tokens"),
        ),
        output=_either(
            tokens("output_tokens", "completion_tokens"),
            first_whole(said, f"{old}completion_tokens"),
        ),
        cached=tokens(
            "cache_read.input_tokens",
            "cache_read_input_tokens",
            "details.cache_read_tokens",
            "cached_tokens",
        ),
        cache_write=tokens(
            "cache_creation.input_tokens",
            "cache_write.input_tokens",
            "cache_creation_input_tokens",
            "details.cache_write_tokens",
        ),
        reasoning=tokens(
            "reasoning.output_tokens",
            "reasoning_tokens",
            "details.reasoning_tokens",
            "details.thoughts_tokens",
        ),
        cost_usd=first_decimal(
            said, "gen_ai.usage.cost", "gen_ai.usage.total_cost", "gen_ai.cost.total"
        ),
    )


def _either(value: int | None, other: int | None) -> int | None:
    return other if value is None else value
