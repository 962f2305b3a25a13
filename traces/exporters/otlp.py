"""OTLP/JSON: a trace is one request on one line, as the Collector writes files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from itertools import groupby

import orjson

from traces.domain.records import (
    Json,
    Scope,
    SpanEvent,
    SpanLink,
    SpanRecord,
    SpanStatus,
    TraceRecord,
)

DEEPEST = 50
"""Levels of a value; a level takes up to four of JSON, of which 254 can be written."""
INT64 = 2**63
_CODES = {SpanStatus.UNSET: 0, SpanStatus.OK: 1, SpanStatus.ERROR: 2}
_FACTS = {
    "name": "agenteval.trace.name",
    "workflow": "agenteval.workflow",
    "case": "agenteval.case.id",
    "run": "agenteval.run.id",
    "tags": "agenteval.tags",
    "outcome": "agenteval.outcome",
    "session": "session.id",
    "user": "user.id",
}
"""Facts about a trace as attributes of its resources (docs/convention.md)."""


def lines(trace: TraceRecord) -> Iterator[bytes]:
    """One ``ExportTraceServiceRequest``; labels have no place in it.

    Ids that OpenTelemetry doesn't allow are replaced by digests of them.
    """
    facts = {
        key: trace.attributes[name]
        for name, key in _FACTS.items()
        if trace.attributes.get(name)
    }
    found = [
        {
            "resource": {"attributes": _pairs(facts | dict(scope.resource))},
            "scopeSpans": [{"scope": _scope(scope), "spans": list(map(_span, spans))}],
        }
        for scope, spans in groupby(trace.spans, key=lambda span: span.scope)
    ]
    yield orjson.dumps({"resourceSpans": found}, option=orjson.OPT_APPEND_NEWLINE)


def trace_id_of(text: str) -> str:
    """A trace id as 32 hex digits."""
    return _hex(text, 32)


def span_id_of(text: str) -> str:
    """A span id as 16 hex digits."""
    return _hex(text, 16)


def _hex(text: str, digits: int) -> str:
    if re.fullmatch(rf"[0-9a-f]{{{digits}}}", text) and text.strip("0"):
        return text
    return hashlib.blake2b(text.encode(), digest_size=digits // 2).hexdigest()


def _scope(scope: Scope) -> dict[str, Json]:
    return {
        "name": scope.name,
        "version": scope.version,
        "attributes": _pairs(scope.attributes),
    }


def _span(span: SpanRecord) -> dict[str, Json]:
    said = dict(span.attributes)
    if span.position is not None:
        said["agenteval.position"] = span.position
    row: dict[str, Json] = {
        "traceId": trace_id_of(span.trace_id),
        "spanId": span_id_of(span.span_id),
        "parentSpanId": span_id_of(span.parent_id) if span.parent_id else "",
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.start_ns or 0),
        "endTimeUnixNano": str(span.end_ns or 0),
        "attributes": _pairs(said),
        "events": [_event(event) for event in span.events],
        "links": [_link(link) for link in span.links],
        "status": {"code": _CODES[span.status], "message": span.status_message},
    }
    return {key: value for key, value in row.items() if value not in ("", [])}


def _event(event: SpanEvent) -> dict[str, Json]:
    return {
        "timeUnixNano": str(event.time_ns or 0),
        "name": event.name,
        "attributes": _pairs(event.attributes),
    }


def _link(link: SpanLink) -> dict[str, Json]:
    return {
        "traceId": trace_id_of(link.trace_id),
        "spanId": span_id_of(link.span_id),
        "attributes": _pairs(link.attributes),
    }


def _pairs(values: Mapping[str, Json], level: int = 0) -> list[Json]:
    return [
        {"key": key, "value": _any_value(value, level)} for key, value in values.items()
    ]


def _any_value(value: Json, level: int) -> dict[str, Json]:
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, (bool, int, float)):
        return _number(value)
    if value is None:
        return {}
    if level >= DEEPEST:
        return {"stringValue": orjson.dumps(value).decode()}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": _pairs(value, level + 1)}}
    return {"arrayValue": {"values": [_any_value(one, level + 1) for one in value]}}


def _number(value: bool | int | float) -> dict[str, Json]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int) and -INT64 <= value < INT64:
        return {"intValue": str(value)}
    return {"doubleValue": float(value)}
