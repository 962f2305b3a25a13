"""The text form of a step's content, the same for checks and pages.

A text is its own form. Any other JSON value is written as ``json.dumps`` with
two spaces' indent would write it, but without recursion; where it is nested
deeper than ``MAX_DEPTH`` an ellipsis stands for the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from json.encoder import encode_basestring

from traces.domain.records import Json

MAX_DEPTH = 100
MAX_TEXT = 200_000
"""Characters of one content that the checks look at."""

_FLOATS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
_WORDS = {True: "true", False: "false", None: "null"}


@dataclass(frozen=True, slots=True)
class Leaf:
    """A scalar within a content.

    Attributes:
        path: Keys and list places joined by dots, "" for the whole content.
        key: Nearest key above it, "" if there is none.
        value: Text, number, truth value or None.
        start: Where it stands in the text form; of a text in quotes, where
            the text itself begins.
        end: First character after it.
    """

    path: str
    key: str
    value: str | int | float | bool | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Form:
    """The beginning of a content as text, with its scalars.

    Attributes:
        text: Text form, at most a little longer than the limit asked for.
        leaves: Scalars in the order of the text.
        plain: Whether the content is a text itself.
        whole: Whether nothing was left out.
    """

    text: str
    leaves: tuple[Leaf, ...] = ()
    plain: bool = True
    whole: bool = True


EMPTY = Form("")


def text_of(value: Json) -> str:
    """Text itself, or a JSON value written out with two spaces' indent."""
    return form_of(value, limit=None).text


def form_of(value: Json, limit: int | None = MAX_TEXT) -> Form:
    """Text form and scalars of a content.

    Args:
        value: Text, any other JSON value, or None for nothing recorded.
        limit: Stop soon after so many characters; None for no limit.
    """
    if value is None:
        return EMPTY
    if isinstance(value, str):
        text = value if limit is None else value[:limit]
        leaf = Leaf("", "", text, 0, len(text))
        return Form(text, (leaf,), whole=len(text) == len(value))
    return _Writer(limit).write(value)


@dataclass(slots=True)
class _Frame:
    """A container that is being written."""

    items: list[tuple[str, Json]]
    path: str
    key: str
    mapping: bool
    at: int = 0


class _Writer:
    """Writes a JSON value, noting where its scalars stand."""

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self.parts: list[str] = []
        self.size = 0
        self.leaves: list[Leaf] = []
        self.frames: list[_Frame] = []

    def write(self, value: Json) -> Form:
        self._value(value, "", "")
        whole = True
        while self.frames:
            if self.limit is not None and self.size > self.limit:
                whole = False
                break
            self._next(self.frames[-1])
        text = "".join(self.parts)
        return Form(text, tuple(self.leaves), plain=False, whole=whole)

    def _put(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)

    def _next(self, frame: _Frame) -> None:
        """Write the next item of the innermost container, or its end."""
        if frame.at == len(frame.items):
            self.frames.pop()
            self._put("\n" + "  " * len(self.frames))
            self._put("}" if frame.mapping else "]")
            return
        name, item = frame.items[frame.at]
        self._put((",\n" if frame.at else "\n") + "  " * len(self.frames))
        frame.at += 1
        if frame.mapping:
            self._put(f"{encode_basestring(name)}: ")
        path = f"{frame.path}.{name}" if frame.path else name
        self._value(item, path, name if frame.mapping else frame.key)

    def _value(self, value: Json, path: str, key: str) -> None:
        if isinstance(value, (dict, list, tuple)):
            self._open(value, path, key)
        elif isinstance(value, str):
            quoted = encode_basestring(value)
            start = self.size + 1
            self._put(quoted)
            self.leaves.append(Leaf(path, key, value, start, self.size - 1))
        else:
            start = self.size
            self._put(_scalar(value))
            self.leaves.append(Leaf(path, key, value, start, self.size))

    def _open(
        self,
        value: dict[str, Json] | list[Json] | tuple[Json, ...],
        path: str,
        key: str,
    ) -> None:
        mapping = isinstance(value, dict)
        if not value:
            self._put("{}" if mapping else "[]")
        elif len(self.frames) >= MAX_DEPTH:
            self._put('"…"')
        else:
            items = _items(value)
            self._put("{" if mapping else "[")
            self.frames.append(_Frame(items, path, key, mapping))


def _items(
    value: dict[str, Json] | list[Json] | tuple[Json, ...],
) -> list[tuple[str, Json]]:
    if isinstance(value, dict):
        return list(value.items())
    return [(str(place), item) for place, item in enumerate(value)]


def _scalar(value: object) -> str:
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, float):
        shown = repr(value)
        return _FLOATS.get(shown, shown)
    return encode_basestring(type(value).__name__)


def _integer(value: int) -> str:
    """Digits; of a number too long for Python to write, its size."""
    if value.bit_length() > 12_000:
        return encode_basestring(f"a number of {value.bit_length()} bits")
    return int.__repr__(value)
