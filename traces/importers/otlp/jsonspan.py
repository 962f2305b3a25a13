"""One span of OTLP/JSON."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping

from traces.domain.records import Json, Scope, SpanEvent, SpanLink, SpanRecord
from traces.importers.otlp.checks import (
    SPAN_ID_BYTES,
    TRACE_ID_BYTES,
    bad_id,
    dropped,
    kind_of,
    missing_id,
    position_of,
    status_of,
    time_of,
)
from traces.importers.otlp.jsonvalues import (
    attributes_of,
    dict_at,
    integer,
    list_at,
    text_at,
)
from traces.importers.otlp.ledger import Ledger

KINDS = ("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER")
CODES = ("UNSET", "OK", "ERROR")


def read_span(message: Json, scope: Scope, ledger: Ledger) -> SpanRecord | None:
    """The span, None (and noted) if it can't be taken in."""
    if not isinstance(message, dict):
        ledger.refuse("span", "", "A span is an object.", "not_an_object")
        return None
    ledger.trace_id = _id(message.get("traceId"), TRACE_ID_BYTES, "traceId", ledger)
    if not ledger.trace_id:
        return None
    ledger.span_id = _id(message.get("spanId"), SPAN_ID_BYTES, "spanId", ledger)
    if not ledger.span_id:
        return None
    parent = message.get("parentSpanId")
    if parent:
        parent = _id(parent, SPAN_ID_BYTES, "parentSpanId", ledger)
    attributes = attributes_of(message.get("attributes"), "attributes", ledger)
    _keep_dropped(attributes, message, "traceState", ledger)
    status = dict_at(message, "status")
    return SpanRecord(
        trace_id=ledger.trace_id,
        span_id=ledger.span_id,
        parent_id=parent or None,
        name=text_at(message, "name", "name", ledger),
        kind=kind_of(_enum(message.get("kind"), "SPAN_KIND_", KINDS), ledger),
        start_ns=_time(message, "startTimeUnixNano", "", ledger),
        end_ns=_time(message, "endTimeUnixNano", "", ledger),
        status=status_of(_enum(status.get("code"), "STATUS_CODE_", CODES), ledger),
        status_message=text_at(status, "message", "status.message", ledger),
        attributes=attributes,
        events=_events(list_at(message, "events", ledger), ledger),
        links=_links(list_at(message, "links", ledger), ledger),
        scope=scope,
        position=position_of(attributes),
    )


def _id(value: Json, size: int, name: str, ledger: Ledger) -> str:
    """An id in hexadecimal; "" (and noted) if it isn't one."""
    if value is None or value == "":
        missing_id(name, ledger)
        return ""
    found = id_of(value, size)
    if found is None:
        length = f"{len(value)} characters" if isinstance(value, str) else "no text"
        reason = f"{name} has {length}; it must have {size * 2} hexadecimal digits."
        bad_id(name, reason, ledger)
    elif not found:
        bad_id(name, f"{name} is all zeros.", ledger)
    return found or ""


def id_of(value: Json, size: int) -> str | None:
    """Hexadecimal digits of an id; None if it isn't one, "" if all are zero.

    Some senders write base64 as in other JSON of protobuf: its length tells.
    """
    if not isinstance(value, str):
        return None
    try:
        if len(value) == size * 2:
            raw = bytes.fromhex(value)
        elif len(value) == -(-size // 3) * 4:
            raw = base64.b64decode(value, validate=True)
        else:
            return None
    except (ValueError, binascii.Error):
        return None
    if len(raw) != size:
        return None
    return raw.hex() if any(raw) else ""


def _enum(value: Json, prefix: str, names: tuple[str, ...]) -> int:
    """A number or a name as number; 0 if missing, -1 for what is unknown."""
    if value is None:
        return 0
    if isinstance(value, str) and not value.isdecimal():
        word = value.upper().removeprefix(prefix)
        return names.index(word) if word in names else -1
    number = integer(value)
    return -1 if number is None else number


def _time(
    message: Mapping[str, Json], name: str, where: str, ledger: Ledger
) -> int | None:
    value = message.get(name)
    if value is None or value == "":
        return None
    number = integer(value)
    return time_of(-1 if number is None else number, f"{where}{name}", ledger)


def _keep_dropped(
    attributes: dict[str, Json],
    message: Mapping[str, Json],
    trace_state: str,
    ledger: Ledger,
) -> None:
    counts = (
        _count(message.get("droppedAttributesCount")),
        _count(message.get("droppedEventsCount")),
        _count(message.get("droppedLinksCount")),
    )
    dropped(attributes, counts, text_at(message, "traceState", trace_state, ledger))


def _count(value: Json) -> int:
    return integer(value) or 0 if value else 0


def _events(events: object, ledger: Ledger) -> tuple[SpanEvent, ...]:
    if not isinstance(events, list) or not events:
        return ()
    most = ledger.bounds.events
    ledger.check_count("event", "events", len(events), most)
    found = (
        read_event(event, f"events[{number}]", ledger)
        for number, event in enumerate(events[:most])
    )
    return tuple(event for event in found if event is not None)


def read_event(message: Json, where: str, ledger: Ledger) -> SpanEvent | None:
    """One event of a span; None (and noted) if it isn't one."""
    if not isinstance(message, dict):
        reason = "An event is an object; this was left out."
        ledger.refuse("event", where, reason, "not_an_object")
        return None
    attributes = attributes_of(message.get("attributes"), f"{where}.attributes", ledger)
    dropped(attributes, (_count(message.get("droppedAttributesCount")), 0, 0), "")
    return SpanEvent(
        text_at(message, "name", f"{where}.name", ledger),
        _time(message, "timeUnixNano", f"{where}.", ledger),
        attributes,
    )


def _links(links: object, ledger: Ledger) -> tuple[SpanLink, ...]:
    if not isinstance(links, list) or not links:
        return ()
    most = ledger.bounds.links
    ledger.check_count("link", "links", len(links), most)
    found = (
        _link(link, f"links[{number}]", ledger)
        for number, link in enumerate(links[:most])
    )
    return tuple(link for link in found if link is not None)


def _link(message: Json, where: str, ledger: Ledger) -> SpanLink | None:
    said = message if isinstance(message, dict) else {}
    trace_id = id_of(said.get("traceId"), TRACE_ID_BYTES)
    span_id = id_of(said.get("spanId"), SPAN_ID_BYTES)
    if not trace_id or not span_id:
        ledger.bad_link(where)
        return None
    attributes = attributes_of(said.get("attributes"), f"{where}.attributes", ledger)
    _keep_dropped(attributes, said, f"{where}.traceState", ledger)
    return SpanLink(trace_id, span_id, attributes)
