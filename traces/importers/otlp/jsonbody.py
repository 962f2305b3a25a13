"""OTLP in JSON: the protobuf mapping with its own rules for ids and numbers.

Ids are hex (Base64 from senders that use the plain mapping is understood),
64-bit numbers may be text, enums numbers or names. Unknown fields are ignored.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from traces.domain.records import Json, Reject, Scope, SpanEvent, SpanLink
from traces.importers.base import Limits, Unreadable
from traces.importers.jsontext import parse
from traces.importers.otlp.decoded import (
    DEFAULT_BOUNDS,
    Attributes,
    Bounds,
    Decoded,
    DecodeError,
    Parts,
    cut_list,
    finish,
)

KINDS = {
    name: number
    for number, name in enumerate(
        ("UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER")
    )
}
STATUS_CODES = {"UNSET": 0, "OK": 1, "ERROR": 2}
OTHER_SIGNALS = {"resourceLogs": "logs", "resourceMetrics": "metrics"}
WRAPPING = 40
"""Levels that an attribute's value may be nested in around its own depth."""


def decode_json(body: bytes, bounds: Bounds = DEFAULT_BOUNDS) -> Decoded:
    """Spans of a JSON ``ExportTraceServiceRequest``.

    Raises:
        DecodeError: The body is no JSON, with line and column, or no trace
            export; a logs or metrics export is named.
    """
    limits = Limits(max_depth=3 * bounds.depth + WRAPPING, max_text=bounds.attribute)
    try:
        parsed = parse(body, limits=limits)
    except Unreadable as error:
        raise DecodeError(error.reason, error.place) from error
    decoded = Decoded(rejects=list(parsed.notes))
    read_document(parsed.value, decoded, bounds)
    return decoded


def read_document(value: Json, decoded: Decoded, bounds: Bounds) -> None:
    """Read one request that is already parsed.

    Raises:
        DecodeError: It is no trace export.
    """
    if not isinstance(value, dict):
        raise DecodeError("the body is not a JSON object with resourceSpans")
    listed = _get(value, "resourceSpans")
    if not isinstance(listed, list):
        for key, signal in OTHER_SIGNALS.items():
            if _get(value, key) is not None:
                raise DecodeError(f"this is a {signal} export; traces are taken here", key)
        raise DecodeError("resourceSpans is missing or no list", "resourceSpans")
    attributes = Attributes(decoded, bounds)
    for r, resource_spans in enumerate(listed):
        _read_resource(resource_spans, f"resourceSpans[{r}]", attributes, decoded, bounds)


def _get(item: Json, key: str) -> Json:
    """A field by its JSON name, else by its protobuf name."""
    if not isinstance(item, dict):
        return None
    if key in item:
        return item[key]
    snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in key)
    return item.get(snake)


def _list(item: Json, key: str) -> list[Json]:
    found = _get(item, key)
    return found if isinstance(found, list) else []


def _read_resource(
    item: Json, place: str, attributes: Attributes, decoded: Decoded, bounds: Bounds
) -> None:
    said = _list(_get(item, "resource"), "attributes")
    resource = _mapping(said, f"{place}.resource", attributes)
    scopes = _list(item, "scopeSpans") or _list(item, "instrumentationLibrarySpans")
    for s, scope_spans in enumerate(scopes):
        inside = f"{place}.scopeSpans[{s}]"
        scope = _get(scope_spans, "scope") or _get(scope_spans, "instrumentationLibrary")
        named = _mapping(_list(scope, "attributes"), f"{inside}.scope", attributes)
        record = Scope(_text(scope, "name"), _text(scope, "version"), named, resource)
        for number, span in enumerate(_list(scope_spans, "spans")):
            where = f"{inside}.spans[{number}]"
            if len(decoded.spans) >= bounds.spans:
                reason = f"more than {bounds.spans} spans in one body"
                decoded.refuse(Reject("span", where, reason, "too_many_spans"))
            elif not isinstance(span, dict):
                decoded.refuse(Reject("span", where, "not an object", "bad_span"))
            else:
                finish(_parts(span, where, record, attributes, bounds), decoded)


