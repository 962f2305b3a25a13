"""Mend a protobuf body whose texts are not all UTF-8.

Protobuf refuses the whole body for one bad byte in one text. This walks the
wire format by the schema and replaces bad bytes in text fields, so that one
bad attribute never costs a batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
MAX_DEPTH = 100
_TYPE_STRING, _TYPE_MESSAGE = 9, 11


class _BrokenError(Exception):
    """The bytes are not in the wire format."""


def mended(body: bytes) -> tuple[bytes, int]:
    """The body with every text as UTF-8, and how many texts were changed.

    A part that isn't in the wire format is left as it is.
    """
    counter = [0]
    try:
        return _message(body, ExportTraceServiceRequest.DESCRIPTOR, counter, 0), counter[0]
    except _BrokenError:
        return body, 0


def _message(data: bytes, descriptor: Any, counter: list[int], depth: int) -> bytes:
    if depth > MAX_DEPTH:
        return data
    fields = descriptor.fields_by_number
    out = bytearray()
    for number, wire, head, payload in _fields(data):
        field = fields.get(number)
        if wire != BYTES or field is None:
            out += head + payload
            continue
        fixed = _payload(payload, field, counter, depth)
        out += _varint(number << 3 | BYTES) + _varint(len(fixed)) + fixed
    return bytes(out)


def _payload(payload: bytes, field: Any, counter: list[int], depth: int) -> bytes:
    if field.type == _TYPE_STRING:
        text = payload.decode("utf-8", "replace").encode()
        counter[0] += text != payload
        return text
    if field.type == _TYPE_MESSAGE:
        return _message(payload, field.message_type, counter, depth + 1)
    return payload


def _fields(data: bytes) -> Iterator[tuple[int, int, bytes, bytes]]:
    """(number, wire type, bytes before the payload, payload) of each field."""
    at, size = 0, len(data)
    while at < size:
        start = at
        tag, at = _read_varint(data, at)
        wire = tag & 7
        if wire == VARINT:
            _, end = _read_varint(data, at)
        elif wire == FIXED64:
            end = at + 8
        elif wire == FIXED32:
            end = at + 4
        elif wire == BYTES:
            length, at = _read_varint(data, at)
            end = at + length
        else:
            raise _BrokenError
        if end > size:
            raise _BrokenError
        yield tag >> 3, wire, data[start:at], data[at:end]
        at = end


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise _BrokenError


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
