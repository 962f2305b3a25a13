"""AgentEval's own files: one JSON object a line, nothing lost.

A trace is a line of kind ``trace``, then its reference labels, then its spans
in their order. Keys are sorted, there is no white space, fields that hold
their default are left out: the same trace is always the same bytes.
The format is described in docs/formats/agenteval.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import BinaryIO

import orjson

from traces.domain.records import (
    NO_SCOPE,
    Json,
    ReferenceLabel,
    Reject,
    Scope,
    SpanEvent,
    SpanLink,
    SpanRecord,
    SpanStatus,
    TraceRecord,
)
from traces.importers.base import LONGEST_ID, Limits, Sample
from traces.importers.jsonstream import Item, JsonSource

NAME = "agenteval"
LABEL = "AgentEval"

VERSION = 1
_KINDS = ("trace", "label", "span")
HIGHEST_KIND = 5


def recognises(sample: Sample) -> bool:
    """A line that says so, or one of a file whose first line was lost."""
    first = sample.first
    if not isinstance(first, dict):
        return False
    return "agenteval" in first or (first.get("kind") in _KINDS and "trace_id" in first)


def write(trace: TraceRecord) -> bytes:
    """A trace as lines, each with its line break."""
    return b"".join(lines(trace))


def lines(trace: TraceRecord) -> Iterator[bytes]:
    """The lines of a trace one by one."""
    scopes: dict[str, int] = {}
    rows = [_span_row(span, _scope_number(span.scope, scopes)) for span in trace.spans]
    yield _line(
        {
            "agenteval": VERSION,
            "kind": "trace",
            "trace_id": trace.trace_id,
            "attributes": dict(trace.attributes),
            "scopes": [orjson.loads(text) for text in scopes],
        }
    )
    for label in trace.labels:
        yield _line({"kind": "label", "trace_id": trace.trace_id} | _label_row(label))
    for row in rows:
        yield _line({"kind": "span", "trace_id": trace.trace_id} | row)


def _line(row: Mapping[str, Json]) -> bytes:
    kept = {key: value for key, value in row.items() if not _is_default(value)}
    return orjson.dumps(kept, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def _is_default(value: Json) -> bool:
    return value is None or value in ("", [], {})


def _label_row(label: ReferenceLabel) -> dict[str, Json]:
    return {
        "label": label.kind,
        "value": label.value,
        "source": label.source,
        "span_id": label.span_id,
        "note": label.note,
    }


def _scope_number(scope: Scope, known: dict[str, int]) -> int | None:
    """Place of a scope in the table of its trace, added where it is new."""
    if scope == NO_SCOPE:
        return None
    row = {
        "name": scope.name,
        "version": scope.version,
        "attributes": dict(scope.attributes),
        "resource": dict(scope.resource),
    }
    return known.setdefault(_line(row).decode(), len(known))


def _span_row(span: SpanRecord, scope: int | None) -> dict[str, Json]:
    return {
        "span_id": span.span_id,
        "parent_id": span.parent_id,
        "name": span.name,
        "span_kind": span.kind or None,
        "start_ns": span.start_ns,
        "end_ns": span.end_ns,
        "status": None if span.status is SpanStatus.UNSET else str(span.status),
        "status_message": span.status_message,
        "attributes": dict(span.attributes),
        "events": [_event_row(event) for event in span.events],
        "links": [_link_row(link) for link in span.links],
        "scope": scope,
        "position": span.position,
    }


def _event_row(event: SpanEvent) -> dict[str, Json]:
    row = {
        "name": event.name,
        "time_ns": event.time_ns,
        "attributes": dict(event.attributes),
    }
    return {key: value for key, value in row.items() if not _is_default(value)}


def _link_row(link: SpanLink) -> dict[str, Json]:
    row = {"trace_id": link.trace_id, "span_id": link.span_id}
    return row | ({"attributes": dict(link.attributes)} if link.attributes else {})


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one trace after another."""
    pending: _Pending | None = None
    # What was stored within the limits has to pass them again, marks included.
    roomy = replace(
        limits, max_depth=limits.max_depth + 8, max_text=limits.max_text + 1024
    )
    for item in JsonSource(source, limits=roomy, name=name).documents():
        if isinstance(item, Reject):
            yield item
            continue
        row = item.value if isinstance(item.value, dict) else {}
        try:
            if row.get("kind") == "trace" or pending is None or pending.differs(row):
                if pending and pending.is_due():
                    yield pending.record()
                pending = _opened(row, item)
            pending.add(row, item)
        except _BadLineError as error:
            yield Reject("span", item.place, str(error), error.code)
        if pending and pending.is_full(limits):
            yield pending.record()
    if pending and pending.is_due():
        yield pending.record()


class _BadLineError(Exception):
    """A line that says something else than it should."""

    def __init__(self, reason: str, code: str = "bad_line") -> None:
        super().__init__(reason)
        self.code = code


