"""OTLP in protobuf, read field by field from the parsed message.

Reading the message's fields directly is several times faster than turning it
into dictionaries first; this path carries the load.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf.message import DecodeError as ProtobufError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)

from traces.domain.records import Json, Reject, Scope, SpanEvent, SpanLink
from traces.importers.otlp.decoded import (
    DEFAULT_BOUNDS,
    Attributes,
    Bounds,
    Decoded,
    DecodeError,
    Parts,
    finish,
)
from traces.importers.otlp.salvage import mended


def decode_protobuf(body: bytes, bounds: Bounds = DEFAULT_BOUNDS) -> Decoded:
    """Spans of an ``ExportTraceServiceRequest``.

    A body with text that isn't UTF-8, which protobuf refuses as a whole, is
    mended text by text; what can't be mended is refused by itself.

    Raises:
        DecodeError: The body is no such message.
    """
    decoded = Decoded()
    try:
        request = ExportTraceServiceRequest.FromString(body)
    except ProtobufError:
        request = _mended(body, decoded)
    if body and not request.resource_spans:
        raise DecodeError("no resourceSpans: this is not an OTLP trace export")
    _read(request, decoded, bounds)
    if len(body) and not decoded.spans and _all_foreign(decoded):
        raise DecodeError("no span in the body has ids: this is not an OTLP trace export")
    return decoded


def _all_foreign(decoded: Decoded) -> bool:
    """Whether every span lacks both ids, as a logs or metrics export would."""
    codes = {reject.code for reject in decoded.rejects if reject.level == "span"}
    return decoded.rejected_spans > 0 and codes == {"missing_trace_id"} and all(
        not reject.span_id for reject in decoded.rejects
    )


def _mended(body: bytes, decoded: Decoded) -> Any:
    fixed, count = mended(body)
    try:
        request = ExportTraceServiceRequest.FromString(fixed)
    except ProtobufError as error:
        raise DecodeError("the body is not a protobuf trace export") from error
    reason = f"{count} text(s) were not UTF-8; the bad bytes were replaced"
    decoded.refuse(Reject("attribute", "body", reason, "bad_utf8"))
    return request


def _read(request: Any, decoded: Decoded, bounds: Bounds) -> None:
    attributes = Attributes(decoded, bounds)
    for r, resource_spans in enumerate(request.resource_spans):
        place = f"resourceSpans[{r}]"
        resource = _mapping(resource_spans.resource.attributes, f"{place}.resource", attributes)
        for s, scope_spans in enumerate(resource_spans.scope_spans):
            inside = f"{place}.scopeSpans[{s}]"
            scope = scope_spans.scope
            said = _mapping(scope.attributes, f"{inside}.scope", attributes)
            record = Scope(scope.name, scope.version, said, resource)
            for number, span in enumerate(scope_spans.spans):
                where = f"{inside}.spans[{number}]"
                if len(decoded.spans) >= bounds.spans:
                    reason = f"more than {bounds.spans} spans in one body"
                    decoded.refuse(Reject("span", where, reason, "too_many_spans"))
                else:
                    finish(_parts(span, where, record, attributes, bounds), decoded)


def _parts(
    span: Any, place: str, scope: Scope, attributes: Attributes, bounds: Bounds
) -> Parts:
    status = span.status
    return Parts(
        place,
        span.trace_id,
        span.span_id,
        span.parent_span_id,
        span.name,
        span.kind,
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        status.code,
        status.message,
        _mapping(span.attributes, place, attributes),
        _events(span.events, place, attributes, bounds) if span.events else (),
        _links(span.links, place, attributes, bounds) if span.links else (),
        scope,
    )


def _events(
    events: Any, place: str, attributes: Attributes, bounds: Bounds
) -> tuple[SpanEvent, ...]:
    if len(events) > bounds.events:
        reason = f"{len(events)} events; {bounds.events} were kept"
        attributes.note(f"{place}.events", reason, "too_many_events", "event")
    return tuple(
        SpanEvent(
            event.name,
            event.time_unix_nano or None,
            _mapping(event.attributes, f"{place}.events[{number}]", attributes),
        )
        for number, event in enumerate(events[: bounds.events])
    )


def _links(
    links: Any, place: str, attributes: Attributes, bounds: Bounds
) -> tuple[SpanLink, ...]:
    if len(links) > bounds.links:
        reason = f"{len(links)} links; {bounds.links} were kept"
        attributes.note(f"{place}.links", reason, "too_many_links", "link")
    return tuple(
        SpanLink(
            link.trace_id.hex(),
            link.span_id.hex(),
            _mapping(link.attributes, f"{place}.links[{number}]", attributes),
        )
        for number, link in enumerate(links[: bounds.links])
    )


def _mapping(pairs: Iterable[Any], place: str, attributes: Attributes) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for number, pair in enumerate(pairs):
        value = _value(pair.value, attributes.depth)
        key = pair.key
        # The usual case by itself: this loop is most of the decoding.
        if key and value.__class__ is str and len(value) < 65_536 and len(found) < 1_000:
            found[key] = value
        else:
            where = f"{place}.attributes[{number}]"
            if value is TOO_DEEP:
                reason = f"{key[:80]!r} is nested deeper than {attributes.depth}"
                attributes.note(where, reason, "too_deep")
            else:
                attributes.add(found, key, value, where)
    return found


class _TooDeep:
    """Marks a value that is nested too deeply."""


TOO_DEEP = _TooDeep()


def _value(value: Any, depth: int) -> Any:
    """A protobuf ``AnyValue`` as JSON; None if it is empty."""
    kind = value.WhichOneof("value")
    if kind == "string_value":
        return value.string_value
    if kind is None:
        return None
    if kind == "array_value":
        return _array(value.array_value.values, depth - 1)
    if kind == "kvlist_value":
        return _kvlist(value.kvlist_value.values, depth - 1)
    if kind == "bytes_value":
        return value.bytes_value.hex()
    return getattr(value, kind)


def _array(values: Any, depth: int) -> Any:
    if depth <= 0:
        return TOO_DEEP
    found = [_value(one, depth) for one in values]
    return TOO_DEEP if any(one is TOO_DEEP for one in found) else found


def _kvlist(values: Any, depth: int) -> Any:
    if depth <= 0:
        return TOO_DEEP
    found = {pair.key: _value(pair.value, depth) for pair in values}
    return TOO_DEEP if any(one is TOO_DEEP for one in found.values()) else found
