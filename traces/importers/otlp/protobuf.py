"""OTLP protobuf into spans.

The fields of the parsed message are read directly, which is several times as
fast as turning it into dictionaries. Where the parser refuses a body because
of one bad field in it, the spans are parsed one by one (``salvage``).
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import Any

from google.protobuf.message import DecodeError as ProtobufError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)

from traces.domain.records import Json, Scope, SpanEvent, SpanLink, SpanRecord
from traces.importers.otlp.checks import (
    SPAN_ID_BYTES,
    TRACE_ID_BYTES,
    bad_id,
    dropped,
    kind_of,
    missing_id,
    number_of,
    position_of,
    status_of,
    time_of,
)
from traces.importers.otlp.decoded import (
    DEFAULT_BOUNDS,
    Bounds,
    Decoded,
    DecodeError,
)
from traces.importers.otlp.deep import Opened, text_of
from traces.importers.otlp.ledger import Ledger
from traces.importers.otlp.salvage import salvage
from traces.importers.otlp.signals import refuse_other_signal
from traces.importers.otlp.wire import WireError

NO_IDS = {TRACE_ID_BYTES: bytes(TRACE_ID_BYTES), SPAN_ID_BYTES: bytes(SPAN_ID_BYTES)}
_SCALARS = frozenset({"string_value", "bool_value", "int_value"})

# Messages are upb's, or look-alikes that ``salvage`` makes.
Message = Any


def decode_protobuf(body: bytes, bounds: Bounds = DEFAULT_BOUNDS) -> Decoded:
    """Read an ``ExportTraceServiceRequest``.

    Raises:
        DecodeError: If the body isn't one at all.
    """
    ledger = Ledger(bounds)
    try:
        resources: Iterator[Message] = iter(
            ExportTraceServiceRequest.FromString(body).resource_spans
        )
    except ProtobufError as error:
        try:
            resources = salvage(body, ledger)
        except WireError as damage:
            refuse_other_signal(body)
            raise _unreadable(body, f"{error}: {damage}") from None
    for ledger.resource, resource in enumerate(resources):
        _read_resource(resource, ledger)
    if ledger.decoded.rejected_spans and not ledger.decoded.spans:
        refuse_other_signal(body)
    return ledger.decoded


def _unreadable(body: bytes, detail: str) -> DecodeError:
    if body.lstrip()[:1] in {b"{", b"["}:
        return DecodeError(
            "This is JSON, not protobuf; send it with Content-Type: application/json."
        )
    return DecodeError(f"This is not an OTLP traces request in protobuf. {detail}")


def _read_resource(message: Message, ledger: Ledger) -> None:
    ledger.scope = ledger.span = -1
    resource = attributes_of(message.resource.attributes, "resource.attributes", ledger)
    for ledger.scope, scope_spans in enumerate(message.scope_spans):
        ledger.span = -1
        scope = _scope(scope_spans.scope, resource, ledger)
        _read_spans(scope_spans.spans, scope, ledger)
    ledger.scope = ledger.span = -1


def _scope(message: Message, resource: dict[str, Json], ledger: Ledger) -> Scope:
    return Scope(
        ledger.text(message.name, "scope.name"),
        ledger.text(message.version, "scope.version"),
        attributes_of(message.attributes, "scope.attributes", ledger),
        resource,
    )


def _read_spans(spans: Sequence[Message], scope: Scope, ledger: Ledger) -> None:
    for ledger.span, message in enumerate(spans):
        if ledger.full():
            ledger.refuse_rest(sum(one is not None for one in spans[ledger.span :]))
            return
        # What salvage refused is counted there and leaves a gap here.
        span = _span(message, scope, ledger) if message is not None else None
        if span is not None:
            ledger.decoded.spans.append(span)
        ledger.trace_id = ledger.span_id = ""


def _span(message: Message, scope: Scope, ledger: Ledger) -> SpanRecord | None:
    ledger.trace_id = _id(message.trace_id, TRACE_ID_BYTES, "traceId", ledger)
    if not ledger.trace_id:
        return None
    ledger.span_id = _id(message.span_id, SPAN_ID_BYTES, "spanId", ledger)
    if not ledger.span_id:
        return None
    parent = message.parent_span_id
    if parent:
        parent = _id(parent, SPAN_ID_BYTES, "parentSpanId", ledger)
    attributes = attributes_of(message.attributes, "attributes", ledger)
    counts = (
        message.dropped_attributes_count,
        message.dropped_events_count,
        message.dropped_links_count,
    )
    dropped(attributes, counts, ledger.text(message.trace_state, "traceState"))
    status = message.status
    return SpanRecord(
        trace_id=ledger.trace_id,
        span_id=ledger.span_id,
        parent_id=parent or None,
        name=ledger.text(message.name, "name"),
        kind=kind_of(message.kind, ledger),
        start_ns=time_of(message.start_time_unix_nano, "startTimeUnixNano", ledger),
        end_ns=time_of(message.end_time_unix_nano, "endTimeUnixNano", ledger),
        status=status_of(status.code, ledger),
        status_message=ledger.text(status.message, "status.message"),
        attributes=attributes,
        events=_events(message.events, ledger),
        links=_links(message.links, ledger),
        scope=scope,
        position=position_of(attributes),
    )


def _id(raw: bytes, size: int, name: str, ledger: Ledger) -> str:
    """An id in hexadecimal; "" (and noted) if it isn't one."""
    if len(raw) == size and raw != NO_IDS[size]:
        return raw.hex()
    if not raw:
        missing_id(name, ledger)
    elif len(raw) == size:
        bad_id(name, f"{name} is all zeros.", ledger)
    else:
        bad_id(name, f"{name} has {len(raw)} bytes; it must have {size}.", ledger)
    return ""


