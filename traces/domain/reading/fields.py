"""What one dialect says of a span, and how several are put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields as fields_of
from typing import Any, TypedDict, cast

from traces.domain.records import Json
from traces.domain.view import (
    Declared,
    Message,
    Role,
    ToolCall,
    ToolDefinition,
    Usage,
)


class Fields(TypedDict, total=False):
    """Fields of a ``SpanView`` as far as a dialect says them."""

    role: Role | None
    agent: str
    input: Json
    output: Json
    input_messages: tuple[Message, ...]
    output_messages: tuple[Message, ...]
    call: ToolCall
    tools: tuple[ToolDefinition, ...]
    error: str
    model: str
    provider: str
    finish_reason: str
    usage: Usage
    declared: Declared
    handoff_to: str
    session: str
    user: str
    tags: tuple[str, ...]
    boundary: str
    content_omitted: bool
    metadata: Mapping[str, Json]


_EMPTY: tuple[Json, ...] = (None, "", (), [], {}, False)
_VALUES = frozenset({"input", "output"})


def merge(found: Iterable[Fields]) -> Fields:
    """Fields of several dialects, the earlier one's where two say something.

    Usage, call and metadata are merged part by part. An empty input or output
    stands (a tool may give nothing) unless a later dialect has one.
    """
    merged: dict[str, Any] = {}
    for fields in found:
        for name, value in fields.items():
            known = merged.get(name)
            if _says_nothing(name, value):
                continue
            if known is None or (name in _VALUES and known in _EMPTY):
                merged[name] = value
            elif name == "usage":
                merged[name] = _usage(known, cast("Usage", value))
            elif name == "call":
                merged[name] = _call(known, cast("ToolCall", value))
            elif name == "metadata":
                merged[name] = {**cast("dict[str, Json]", value), **known}
    return cast("Fields", merged)


def _says_nothing(name: str, value: object) -> bool:
    return value is None if name in _VALUES else value in _EMPTY


def _usage(known: Usage, other: Usage) -> Usage:
    parts = {name: getattr(known, name) for name in _USAGE}
    return Usage(
        **{
            name: getattr(other, name) if part is None else part
            for name, part in parts.items()
        }
    )


_USAGE = tuple(field.name for field in fields_of(Usage))


def _call(known: ToolCall, other: ToolCall) -> ToolCall:
    source = other if known.arguments is None else known
    return ToolCall(
        known.name or other.name,
        source.arguments,
        known.call_id or other.call_id,
        source.malformed,
    )
