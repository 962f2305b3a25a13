"""Spans of every dialect read into one vocabulary (``traces.domain.view``).

Dialects on one span are merged field by field: the ``agenteval.*`` convention
first, then OpenInference, the GenAI conventions, the framework's own keys.
``read_span`` is total: it gives a view of any attributes whatever.
"""

from __future__ import annotations

from typing import Any

from traces.domain.reading.frameworks import flat_prompts, read_frameworks
from traces.domain.reading.genai import read_genai
from traces.domain.reading.native import read_common, read_error, read_native
from traces.domain.reading.openinference import read_openinference
from traces.domain.reading.values import text
from traces.domain.records import SpanRecord
from traces.domain.view import Role, SpanView, ToolCall

__all__ = ["read_span"]

PLUMBING_KEYS = (
    "http.",
    "url.",
    "rpc.",
    "db.",
    "messaging.",
    "network.",
    "faas.",
    "aws.",
    "net.",
)
TRANSFER = "transfer_to_"


def read_span(span: SpanRecord) -> SpanView:
    """What a span says, in our own words."""
    merged: dict[str, Any] = {}
    for fields in (
        read_native(span),
        read_openinference(span),
        read_genai(span),
        read_frameworks(span),
        flat_prompts(span.attributes),
        read_common(span),
    ):
        for key, value in fields.items():
            merged.setdefault(key, value)
    error = read_error(span)
    if error:
        merged["error"] = error
    merged["role"] = _role(span, merged)
    return SpanView(**_hand_off(span, _complete(span, merged)))


def _role(span: SpanRecord, merged: dict[str, Any]) -> Role:
    role = merged.get("role")
    if role is not None:
        return Role(role)
    if merged.get("declared") and merged["declared"].step_type:
        return Role.CHAIN
    said = span.attributes
    if merged.get("input") is None and any(key.startswith(PLUMBING_KEYS) for key in said):
        return Role.PLUMBING
    return Role.CHAIN


def _complete(span: SpanRecord, merged: dict[str, Any]) -> dict[str, Any]:
    """Give tool spans a call even where only the name of the span says which."""
    if merged["role"] is Role.TOOL and "call" not in merged:
        name = span.name.removeprefix("execute_tool ")
        merged["call"] = ToolCall(name, merged.get("input"))
    if merged["role"] is Role.AGENT and not merged.get("agent"):
        merged["agent"] = span.name.removeprefix("invoke_agent ").strip()
    return merged


def _hand_off(span: SpanRecord, merged: dict[str, Any]) -> dict[str, Any]:
    """Tools that pass control (``transfer_to_x``) and hand-off spans."""
    call = merged.get("call")
    if merged["role"] is Role.TOOL and call and call.name.startswith(TRANSFER):
        target = call.name.removeprefix(TRANSFER)
        if isinstance(call.arguments, dict):
            target = text(call.arguments.get("agent_name")) or target
        merged.setdefault("handoff_to", target)
    if merged["role"] is Role.HANDOFF:
        merged.setdefault("handoff_to", span.name.split("→")[-1].strip())
    return merged
