"""JSON as strangers write it: read what can be read, say what was changed.

Well-formed text takes a fast path. The slow one accepts what programs write
although JSON forbids it, and never recurses, so that nesting has no bound but
the length of the text:

- ``NaN``, ``Infinity`` and numbers that fit neither a 64-bit integer nor a
  finite double are kept as their text;
- NUL, halves of surrogate pairs and bytes that aren't UTF-8 become U+FFFD;
- control characters within strings stay;
- what is nested deeper than allowed is kept as its JSON text;
- a text longer than allowed is cut, and says so at its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

import orjson

from traces.domain.cutting import cut_to
from traces.domain.records import Json, Reject
from traces.domain.storable import REPLACEMENT, depth, has_digits, storable
from traces.importers.base import DEFAULT_LIMITS, Limits, Unreadable

_SPACE = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:Infinity|[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?)|NaN")
_UNTIL_BRACKET = re.compile(r'(?:[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+")*+', re.DOTALL)
_LONGEST_SAFE = 20
_WORDS = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}
_LONGEST_INTEGER = 20


@dataclass(frozen=True, slots=True)
class Start:
    """Where in its file a text begins: 0-based byte, 1-based line and column."""

    byte: int = 0
    line: int = 1
    column: int = 1

    def after(self, passed: bytes | bytearray) -> Start:
        """Where the text goes on after ``passed``, which begins here."""
        lines = passed.count(b"\n")
        column = len(passed) - passed.rfind(b"\n")
        if not lines:
            column = self.column + len(passed)
        return Start(self.byte + len(passed), self.line + lines, column)

    def __str__(self) -> str:
        """In words, as places are shown."""
        return f"line {self.line}, column {self.column}, byte {self.byte}"


FILE_START = Start()


@dataclass(frozen=True, slots=True)
class Parsed:
    """A JSON value and what was changed in it, one entry a kind of change."""

    value: Json
    notes: tuple[Reject, ...] = ()


def parse(
    data: bytes, *, limits: Limits = DEFAULT_LIMITS, start: Start = FILE_START
) -> Parsed:
    """The one JSON value in ``data``.

    Raises:
        Unreadable: With line, column and byte, if it isn't one.
    """
    fast = _parse_fast(data, limits)
    if fast is not None:
        return Parsed(fast[0], _notes(fast[1], str(start)))
    reader = _Reader(_decoded(data), limits)
    value = reader.read()
    if reader.error:
        before = reader.text[: reader.position].encode("utf-8", "replace")
        raise Unreadable(reader.error, str(start.after(before)), "bad_json")
    return Parsed(value, _notes(reader.changes(data), str(start)))


def parse_prefix(data: bytes, *, limits: Limits = DEFAULT_LIMITS) -> Json:
    """What stands before the first damage, or before the end of cut-off text.

    Open lists and objects are closed there; None if there is nothing.
    """
    fast = _parse_fast(data, limits)
    return fast[0] if fast is not None else _Reader(_decoded(data), limits).read()


def value_or_text(text: str, *, limits: Limits = DEFAULT_LIMITS) -> Json:
    """The JSON value that a text holds, or the text itself."""
    try:
        return parse(text.encode("utf-8", "replace"), limits=limits).value
    except Unreadable:
        return text


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _parse_fast(data: bytes, limits: Limits) -> tuple[Json, dict[str, int]] | None:
    """Value and number of cut texts; None where the slow path has to look."""
    if b"\\u0000" in data or has_digits(data, _LONGEST_SAFE):
        return None
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    brackets = data.count(b"[") + data.count(b"{")
    if brackets > limits.max_depth and depth(value) > limits.max_depth:
        return None
    cut = 0
    if len(data) > limits.max_text:
        value, cut = cut_texts(value, limits.max_text)
    return value, {"text_cut": cut}


def cut_texts(value: Json, longest: int) -> tuple[Json, int]:
    """The value with long texts cut in place, and how many there were."""
    if isinstance(value, str):
        return (cut_to(value, longest), 1) if len(value) > longest else (value, 0)
    found, stack = 0, [value] if isinstance(value, list | dict) else []
    while stack:
        parent = stack.pop()
        pairs = parent.items() if isinstance(parent, dict) else enumerate(parent)
        for key, child in pairs:
            if isinstance(child, str) and len(child) > longest:
                parent[key] = cut_to(child, longest)
                found += 1
            elif isinstance(child, list | dict):
                stack.append(child)
    return value, found


_REASONS = {
    "text_cut": "{n} text(s) longer than allowed were cut; each says so at its end.",
    "text_cleaned": (
        "{n} character(s) that cannot be stored (NUL, half of a surrogate pair, "
        "bytes that aren't UTF-8) were replaced by U+FFFD."
    ),
    "number_as_text": (
        "{n} number(s) that JSON cannot hold (NaN, Infinity, more than 64 bits) "
        "were kept as text."
    ),
    "nested_too_deep": (
        "{n} value(s) nested deeper than allowed were kept as JSON text."
    ),
}


def _notes(changes: dict[str, int], place: str) -> tuple[Reject, ...]:
    return tuple(
        Reject("attribute", place, _REASONS[code].format(n=n), code)
        for code, n in sorted(changes.items())
        if n
    )


class _DamageError(Exception):
    """Reading stops at ``position``."""

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.position = position


class _Reader:
    """Reads one value with a stack of its own instead of recursion."""

    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.position = 0
        self.error = ""
        self.cleaned = self.as_text = self.deep = self.cut = 0
        self.open: list[Any] = []
        self.key = ""
        self.root: Json = None

    def changes(self, data: bytes) -> dict[str, int]:
        """Number of changes by code, for text decoded from ``data``."""
        bad = self.text.count(REPLACEMENT) - data.count(REPLACEMENT.encode())
        return {
            "text_cleaned": self.cleaned + max(bad, 0),
            "number_as_text": self.as_text,
            "nested_too_deep": self.deep,
            "text_cut": self.cut,
        }

    def read(self) -> Json:
        """The value; where damage stops it, what stands before."""
        try:
            self._value()
            while self.open:
                self._member()
            self._skip_space()
            if self.position < len(self.text):
                raise _DamageError("something follows the JSON value", self.position)
        except _DamageError as damage:
            self.error, self.position = damage.reason, damage.position
        return self.root

    def _skip_space(self) -> str:
        """Skip white space; the next character, "" at the end."""
        match = _SPACE.match(self.text, self.position)
        self.position = match.end() if match else self.position
        return self.text[self.position : self.position + 1]

    def _value(self) -> None:
        char = self._skip_space()
        if char in {"{", "["}:
            self._enter(char)
        elif char == '"':
            self._put(self._string())
        elif char in _WORDS:
            self._word(*_WORDS[char])
        else:
            self._number()

    def _enter(self, char: str) -> None:
        if len(self.open) >= self.limits.max_depth:
            self._put(self._raw())
            self.deep += 1
            return
        self.position += 1
        made: Json = {} if char == "{" else []
        self._put(made)
        self.open.append(made)
        if self._skip_space() == ("}" if char == "{" else "]"):
            self._leave()
        elif char == "{":
            self._key()
            self._value()
        else:
            self._value()

    def _leave(self) -> None:
        self.position += 1
        self.open.pop()

    def _member(self) -> None:
        """What follows a value inside the innermost open list or object."""
        inside = self.open[-1]
        char = self._skip_space()
        if char == ("}" if isinstance(inside, dict) else "]"):
            self._leave()
            return
        if char != ",":
            self._fail("a comma or the end of the list or object")
        self.position += 1
        if isinstance(inside, dict):
            self._key()
        self._value()

    def _key(self) -> None:
        if self._skip_space() != '"':
            self._fail("a key in double quotes")
        key = self._string()
        if self._skip_space() != ":":
            self._fail("a colon")
        self.position += 1
        self.key = key

    def _put(self, value: Json) -> None:
        if not self.open:
            self.root = value
        elif isinstance(self.open[-1], dict):
            self.open[-1][self.key] = value
        else:
            self.open[-1].append(value)

    def _fail(self, wanted: str) -> None:
        if self.position >= len(self.text):
            raise _DamageError("the JSON ends too early", self.position)
        raise _DamageError(f"not valid JSON: {wanted} was expected", self.position)

    def _string(self) -> str:
        try:
            text, self.position = scanstring(self.text, self.position + 1, False)
        except JSONDecodeError as error:
            raise _DamageError(_string_reason(error), error.pos) from None
        text, cleaned = storable(text)
        self.cleaned += cleaned
        if len(text) > self.limits.max_text:
            self.cut += 1
            return cut_to(text, self.limits.max_text)
        return str(text)

    def _word(self, word: str, value: Json) -> None:
        if not self.text.startswith(word, self.position):
            self._fail("a JSON value")
        self.position += len(word)
        self._put(value)

    def _number(self) -> None:
        match = _NUMBER.match(self.text, self.position)
        if not match:
            self._fail("a JSON value")
            return
        value = _number(match.group(), whole=not (match[1] or match[2]))
        self.as_text += isinstance(value, str)
        self.position = match.end()
        self._put(value)

    def _raw(self) -> str:
        """Text of the list or object that begins here, unread."""
        begin, level = self.position, 0
        while True:
            match = _UNTIL_BRACKET.match(self.text, self.position)
            self.position = match.end() if match else self.position
            if self.text[self.position : self.position + 1] in {"", '"'}:
                raise _DamageError("the JSON ends too early", self.position)
            level += 1 if self.text[self.position] in "[{" else -1
            self.position += 1
            if level == 0:
                return self._raw_text(self.text[begin : self.position])

    def _raw_text(self, text: str) -> str:
        text, cleaned = storable(text)
        self.cleaned += cleaned
        if len(text) <= self.limits.max_text:
            return text
        self.cut += 1
        return cut_to(text, self.limits.max_text)


def _string_reason(error: JSONDecodeError) -> str:
    return f"not valid JSON: {error.msg[:1].lower()}{error.msg[1:].removesuffix(' at')}"


def _number(text: str, *, whole: bool) -> int | float | str:
    """The number, or its text if neither 64 bits nor a double can hold it."""
    if whole and "n" not in text and "N" not in text:
        if len(text) > _LONGEST_INTEGER + 1:
            return text
        number = int(text)
        return number if -(2**63) <= number < 2**64 else text
    value = float(text)
    return value if value - value == 0 else text
