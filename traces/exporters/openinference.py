"""Spans with OpenInference attributes, one a line, as Phoenix exports them.

What a sender wrote in another dialect is kept and said in this one beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

import orjson

from traces.domain.reading import read_span
from traces.domain.records import (
    Json,
    SpanEvent,
    SpanLink,
    SpanRecord,
    SpanStatus,
    TraceRecord,
)
from traces.domain.view import Message, Role, SpanView, ToolCall

KIND = "openinference.span.kind"
_KINDS = {
    Role.AGENT: "AGENT",
    Role.LLM: "LLM",
    Role.TOOL: "TOOL",
    Role.RETRIEVER: "RETRIEVER",
    Role.EMBEDDING: "EMBEDDING",
    Role.RERANKER: "RERANKER",
    Role.GUARDRAIL: "GUARDRAIL",
    Role.EVALUATOR: "EVALUATOR",
}
"""Everything else is a ``CHAIN``."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def lines(trace: TraceRecord) -> Iterator[bytes]:
    """A span a line; what concerns the whole trace has no place in it."""
    for span in trace.spans:
        yield orjson.dumps(_row(span), option=orjson.OPT_APPEND_NEWLINE)


def _row(span: SpanRecord) -> dict[str, Json]:
    said = dict(span.attributes)
    if KIND not in said:
        said = dict(_attributes(read_span(span))) | said
    row: dict[str, Json] = {
        "name": span.name,
        "context": _context(span),
        "span_kind": str(said[KIND]),
        "parent_id": span.parent_id,
        "start_time": _time(span.start_ns),
        "end_time": _time(span.end_ns),
        "status_code": "UNSET"
        if span.status is SpanStatus.UNSET
        else str(span.status).upper(),
        "status_message": span.status_message,
        "attributes": said,
        "events": [_event(event) for event in span.events],
    }
    if span.links:
        row["links"] = [
            {"context": _context(link), "attributes": dict(link.attributes)}
            for link in span.links
        ]
    if span.scope.resource:
        row["resource"] = {"attributes": dict(span.scope.resource)}
    return row


def _context(found: SpanRecord | SpanLink) -> dict[str, Json]:
    return {"trace_id": found.trace_id, "span_id": found.span_id}


def _time(ns: int | None) -> str | None:
    """ISO 8601 to the nanosecond; None where no calendar reaches."""
    if ns is None:
        return None
    try:
        second = _EPOCH + timedelta(seconds=ns // 10**9)
    except OverflowError:
        return None
    return f"{second:%Y-%m-%dT%H:%M:%S}.{ns % 10**9:09d}+00:00"


def _event(event: SpanEvent) -> dict[str, Json]:
    said = dict(event.attributes)
    return {"name": event.name, "timestamp": _time(event.time_ns), "attributes": said}


def _attributes(view: SpanView) -> Iterator[tuple[str, Json]]:
    """What a span says, in the words of the convention."""
    yield KIND, _KINDS.get(view.role, "CHAIN")
    yield from _value("input", view.input)
    yield from _value("output", view.output)
    if view.role is Role.LLM:
        yield from _messages("llm.input_messages", view.input_messages)
        yield from _messages("llm.output_messages", view.output_messages)
    elif view.call is not None:
        yield "tool.name", view.call.name
    named = {
        "agent.name": view.agent,
        "llm.model_name": view.model,
        "llm.provider": view.provider,
        "session.id": view.session,
        "user.id": view.user,
        "llm.token_count.prompt": view.usage.input,
        "llm.token_count.completion": view.usage.output,
        "llm.cost.total": view.usage.cost_usd,
    }
    yield from ((key, value) for key, value in named.items() if value not in ("", None))


def _value(side: str, value: Json) -> Iterator[tuple[str, Json]]:
    if value is None:
        return
    plain = isinstance(value, str)
    yield f"{side}.value", value if plain else orjson.dumps(value).decode()
    yield f"{side}.mime_type", "text/plain" if plain else "application/json"


def _messages(key: str, messages: Iterable[Message]) -> Iterator[tuple[str, Json]]:
    for place, message in enumerate(messages):
        start = f"{key}.{place}.message"
        yield f"{start}.role", message.role
        yield f"{start}.content", message.text
        if message.call_id:
            yield f"{start}.tool_call_id", message.call_id
        for number, call in enumerate(message.tool_calls):
            yield from _call(f"{start}.tool_calls.{number}.tool_call", call)


def _call(start: str, call: ToolCall) -> Iterator[tuple[str, Json]]:
    yield f"{start}.id", call.call_id
    yield f"{start}.function.name", call.name
    given = call.arguments
    text = given if isinstance(given, str) else orjson.dumps(given).decode()
    yield f"{start}.function.arguments", text
