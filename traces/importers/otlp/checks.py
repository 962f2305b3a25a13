"""Rules for single fields of a span, the same for protobuf and JSON."""

from __future__ import annotations

import math

from traces.domain.records import Json, SpanStatus
from traces.importers.otlp.ledger import Ledger

TRACE_ID_BYTES, SPAN_ID_BYTES = 16, 8
LONGEST_TIME = 2**63
"""Times are stored in signed 64-bit integers: nanoseconds until the year 2262."""
HIGHEST_KIND = 5
STATUSES = (SpanStatus.UNSET, SpanStatus.OK, SpanStatus.ERROR)
POSITION = "agenteval.position"


def time_of(nanoseconds: int, where: str, ledger: Ledger) -> int | None:
    """A time as sent; None for 0, which stands for unknown."""
    if not 0 <= nanoseconds < LONGEST_TIME:
        reason = f"{nanoseconds} is not a time in nanoseconds; it was left out."
        ledger.attribute(where, reason, "bad_time")
        return None
    return nanoseconds or None


def kind_of(kind: int, ledger: Ledger) -> int:
    """A span kind; 0 (unspecified) for what isn't one."""
    if 0 <= kind <= HIGHEST_KIND:
        return kind
    ledger.attribute("kind", f"There is no span kind {kind}.", "bad_kind")
    return 0


def status_of(code: int, ledger: Ledger) -> SpanStatus:
    """A status; unset for what isn't one."""
    if 0 <= code < len(STATUSES):
        return STATUSES[code]
    ledger.attribute("status", f"There is no status code {code}.", "bad_status")
    return SpanStatus.UNSET


def number_of(value: float) -> tuple[Json, str]:
    """A number that JSON can hold, or None and its text."""
    if math.isfinite(value):
        return value, ""
    if math.isnan(value):
        return None, "NaN"
    return None, "Infinity" if value > 0 else "-Infinity"


def position_of(attributes: dict[str, Json]) -> int | None:
    """The 0-based place in a source without times, where it is declared."""
    position = attributes.get(POSITION)
    if not isinstance(position, int) or isinstance(position, bool):
        return None
    return position if 0 <= position < LONGEST_TIME else None


def missing_id(name: str, ledger: Ledger) -> None:
    """Refuse a span that lacks an id."""
    ledger.refuse("span", name, f"{name} is missing.", f"missing_{_SNAKE[name]}")


def bad_id(name: str, reason: str, ledger: Ledger) -> None:
    """Refuse a span for its id; a bad parent only makes it a root."""
    code = f"bad_{_SNAKE[name]}"
    if name == "parentSpanId":
        reason = f"{reason} The span was taken in as a root."
        ledger.attribute(name, reason, code)
    else:
        ledger.refuse("span", name, reason, code)


_SNAKE = {
    "traceId": "trace_id",
    "spanId": "span_id",
    "parentSpanId": "parent_span_id",
}


def dropped(
    attributes: dict[str, Json], counts: tuple[int, int, int], trace_state: str
) -> None:
    """Keep what OpenTelemetry's mapping to other formats keeps as attributes.

    Args:
        attributes: Changed in place.
        counts: Attributes, events and links that the sender's SDK dropped.
        trace_state: The W3C trace state, "" if there is none.
    """
    for name, count in zip(("attributes", "events", "links"), counts, strict=True):
        if count:
            attributes[f"otel.dropped_{name}_count"] = count
    if trace_state:
        attributes["w3c.tracestate"] = trace_state
