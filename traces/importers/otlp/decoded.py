"""What decoding an OTLP body gives, and the rules that both encodings share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from traces.domain.records import (
    Json,
    Reject,
    Scope,
    SpanEvent,
    SpanLink,
    SpanRecord,
    SpanStatus,
)

MAX_REJECTS = 1_000
"""Rejects that are written out; of the rest only the number is kept."""
LONGEST_KEY = 512
STATUSES = {0: SpanStatus.UNSET, 1: SpanStatus.OK, 2: SpanStatus.ERROR}
TRACE_ID_BYTES, SPAN_ID_BYTES = 16, 8


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of one span is taken in.

    Attributes:
        attribute: Characters of one attribute's text; the rest is cut, marked.
        depth: Deepest nesting of an attribute's value.
        attributes: Attributes of one span, event or link.
        events: Events of one span.
        links: Links of one span.
        spans: Spans of one body.
    """

    attribute: int = 1024**2
    depth: int = 100
    attributes: int = 10_000
    events: int = 10_000
    links: int = 1_000
    spans: int = 100_000


DEFAULT_BOUNDS = Bounds()


class DecodeError(ValueError):
    """A body that can't be read at all; ``place`` says where it stops."""

    def __init__(self, message: str, place: str = "body") -> None:
        """Say what is wrong and where."""
        super().__init__(message)
        self.place = place


@dataclass
class Decoded:
    """Spans of one body, and what was left out of it.

    Attributes:
        spans: In the order of the body.
        rejects: What was refused, with place and reason.
        rejected_spans: Number of spans refused.
        left_out: Rejects that were not written out.
    """

    spans: list[SpanRecord] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)
    rejected_spans: int = 0
    left_out: int = 0

    def refuse(self, reject: Reject) -> None:
        """Note something that was refused."""
        self.rejected_spans += reject.level == "span"
        if len(self.rejects) < MAX_REJECTS:
            self.rejects.append(reject)
        else:
            self.left_out += 1


class Attributes:
    """Collects attributes under the bounds; what is refused goes to ``decoded``."""

    def __init__(self, decoded: Decoded, bounds: Bounds) -> None:
        """Bind the collector to one body."""
        self._decoded = decoded
        self._bounds = bounds

    def note(self, place: str, reason: str, code: str, level: str = "attribute") -> None:
        """Refuse an attribute, event or link of a span that stays."""
        self._decoded.refuse(Reject(level, place, reason, code))

    def add(self, found: dict[str, Json], key: str, value: Json, place: str) -> None:
        """Take one attribute in; the last of several with one key counts."""
        if not key:
            self.note(place, "the attribute has no key", "empty_key")
        elif value is None:
            self.note(place, f"the attribute {key[:80]!r} has no value", "empty_value")
        elif len(found) >= self._bounds.attributes and key not in found:
            limit = self._bounds.attributes
            self.note(place, f"more than {limit} attributes", "too_many_attributes")
        else:
            found[key[:LONGEST_KEY]] = self._fit(value, key, place)

    def _fit(self, value: Json, key: str, place: str) -> Json:
        limit = self._bounds.attribute
        if isinstance(value, str) and len(value) > limit:
            reason = f"{key[:80]!r} has {len(value)} characters; {limit} were kept"
            self.note(place, reason, "attribute_cut")
            return f"{value[:limit]} …[cut: {limit} of {len(value)} characters kept]"
        return value

    @property
    def depth(self) -> int:
        """Deepest nesting that is kept."""
        return self._bounds.depth


def cut_list(
    items: list[Json], limit: int, what: str, place: str, attributes: Attributes
) -> list[Json]:
    """The first ``limit`` items; more are refused with a note."""
    if len(items) > limit:
        reason = f"{len(items)} {what}; {limit} were kept"
        attributes.note(place, reason, f"too_many_{what}", what.removesuffix("s"))
    return items[:limit]


@dataclass(slots=True)
class Parts:
    """One span's fields before its ids are known to be right."""

    place: str
    trace_id: bytes
    span_id: bytes
    parent_id: bytes
    name: str
    kind: int
    start: int
    end: int
    status: int
    status_message: str
    attributes: dict[str, Json]
    events: tuple[SpanEvent, ...]
    links: tuple[SpanLink, ...]
    scope: Scope


def finish(parts: Parts, decoded: Decoded) -> None:
    """Check the ids and add the span, or refuse it."""
    trace, span = parts.trace_id.hex(), parts.span_id.hex()
    problem = _problem(parts)
    if problem:
        where, reason, code = problem
        place = f"{parts.place}.{where}"
        decoded.refuse(Reject("span", place, reason, code, trace[:64], span[:64]))
        return
    parent = parts.parent_id
    if parent and (len(parent) != SPAN_ID_BYTES or not any(parent)):
        if any(parent):
            reason = f"{len(parent)} bytes, {SPAN_ID_BYTES} are needed; taken as a root"
            place = f"{parts.place}.parentSpanId"
            decoded.refuse(Reject("attribute", place, reason, "bad_parent_id", trace, span))
        parent = b""
    decoded.spans.append(
        SpanRecord(
            trace,
            span,
            parent.hex() or None,
            parts.name,
            parts.kind if 0 <= parts.kind <= 5 else 0,
            parts.start or None,
            parts.end or None,
            STATUSES.get(parts.status, SpanStatus.UNSET),
            parts.status_message,
            parts.attributes,
            parts.events,
            parts.links,
            parts.scope,
        )
    )


def _problem(parts: Parts) -> tuple[str, str, str] | None:
    ids = (
        ("traceId", parts.trace_id, TRACE_ID_BYTES, "trace_id"),
        ("spanId", parts.span_id, SPAN_ID_BYTES, "span_id"),
    )
    for where, value, size, code in ids:
        if not value:
            return where, f"{where} is missing", f"missing_{code}"
        if len(value) != size:
            return where, f"{where} has {len(value)} bytes, {size} are needed", f"bad_{code}"
        if not any(value):
            return where, f"{where} is all zero", f"zero_{code}"
    return None


def named(rejects: Iterable[Reject], most: int = 5) -> str:
    """The first rejects in words, for the sender."""
    listed = [f"{reject.place}: {reject.reason}" for reject in rejects]
    more = f"; and {len(listed) - most} more" if len(listed) > most else ""
    return "; ".join(listed[:most]) + more
