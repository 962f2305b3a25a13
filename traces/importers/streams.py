"""Streams whose beginning was read already."""

from __future__ import annotations

import io
from typing import BinaryIO, cast


def read_fully(source: BinaryIO, size: int) -> bytes:
    """``size`` bytes, fewer only at the end; a pipe gives less at a time."""
    parts, missing = [], size
    while missing and (part := source.read(missing)):
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def replay(head: bytes, rest: BinaryIO) -> BinaryIO:
    """A stream of ``head`` and then of ``rest``."""
    return as_binary(_Replay(head, rest))


def as_binary(raw: io.RawIOBase) -> BinaryIO:
    """A raw stream with a buffer of its own."""
    return cast("BinaryIO", io.BufferedReader(raw))


class _Replay(io.RawIOBase):
    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = memoryview(head)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        size = len(buffer)
        part: bytes | memoryview = self._head[:size]
        if part:
            self._head = self._head[size:]
        else:
            part = self._rest.read(size)
        buffer[: len(part)] = part
        return len(part)
