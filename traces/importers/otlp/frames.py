"""Protobuf files, cut into requests without holding the whole file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from traces.domain.records import Reject
from traces.importers.base import Limits, Unreadable
from traces.importers.otlp.wire import LONGEST_VARINT, WireError, fields, varint

RESOURCE_SPANS_TAG = b"\x0a"
INNER_TAGS = b"\x0a\x12\x1a"
"""First bytes of a resource, of scope spans, of a schema's address."""
LENGTH_BYTES = 4
CHUNK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Frame:
    """One request, or one resource of a request, and where it begins."""

    body: bytes
    place: str


def is_protobuf(head: bytes, *, whole: bool) -> bool:
    """Whether the beginning of a file looks like OTLP requests in protobuf."""
    return _is_request(head, whole=whole) or _is_delimited(head)


def _is_delimited(head: bytes) -> bool:
    """Whether each request has its length in four bytes before it."""
    size = int.from_bytes(head[:LENGTH_BYTES], "big")
    body = head[LENGTH_BYTES : LENGTH_BYTES + size]
    return size > 0 and _is_request(body, whole=len(body) == size)


def _is_request(head: bytes, *, whole: bool) -> bool:
    if head[:1] != RESOURCE_SPANS_TAG:
        return False
    try:
        size, at = varint(head, 1)
    except WireError:
        return False
    if size == 0 or head[at : at + 1] not in {bytes([tag]) for tag in INNER_TAGS}:
        return False
    inner = head[at : at + size]
    return _is_message(inner) if len(inner) == size else not whole


def _is_message(data: bytes) -> bool:
    try:
        for _ in fields(data):
            pass
    except WireError:
        return False
    return True


def frames(source: BinaryIO, limits: Limits) -> Iterator[Frame | Reject]:
    """The requests of a file, as far as its bytes make sense."""
    first = source.read(1)
    plain = first == RESOURCE_SPANS_TAG
    try:
        yield from (_plain if plain else _delimited)(source, first, limits)
    except Unreadable as error:
        # What was read before still counts.
        yield error.reject("file")


def _plain(source: BinaryIO, tag: bytes, limits: Limits) -> Iterator[Frame | Reject]:
    """One frame a resource: requests in a row are one long request."""
    at = 0
    while tag:
        if tag != RESOURCE_SPANS_TAG:
            reason = "this is not the beginning of a resource in OTLP protobuf."
            raise Unreadable(reason, f"byte {at}", "not_otlp")
        encoded = _size_bytes(source, at)
        size, _ = varint(encoded, 0)
        begin = at + 1 + len(encoded)
        taken = _take(source, size, begin, limits)
        if isinstance(taken, Reject):
            yield taken
        else:
            yield Frame(tag + encoded + taken, f"byte {at}")
        at = begin + size
        tag = source.read(1)


def _size_bytes(source: BinaryIO, at: int) -> bytes:
    encoded = b""
    while len(encoded) < LONGEST_VARINT:
        byte = source.read(1)
        encoded += byte
        if not byte or byte[0] < 0x80:
            break
    if not encoded or encoded[-1] >= 0x80:
        raise Unreadable("the file ends inside a length.", f"byte {at}", "truncated")
    return encoded


def _delimited(
    source: BinaryIO, first: bytes, limits: Limits
) -> Iterator[Frame | Reject]:
    at = 0
    length = first + source.read(LENGTH_BYTES - 1)
    while length:
        if len(length) < LENGTH_BYTES:
            raise Unreadable(
                "the file ends inside a length.", f"byte {at}", "truncated"
            )
        size = int.from_bytes(length, "big")
        taken = _take(source, size, at + LENGTH_BYTES, limits)
        yield taken if isinstance(taken, Reject) else Frame(taken, f"byte {at}")
        at += LENGTH_BYTES + size
        length = source.read(LENGTH_BYTES)


def _take(source: BinaryIO, size: int, at: int, limits: Limits) -> bytes | Reject:
    """The next bytes; passed over, and said so, where they are too many."""
    keep = size <= limits.max_trace_bytes
    parts, missing = [], size
    while missing and (part := source.read(min(missing, CHUNK))):
        missing -= len(part)
        if keep:
            parts.append(part)
    if missing:
        reason = f"the file ends {missing} bytes before the end of this request."
        raise Unreadable(reason, f"byte {at}", "truncated")
    if keep:
        return b"".join(parts)
    reason = f"longer than the {limits.max_trace_bytes} bytes allowed for one request."
    return Reject("trace", f"byte {at}", reason, "too_long")
