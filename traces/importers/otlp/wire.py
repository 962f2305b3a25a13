"""The protobuf wire format, read field by field without a schema."""

from __future__ import annotations

import struct
from collections.abc import Iterator

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
LONGEST_VARINT = 10

Field = tuple[int, int, int | bytes]
"""Number, wire type and raw value: bytes for ``LENGTH``, else a whole number."""


class WireError(ValueError):
    """Bytes that aren't protobuf."""


def fields(data: bytes) -> Iterator[Field]:
    """The fields of one message, in order.

    Raises:
        WireError: Where the bytes stop being protobuf; what stood before has
            been yielded.
    """
    at, end = 0, len(data)
    while at < end:
        tag, at = varint(data, at)
        number, kind = tag >> 3, tag & 7
        if not number:
            raise WireError(f"field number 0 at byte {at}")
        if kind == VARINT:
            value, at = varint(data, at)
            yield number, kind, value
        elif kind == LENGTH:
            size, at = varint(data, at)
            if size > end - at:
                raise WireError(
                    f"{size} bytes announced at byte {at}, {end - at} are there"
                )
            yield number, kind, data[at : at + size]
            at += size
        else:
            fixed, at = _fixed(data, at, kind)
            yield number, kind, fixed


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of 7 bits a byte, and where it ends."""
    value = 0
    for shift, byte in enumerate(data[at : at + LONGEST_VARINT]):
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at + shift + 1
    raise WireError(f"no end to the number at byte {at}")


def _fixed(data: bytes, at: int, kind: int) -> tuple[int, int]:
    size = {FIXED64: 8, FIXED32: 4}.get(kind)
    if size is None:
        raise WireError(f"wire type {kind} at byte {at}")
    raw = data[at : at + size]
    if len(raw) < size:
        raise WireError(f"{size} bytes wanted at byte {at}, {len(raw)} are there")
    return int.from_bytes(raw, "little"), at + size


def signed(value: int) -> int:
    """A 64-bit number as the signed one it stands for."""
    return value - 2**64 if value >= 2**63 else value


def double(value: int) -> float:
    """A 64-bit number as the floating point number it stands for."""
    number: float = struct.unpack("<d", value.to_bytes(8, "little"))[0]
    return number
