"""OpenLLMetry: ``traceloop.*``, and its spans of vector stores."""

from __future__ import annotations

from collections.abc import Mapping

from traces.domain.reading.calls import run_arguments
from traces.domain.reading.fields import Fields
from traces.domain.reading.values import first_text, given, text, under
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Role, ToolCall

KINDS = {
    "workflow": Role.CHAIN,
    "task": Role.CHAIN,
    "agent": Role.AGENT,
    "tool": Role.TOOL,
}
_VECTOR = ("db.vector.query.", "db.query.result.")


def read_openllmetry(span: SpanRecord) -> Fields:
    """Fields that OpenLLMetry's own attributes give."""
    said = span.attributes
    kind = first_text(said, "traceloop.span.kind").casefold()
    if not kind and "traceloop.entity.input" not in said:
        return _vector_search(span)
    role = KINDS.get(kind)
    name = first_text(said, "traceloop.entity.name")
    found: Fields = {
        "role": role,
        "input": _inner(given(said, "traceloop.entity.input"), "inputs"),
        "output": _inner(given(said, "traceloop.entity.output"), "outputs"),
    }
    if role is Role.TOOL:
        arguments, malformed = run_arguments(found["input"])
        found["call"] = ToolCall(name or span.name, arguments, "", malformed)
        found["input"] = arguments
    elif role is Role.AGENT:
        found["agent"] = name
    return found


def _inner(value: Json, key: str) -> Json:
    """What a callback of a framework wrapped once more."""
    inner = under(value, key)
    return value if inner is None else inner


def _vector_search(span: SpanRecord) -> Fields:
    if not _searches(span):
        return {}
    documents = [
        text(event.attributes.get("db.query.result.document"))
        for event in span.events
        if event.name == "db.query.result"
    ]
    found: Fields = {"role": Role.RETRIEVER}
    if any(documents):
        found["output"] = [{"content": one} for one in documents if one]
    return found


def _searches(span: SpanRecord) -> bool:
    said: Mapping[str, Json] = span.attributes
    return any(key.startswith(_VECTOR) for key in said) or any(
        event.name.startswith("db.query.") for event in span.events
    )
