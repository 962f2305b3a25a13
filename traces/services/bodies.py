"""Decompressing what strangers send, never further than allowed."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from types import MappingProxyType

GZIP_OR_ZLIB = 47
RAW_DEFLATE = -15
MAX_MEMBERS = 16


class TooLargeError(Exception):
    """More comes out than is allowed."""


class DamagedError(Exception):
    """What came isn't in the encoding that it claims to be in."""


def decompress(data: bytes, encoding: str, limit: int) -> bytes:
    """The content of a body in one of ``ENCODINGS``.

    Never makes more than ``limit`` bytes and a bit.

    Raises:
        TooLargeError: The content has more than ``limit`` bytes.
        DamagedError: The body is cut off, or in another encoding.
    """
    try:
        content = ENCODINGS[encoding](data, limit)
    except zlib.error as error:
        raise DamagedError(f"the body is not valid {encoding}: {error}") from error
    if len(content) > limit:
        raise TooLargeError
    return content


def _identity(data: bytes, limit: int) -> bytes:
    del limit
    return data


def _gzip(data: bytes, limit: int) -> bytes:
    """All members of a gzip file; each costs a copy of the rest."""
    content = b""
    for _member in range(MAX_MEMBERS):
        more, data = _inflate(data, GZIP_OR_ZLIB, limit - len(content))
        content += more
        if len(content) > limit or not data.strip(b"\0"):
            return content
    raise DamagedError(f"the body has more than {MAX_MEMBERS} gzip members")


def _deflate(data: bytes, limit: int) -> bytes:
    """Zlib as the standard says, or raw as some clients send it."""
    try:
        return _inflate(data, GZIP_OR_ZLIB, limit)[0]
    except zlib.error:
        return _inflate(data, RAW_DEFLATE, limit)[0]


def _inflate(data: bytes, window: int, limit: int) -> tuple[bytes, bytes]:
    """At most ``limit`` + 1 bytes of content, and what follows the stream."""
    stream = zlib.decompressobj(window)
    content = stream.decompress(data, limit + 1)
    if len(content) <= limit and not stream.eof:
        raise DamagedError("the compressed body is cut off")
    return content, stream.unused_data


ENCODINGS: Mapping[str, Callable[[bytes, int], bytes]] = MappingProxyType(
    {
        "": _identity,
        "identity": _identity,
        "gzip": _gzip,
        "x-gzip": _gzip,
        "deflate": _deflate,
    }
)
"""Content-Encoding to the function that undoes it."""