@dataclass
class _Pending:
    """A trace whose lines are being read."""

    trace_id: str
    attributes: dict[str, Json] = field(default_factory=dict)
    scopes: list[Scope] = field(default_factory=list)
    labels: list[ReferenceLabel] = field(default_factory=list)
    spans: list[SpanRecord] = field(default_factory=list)
    notes: list[Reject] = field(default_factory=list)
    size: int = 0
    given: bool = False

    def is_due(self) -> bool:
        """Whether there is something that was not given out yet."""
        return bool(self.spans or self.labels or not self.given)

    def differs(self, row: dict[str, Json]) -> bool:
        """Whether a line belongs to another trace."""
        return row.get("trace_id") != self.trace_id

    def is_full(self, limits: Limits) -> bool:
        """Whether what was read has to be given out before the trace ends."""
        return (
            self.size > limits.max_pending_bytes or len(self.spans) >= limits.max_spans
        )

    def add(self, row: dict[str, Json], item: Item) -> None:
        """Take in one line."""
        kind = row.get("kind")
        if kind == "span":
            self.spans.append(_span(row, self.trace_id, self.scopes))
            if row.get("scope") is not None and self.spans[-1].scope is NO_SCOPE:
                reason = "the scope of a span is not in the table of its trace."
                self.notes.append(Reject("attribute", item.place, reason, "no_scope"))
        elif kind == "label":
            self.labels.append(_label(row))
        elif kind != "trace":
            raise _BadLineError(f"a line of unknown kind {str(kind)[:40]!r}.")
        self.notes.extend(item.notes)
        self.size += item.size

    def record(self) -> TraceRecord:
        """What was read so far; the rest is the same trace again."""
        made = TraceRecord(
            self.trace_id,
            tuple(self.spans),
            tuple(self.labels),
            self.attributes,
            tuple(self.notes),
        )
        self.spans, self.labels, self.notes, self.size = [], [], [], 0
        self.given = True
        return made


def _opened(row: dict[str, Json], item: Item) -> _Pending:
    """A trace that begins with this line."""
    pending = _Pending(_id(row, "trace_id"))
    if row.get("kind") != "trace":
        reason = "the line of the trace itself is missing; its attributes are lost."
        pending.notes.append(Reject("trace", item.place, reason, "no_trace_line"))
        return pending
    if row.get("agenteval") != VERSION:
        version = str(row.get("agenteval"))[:40]
        reason = f"a file of version {version}; this program reads {VERSION}."
        raise _BadLineError(reason, "unknown_version")
    pending.attributes = _object(row, "attributes")
    pending.scopes = [_scope(found) for found in _objects(row, "scopes")]
    return pending


def _id(row: dict[str, Json], key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not 1 <= len(value) <= LONGEST_ID:
        raise _BadLineError(f"{key} has to be text of 1 to {LONGEST_ID} characters.")
    return value


def _text(row: dict[str, Json], key: str) -> str:
    value = row.get(key, "")
    if not isinstance(value, str):
        raise _BadLineError(f"{key} has to be text.")
    return value


def _integer(row: dict[str, Json], key: str) -> int | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= 2**63:
        raise _BadLineError(f"{key} has to be a whole number of 64 bits.")
    return value


def _object(row: dict[str, Json], key: str) -> dict[str, Json]:
    value = row.get(key, {})
    if not isinstance(value, dict):
        raise _BadLineError(f"{key} has to be an object.")
    return value


def _objects(row: dict[str, Json], key: str) -> list[dict[str, Json]]:
    value = row.get(key, [])
    if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
        raise _BadLineError(f"{key} has to be a list of objects.")
    return value


def _scope(row: dict[str, Json]) -> Scope:
    return Scope(
        _text(row, "name"),
        _text(row, "version"),
        _object(row, "attributes"),
        _object(row, "resource"),
    )


def _label(row: dict[str, Json]) -> ReferenceLabel:
    texts = [_text(row, k) for k in ("label", "value", "source", "span_id", "note")]
    return ReferenceLabel(*texts)


def _span(row: dict[str, Json], trace_id: str, scopes: list[Scope]) -> SpanRecord:
    kind, number = _integer(row, "span_kind") or 0, _integer(row, "scope")
    if not 0 <= kind <= HIGHEST_KIND:
        raise _BadLineError(f"span_kind has to be 0 to {HIGHEST_KIND}.")
    known = number is not None and 0 <= number < len(scopes)
    return SpanRecord(
        trace_id,
        _id(row, "span_id"),
        _text(row, "parent_id") or None,
        _text(row, "name"),
        kind,
        _integer(row, "start_ns"),
        _integer(row, "end_ns"),
        _status(row),
        _text(row, "status_message"),
        _object(row, "attributes"),
        tuple(_event(found) for found in _objects(row, "events")),
        tuple(_link(found) for found in _objects(row, "links")),
        scopes[number] if number is not None and known else NO_SCOPE,
        _integer(row, "position"),
    )


def _status(row: dict[str, Json]) -> SpanStatus:
    try:
        return SpanStatus(_text(row, "status") or "unset")
    except ValueError:
        raise _BadLineError("status has to be ok or error.") from None


def _event(row: dict[str, Json]) -> SpanEvent:
    return SpanEvent(
        _text(row, "name"), _integer(row, "time_ns"), _object(row, "attributes")
    )


def _link(row: dict[str, Json]) -> SpanLink:
    return SpanLink(
        _text(row, "trace_id"), _text(row, "span_id"), _object(row, "attributes")
    )