def _parts(
    span: Mapping[str, Json],
    place: str,
    scope: Scope,
    attributes: Attributes,
    bounds: Bounds,
) -> Parts:
    status = _get(span, "status")
    events = cut_list(_list(span, "events"), bounds.events, "events", place, attributes)
    links = cut_list(_list(span, "links"), bounds.links, "links", place, attributes)
    return Parts(
        place,
        _id(_get(span, "traceId"), 16),
        _id(_get(span, "spanId"), 8),
        _id(_get(span, "parentSpanId"), 8),
        _text(span, "name"),
        _enum(_get(span, "kind"), "SPAN_KIND_", KINDS),
        _nanoseconds(_get(span, "startTimeUnixNano")),
        _nanoseconds(_get(span, "endTimeUnixNano")),
        _enum(_get(status, "code"), "STATUS_CODE_", STATUS_CODES),
        _text(status, "message"),
        _mapping(_list(span, "attributes"), place, attributes),
        tuple(
            SpanEvent(
                _text(event, "name"),
                _nanoseconds(_get(event, "timeUnixNano")) or None,
                _mapping(_list(event, "attributes"), f"{place}.events[{n}]", attributes),
            )
            for n, event in enumerate(events)
        ),
        tuple(
            SpanLink(
                _id(_get(link, "traceId"), 16).hex(),
                _id(_get(link, "spanId"), 8).hex(),
                _mapping(_list(link, "attributes"), f"{place}.links[{n}]", attributes),
            )
            for n, link in enumerate(links)
        ),
        scope,
    )


def _text(item: Json, key: str) -> str:
    value = _get(item, key)
    return value if isinstance(value, str) else ""


def _id(value: Json, size: int) -> bytes:
    """An id's bytes: hex, or Base64 of the right length; what it says if wrong."""
    if not isinstance(value, str) or not value:
        return b""
    try:
        return bytes.fromhex(value)
    except ValueError:
        pass
    try:
        raw = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return value.encode("utf-8", "replace")[: size - 1] or b"?"
    return raw


def _enum(value: Json, prefix: str, names: Mapping[str, int]) -> int:
    if isinstance(value, str):
        if value.isdigit():
            return int(value[:9])
        return names.get(value.removeprefix(prefix).upper(), 0)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _nanoseconds(value: Json) -> int:
    """A time as a number, 0 if it is none."""
    if isinstance(value, str) and value.isdigit() and len(value) <= 20:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return value if 0 <= value < 1 << 64 else 0


def _mapping(pairs: list[Json], place: str, attributes: Attributes) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for number, pair in enumerate(pairs):
        where = f"{place}.attributes[{number}]"
        if not isinstance(pair, dict):
            attributes.note(where, "not an object with key and value", "bad_attribute")
            continue
        key = pair.get("key")
        value = _value(pair.get("value"), attributes.depth)
        if isinstance(value, _TooDeep):
            reason = f"{str(key)[:80]!r} is nested deeper than {attributes.depth}"
            attributes.note(where, reason, "too_deep")
        else:
            attributes.add(found, key if isinstance(key, str) else "", value, where)
    return found


class _TooDeep:
    """Marks a value that is nested too deeply."""


def _value(value: Json, depth: int) -> Any:
    """A JSON ``AnyValue``; None if it is empty."""
    if not isinstance(value, dict):
        return value if isinstance(value, (str, int, float)) else None
    for key, read in _READERS.items():
        found = _get(value, key)
        if found is not None:
            return read(found, depth)
    return None


def _integer(value: Json, depth: int) -> Json:
    del depth
    if isinstance(value, str):
        digits = value.removeprefix("-")
        return int(value) if digits.isdigit() and len(digits) <= 19 else value
    return value


def _array(value: Json, depth: int) -> Any:
    if depth <= 1:
        return _TooDeep()
    found = [_value(one, depth - 1) for one in _list(value, "values")]
    deep = next((one for one in found if isinstance(one, _TooDeep)), None)
    return found if deep is None else deep


def _kvlist(value: Json, depth: int) -> Any:
    if depth <= 1:
        return _TooDeep()
    found: dict[str, Any] = {}
    for pair in _list(value, "values"):
        if isinstance(pair, dict) and isinstance(pair.get("key"), str):
            inner = _value(pair.get("value"), depth - 1)
            if isinstance(inner, _TooDeep):
                return inner
            found[pair["key"]] = inner
    return found


def _same(value: Json, depth: int) -> Json:
    del depth
    return value


_READERS = {
    "stringValue": _same,
    "intValue": _integer,
    "boolValue": _same,
    "doubleValue": _same,
    "arrayValue": _array,
    "kvlistValue": _kvlist,
    "bytesValue": _same,
}
