"""Langfuse's SDKs: ``langfuse.observation.*`` and ``langfuse.trace.*``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from traces.domain.reading.calls import read_tools, run_arguments
from traces.domain.reading.fields import Fields
from traces.domain.reading.usage import read_usage
from traces.domain.reading.values import (
    decimal,
    first_text,
    first_whole,
    given,
    mapping,
)
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Role, ToolCall, Usage

START = "langfuse.observation."
KINDS = {
    "generation": Role.LLM,
    "agent": Role.AGENT,
    "tool": Role.TOOL,
    "chain": Role.CHAIN,
    "retriever": Role.RETRIEVER,
    "embedding": Role.EMBEDDING,
    "guardrail": Role.GUARDRAIL,
    "evaluator": Role.EVALUATOR,
}
_RUNS = frozenset({Role.TOOL, Role.RETRIEVER})


def read_langfuse(span: SpanRecord) -> Fields:
    """Fields that the SDK's attributes give."""
    said = span.attributes
    if not any(key.startswith("langfuse.") for key in said):
        return {}
    kind = first_text(said, f"{START}type").casefold()
    found: Fields = {
        # A plain span says nothing of its role; another dialect may.
        "role": KINDS.get(kind),
        "input": given(said, f"{START}input", "langfuse.trace.input"),
        "output": given(said, f"{START}output", "langfuse.trace.output"),
        "model": first_text(said, f"{START}model.name", f"{START}model"),
        "usage": _usage(said),
        "tools": read_tools(given(said, f"{START}tool_definitions")),
        "error": _error(said),
    }
    if found["role"] in _RUNS:
        arguments, malformed = run_arguments(said.get(f"{START}input"))
        found["call"] = ToolCall("", arguments, "", malformed)
        found["input"] = arguments
    return found


def _error(said: Mapping[str, Json]) -> str:
    if first_text(said, f"{START}level").upper() != "ERROR":
        return ""
    return first_text(said, f"{START}status_message") or "error"


def _usage(said: Mapping[str, Json]) -> Usage:
    details = mapping(said.get(f"{START}usage_details"))
    usage = read_usage(details)
    cost = mapping(said.get(f"{START}cost_details"))
    usage = replace(usage, cost_usd=decimal(cost.get("total")))
    return _with_parts(usage, first_whole(details, "total"))


def _with_parts(usage: Usage, total: int | None) -> Usage:
    """Langfuse may count parts beside the input: then its total shows it."""
    parts = (usage.cached or 0) + (usage.cache_write or 0)
    counted = (usage.input or 0) + (usage.output or 0)
    if parts and usage.input is not None and total == counted + parts:
        return replace(usage, input=usage.input + parts)
    return usage
