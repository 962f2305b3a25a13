"""One line of a session log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from traces.domain.records import Json, Reject, SpanStatus
from traces.importers.base import fit_id
from traces.importers.jsonstream import Item, digest
from traces.importers.messages import GenAiMessage, read_message, text_of
from traces.importers.times import nanoseconds
from traces.importers.values import amount, count, fields, first_text, kept, text

_RESULT_FACTS = (
    "status",
    "agentId",
    "totalDurationMs",
    "totalTokens",
    "totalToolUseCount",
    "interrupted",
    "durationMs",
    "numFiles",
)
_CACHES = {
    "cache_read": "cache_read_input_tokens",
    "cache_creation": "cache_creation_input_tokens",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line's ids and content.

    Attributes:
        value: The whole object.
        number: 0-based number in the file.
        session: Session, which is the trace; "" if the line names none.
        uuid: The line's own id, "" if it has none.
        span_id: Id of the span that begins here.
        parent: Id of the line before it; over a compaction, the logical one.
        leaf: The line that a summary is of.
        agent_id: Sub-agent, "" for the main agent or if unknown.
        side: Whether a sub-agent speaks.
        compacted: Whether it marks a compaction.
        summary: Whether it is the summary that a compaction left.
        message_id: Id of the model's answer, "" if it has none.
        message: What was said; empty if nothing was.
        time_ns: Unix nanoseconds, None if unknown.
        size: Bytes in the file.
        notes: What was changed in it.
    """

    value: dict[str, Json]
    number: int
    session: str
    uuid: str
    span_id: str
    parent: str
    leaf: str
    agent_id: str
    side: bool
    compacted: bool
    summary: bool
    message_id: str
    message: GenAiMessage
    time_ns: int | None
    size: int
    notes: tuple[Reject, ...]


def read_line(item: Item, number: int) -> Line:
    """Read a line that is an object with a type."""
    value = item.value
    uuid = fit_id(value.get("uuid"), fallback="")
    message = fields(value.get("message"))
    return Line(
        value=value,
        number=number,
        session=fit_id(value.get("sessionId"), fallback=""),
        uuid=uuid,
        span_id=uuid or f"line-{digest(value)}",
        parent=first_text(value, "parentUuid", "logicalParentUuid"),
        leaf=first_text(value, "leafUuid"),
        agent_id=fit_id(text(value.get("agentId")), fallback="")[:100],
        side=value.get("isSidechain") is True,
        compacted=text(value.get("subtype")).endswith("compact_boundary"),
        summary=value.get("isCompactSummary") is True,
        message_id=first_text(message, "id"),
        message=_message(message, value["type"]),
        time_ns=nanoseconds(value.get("timestamp")),
        size=item.size,
        notes=item.notes,
    )


def _message(message: dict[str, Json], kind: str) -> GenAiMessage:
    content = message.get("content")
    if kind not in {"user", "assistant"} or not content:
        return {}
    read = read_message({"role": kind, "content": content})
    return read if read["parts"] else {}


def usage_of(message: dict[str, Json], value: dict[str, Json]) -> dict[str, Json]:
    """Tokens and cost; cached tokens are counted beside the others there."""
    usage = fields(message.get("usage"))
    cached = {key: count(usage.get(name)) for key, name in _CACHES.items()}
    fresh = count(usage.get("input_tokens"))
    whole = None if fresh is None else fresh + sum(n or 0 for n in cached.values())
    cost = amount(value.get("costUSD"))
    return kept(
        {
            "gen_ai.usage.input_tokens": whole,
            "gen_ai.usage.output_tokens": count(usage.get("output_tokens")),
            "gen_ai.usage.cache_read.input_tokens": cached["cache_read"],
            "gen_ai.usage.cache_creation.input_tokens": cached["cache_creation"],
            "llm.cost.total": cost or None,
            "gen_ai.response.finish_reason": first_text(message, "stop_reason"),
        }
    )


def error_of(value: dict[str, Json], read: GenAiMessage) -> dict[str, Any]:
    """Status of an answer that only tells that the provider failed."""
    if value.get("isApiErrorMessage") is not True:
        return {}
    words = text_of(read)[:300] or "the provider failed"
    return {"status": SpanStatus.ERROR, "status_message": words}


def result_facts(result: dict[str, Json]) -> dict[str, Json]:
    """The short facts that Claude Code keeps beside a tool's answer."""
    return {
        f"claude_code.result.{key}": result[key]
        for key in _RESULT_FACTS
        if isinstance(result.get(key), str | int | float)
    }