def attributes_of(
    pairs: Sequence[Message], where: str, ledger: Ledger
) -> dict[str, Json]:
    """Attributes by key; of two with one key the last counts."""
    found: dict[str, Json] = {}
    keys, short = ledger.keys, ledger.surely_short
    if len(pairs) > ledger.bounds.attributes:
        pairs = ledger.first_attributes(pairs, where)
    for number, pair in enumerate(pairs):
        value = pair.value
        text = value.string_value
        key = keys.get(pair.key)
        # Nearly every attribute has a key seen before and is a short text or
        # a whole number.
        if key and text and len(text) <= short and "\0" not in text:
            found[key] = text
        elif key and not text and (which := value.WhichOneof("value")) in _SCALARS:
            found[key] = getattr(value, which)
        else:
            _add(found, pair, f"{where}[{number}]", ledger)
    return found


def _add(found: dict[str, Json], pair: Message, where: str, ledger: Ledger) -> None:
    key = ledger.known_key(pair.key, where)
    if not key:
        return
    value = pair.value
    which = value.WhichOneof("value")
    if which is None:
        ledger.empty(key, where)
        return
    text = number_of(value.double_value)[1] if which == "double_value" else ""
    if text:
        ledger.not_finite(found, key, text, where)
    else:
        found[key] = value_of(value, where, ledger)


def value_of(value: Message, where: str, ledger: Ledger, depth: int = 0) -> Json:
    """An ``AnyValue`` as JSON; bytes become base64, an empty value null."""
    which = value.WhichOneof("value")
    if which == "string_value":
        return ledger.text(value.string_value, where)
    if which in _SCALARS:
        return getattr(value, which)
    if which == "double_value":
        number, text = number_of(value.double_value)
        return text or number
    if which == "bytes_value":
        return ledger.text(base64.b64encode(value.bytes_value).decode(), where)
    if which in {"array_value", "kvlist_value"}:
        return _container(value, which, where, ledger, depth)
    return None


def _container(
    value: Message, which: str, where: str, ledger: Ledger, depth: int
) -> Json:
    if depth >= ledger.depth:
        text = text_of(value, lambda inner: _opened(inner, where, ledger))
        return ledger.deep_text(text, where)
    _bracket, inside = _opened(value, where, ledger)
    if which == "array_value":
        return [value_of(item, where, ledger, depth + 1) for _key, item in inside]
    return {key: value_of(item, where, ledger, depth + 1) for key, item in inside}


def _opened(value: Message, where: str, ledger: Ledger) -> Opened:
    """What a value holds, for its JSON text."""
    which = value.WhichOneof("value")
    if which == "array_value":
        return "[", [("", item) for item in value.array_value.values]
    if which == "kvlist_value":
        pairs = ((ledger.known_key(p.key, where), p) for p in value.kvlist_value.values)
        return "{", [(key, pair.value) for key, pair in pairs if key]
    return "", value_of(value, where, ledger)


def _events(events: Sequence[Message], ledger: Ledger) -> tuple[SpanEvent, ...]:
    if not events:
        return ()
    most = ledger.bounds.events
    ledger.check_count("event", "events", len(events), most)
    return tuple(
        _event(message, f"events[{number}]", ledger)
        for number, message in enumerate(events[:most])
    )


def _event(message: Message, where: str, ledger: Ledger) -> SpanEvent:
    attributes = attributes_of(message.attributes, f"{where}.attributes", ledger)
    if message.dropped_attributes_count:
        dropped(attributes, (message.dropped_attributes_count, 0, 0), "")
    return SpanEvent(
        ledger.text(message.name, f"{where}.name"),
        time_of(message.time_unix_nano, f"{where}.timeUnixNano", ledger),
        attributes,
    )


def _links(links: Sequence[Message], ledger: Ledger) -> tuple[SpanLink, ...]:
    if not links:
        return ()
    most = ledger.bounds.links
    ledger.check_count("link", "links", len(links), most)
    found = (
        _link(message, f"links[{number}]", ledger)
        for number, message in enumerate(links[:most])
    )
    return tuple(link for link in found if link is not None)


def _link(message: Message, where: str, ledger: Ledger) -> SpanLink | None:
    trace_id, span_id = message.trace_id, message.span_id
    good = (
        len(trace_id) == TRACE_ID_BYTES
        and len(span_id) == SPAN_ID_BYTES
        and any(trace_id)
        and any(span_id)
    )
    if not good:
        ledger.bad_link(where)
        return None
    attributes = attributes_of(message.attributes, f"{where}.attributes", ledger)
    if message.dropped_attributes_count:
        dropped(attributes, (message.dropped_attributes_count, 0, 0), "")
    trace_state = ledger.text(message.trace_state, f"{where}.traceState")
    if trace_state:
        attributes["w3c.tracestate"] = trace_state
    return SpanLink(trace_id.hex(), span_id.hex(), attributes)
