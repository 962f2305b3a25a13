"""A long file, one JSON value at a time: lines, a list, or values in a row.

Memory holds one value. A value that is damaged costs itself; reading goes on
with the next one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import orjson

from traces.domain.records import Json, Reject
from traces.importers.base import SAMPLE_BYTES, Limits, Sample, Unreadable
from traces.importers.jsontext import FILE_START, Start, parse, parse_prefix
from traces.importers.streams import read_fully, replay

BOM = b"\xef\xbb\xbf"
CHUNK = 64 * 1024
LINES_TRIED = 6
_OPENING = (b"{", b"[")

_SPACE = re.compile(rb"[ \t\r\n]*+")


def _plain(depth: int) -> bytes:
    """Pattern of text in which brackets, if any, pair up ``depth`` deep."""
    inner = rb"|[\[{]" + _plain(depth - 1) + rb"[\]}]" if depth else b""
    return rb'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+"' + inner + rb")*+"


# Passing whole small objects in one match is what makes cutting fast.
_UNTIL_BRACKET = re.compile(_plain(3), re.DOTALL)
_UNTIL_QUOTE = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_GARBAGE = re.compile(rb"[^,\[\]{}]*+")


@dataclass(frozen=True, slots=True)
class Item:
    """One value of a file.

    Attributes:
        value: The JSON value.
        place: Where it begins.
        size: Bytes it takes in the file.
        notes: What was changed in it.
    """

    value: Json
    place: str
    size: int
    notes: tuple[Reject, ...] = ()


def take_sample(source: BinaryIO, name: str = "") -> tuple[Sample, BinaryIO]:
    """The sample of a file, and the same file from its first byte on."""
    head = read_fully(source, SAMPLE_BYTES + 1)
    whole = len(head) <= SAMPLE_BYTES
    text = head[:SAMPLE_BYTES].removeprefix(BOM)
    first, lines = _first_value(text, whole=whole)
    sample = Sample(text, name, parse_prefix(first), lines, whole)
    return sample, replay(head, source)


def digest(value: Json) -> str:
    """16 hex digits that stand for a JSON value, whatever its layout."""
    text = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(text).hexdigest()[:16]


def _first_value(head: bytes, *, whole: bool) -> tuple[bytes, bool]:
    """Text of the first value, and whether every line is a value."""
    found = [line for line in head.split(b"\n", LINES_TRIED + 1) if line.strip()]
    ended = whole and len(found) <= LINES_TRIED
    tried = found[:LINES_TRIED] if ended else found[:-1][:LINES_TRIED]
    good = [_is_container(line) for line in tried]
    if len(found) > 1 and good and good[0]:
        return tried[0], True
    # Damage in the first line doesn't make lines a document.
    opened = bool(tried) and tried[0].strip()[:1] in _OPENING
    if opened and len(tried[0].strip()) > 1 and len(good) > 1 and all(good[1:]):
        return tried[1], True
    return head, False


def _is_container(line: bytes) -> bool:
    if line.strip()[:1] not in _OPENING:
        return False
    try:
        parse(line)
    except Unreadable:
        return False
    return True


class JsonSource:
    """The values of one file.

    Attributes:
        sample: What ``take_sample`` makes of the file.
    """

    def __init__(self, source: BinaryIO, *, limits: Limits, name: str = "") -> None:
        """Look at the beginning of ``source``, which is open at its first byte."""
        self.sample, self._source = take_sample(source, name)
        self._limits = limits

    def documents(self) -> Iterator[Item | Reject]:
        """Every line, or every value of the top level; lists stay whole."""
        return self._values(unpack=False)

    def items(self) -> Iterator[Item | Reject]:
        """Every line, or every item of the lists at the top level."""
        return self._values(unpack=True)

    def _values(self, *, unpack: bool) -> Iterator[Item | Reject]:
        start = FILE_START
        if self._source.peek(3)[:3] == BOM:  # type: ignore[attr-defined]
            self._source.read(3)
            start = Start(byte=3)
        if self.sample.lines:
            pieces = _lines(self._source, start, self._limits)
        else:
            splitter = _Splitter(self._source, start, self._limits)
            pieces = splitter.pieces(unpack=unpack)
        try:
            for piece in pieces:
                yield piece if isinstance(piece, Reject) else self._item(*piece)
        except Unreadable as error:
            # A damaged archive ends the file; what was read before still counts.
            yield error.reject("file")

    def _item(self, raw: bytes, start: Start) -> Item | Reject:
        try:
            parsed = parse(raw, limits=self._limits, start=start)
        except Unreadable as error:
            return error.reject()
        return Item(parsed.value, str(start), len(raw), parsed.notes)


Piece = tuple[bytes, Start]


def _too_long(start: Start, limits: Limits) -> Reject:
    reason = f"longer than the {limits.max_trace_bytes} bytes allowed for one value."
    return Reject("trace", str(start), reason, "too_long")


def _lines(source: BinaryIO, start: Start, limits: Limits) -> Iterator[Piece | Reject]:
    longest = limits.max_trace_bytes
    while line := source.readline(longest + 1):
        if len(line) > longest:
            yield _too_long(start, limits)
        elif line.strip():
            yield line.rstrip(b"\r\n"), start
        start = start.after(line)
        while len(line) > longest and not line.endswith(b"\n"):
            if not (line := source.readline(longest + 1)):
                return
            start = start.after(line)


class _Splitter:
    """Cuts a stream into its lists and objects without reading them."""

    def __init__(self, source: BinaryIO, start: Start, limits: Limits) -> None:
        self.source = source
        self.limits = limits
        self.buffer = b""
        self.at = 0
        self.counted = 0
        self.start = start

    def pieces(self, *, unpack: bool) -> Iterator[Piece | Reject]:
        """Values of the top level; with ``unpack``, those of its lists."""
        expected = True
        while char := self._peek():
            if unpack and char == b"[":
                self.at += 1
                yield from self._list_items()
            elif char in _OPENING:
                yield self._take()
            else:
                reject = self._skip_garbage()
                if expected:
                    yield reject
            expected = char in _OPENING

    def _list_items(self) -> Iterator[Piece | Reject]:
        start, expected, cut = self._here(), True, False
        while (char := self._peek()) != b"]":
            if not char:
                if not cut:
                    reason = "the list that begins here has no end."
                    yield Reject("file", str(start), reason, "truncated")
                return
            if char in _OPENING:
                piece = self._take()
                cut = isinstance(piece, Reject) and piece.code == "truncated"
                yield piece
            elif char == b",":
                self.at += 1
            else:
                reject = self._skip_garbage()
                if expected:
                    yield reject
            expected = char in _OPENING or (expected and char == b",")
        self.at += 1

    def _here(self) -> Start:
        """Place of the next byte; every byte is counted once."""
        self.start = self.start.after(self.buffer[self.counted : self.at])
        self.counted = self.at
        return self.start

    def _fill(self) -> bool:
        """Drop what is behind, read more; False at the end of the file."""
        self._here()
        rest = self.buffer[self.at :]
        more = self.source.read(CHUNK)
        self.buffer, self.at, self.counted = rest + more, 0, 0
        return bool(more)

    def _peek(self) -> bytes:
        """The next byte that isn't white space, b"" at the end."""
        while True:
            self.at = _end(_SPACE, self.buffer, self.at)
            if self.at < len(self.buffer):
                return self.buffer[self.at : self.at + 1]
            if not self._fill():
                return b""

    def _take(self) -> Piece | Reject:
        """The list or object that begins here."""
        start, scan, size = self._here(), _Scan(), 1
        kept = bytearray(self.buffer[self.at : self.at + 1])
        self.at += 1
        longest = self.limits.max_trace_bytes
        while True:
            end = scan.feed(self.buffer, self.at)
            size += (end or len(self.buffer)) - self.at
            if size <= longest:
                kept += self.buffer[self.at : end]
            self.at = end or len(self.buffer)
            if end:
                break
            if not self._fill():
                reason = (
                    f"the file ends inside this value, {size} bytes after its start."
                )
                return Reject("trace", str(start), reason, "truncated")
        return (
            (bytes(kept), start) if size <= longest else _too_long(start, self.limits)
        )

    def _skip_garbage(self) -> Reject:
        """Go to the next bracket or comma."""
        start = self._here()
        self.at += 1
        while (end := _end(_GARBAGE, self.buffer, self.at)) == len(self.buffer):
            self.at = end
            if not self._fill():
                break
        self.at = max(self.at, end)
        reason = "not valid JSON: an object or a list was expected"
        return Reject("trace", str(start), reason, "bad_json")


class _Scan:
    """Finds where a list or object ends, fed what follows its first bracket."""

    def __init__(self) -> None:
        self.level = 1
        self.quoted = self.escaped = False

    def feed(self, buffer: bytes, at: int) -> int | None:
        """Position after the end, None if it isn't in this buffer."""
        while at < len(buffer):
            if self.escaped:
                self.escaped = False
                at += 1
            elif self.quoted:
                at = self._in_text(buffer, at)
            else:
                at = self._between_texts(buffer, at)
                if self.level == 0:
                    return at
        return None

    def _in_text(self, buffer: bytes, at: int) -> int:
        at = _end(_UNTIL_QUOTE, buffer, at)
        if at < len(buffer):
            self.escaped = buffer[at : at + 1] == b"\\"
            self.quoted = self.escaped
        return at + 1

    def _between_texts(self, buffer: bytes, at: int) -> int:
        at = _end(_UNTIL_BRACKET, buffer, at)
        char = buffer[at : at + 1]
        if char == b'"':
            self.quoted = True
        elif char:
            self.level += 1 if char in _OPENING else -1
        return at + 1


def _end(pattern: re.Pattern[bytes], buffer: bytes, at: int) -> int:
    """Where a pattern that matches even nothing stops matching."""
    match = pattern.match(buffer, at)
    return match.end() if match else at
