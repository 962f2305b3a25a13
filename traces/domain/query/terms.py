"""One term of a query, and its values as typed and as meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import TypeAlias

from traces.domain.query.fields import Field, Kind


class Op(StrEnum):
    """How a value is compared."""

    IS = ""
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="


@dataclass(frozen=True, slots=True)
class DaysAgo:
    """The start of a day in the reader's zone: 0 is today, 1 is yesterday."""

    days: int


Value: TypeAlias = str | bool | float | DaysAgo | timedelta | date | datetime
"""Text; yes or no; a number in its base unit (durations: milliseconds); a
moment: a day, a span of time before now, or an aware time."""


@dataclass(frozen=True, slots=True)
class Term:
    """One condition.

    Attributes:
        field: Name of a field, "" for words to be found in the trace.
        values: Any of these is enough; never empty.
        op: Other than IS only for numbers, and then there is one value.
        negated: True for "not".
    """

    field: str
    values: tuple[Value, ...]
    op: Op = Op.IS
    negated: bool = False


class ValueReadError(ValueError):
    """A value that its field can't take; the message is for people."""


_UNITS: Mapping[str, float] = MappingProxyType(
    {"ms": 1.0, "s": 1_000.0, "m": 60_000.0, "h": 3_600_000.0, "d": 86_400_000.0}
)
_NUMBER = re.compile(r"\$?(\d{1,15}(?:\.\d{1,9})?|\.\d{1,9})\Z")
_DURATION = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)(ms|s|m|h|d)?\Z")
_LONGEST_MS = 1e13
_AGO = re.compile(r"(\d{1,5})(m|h|d|w)\Z")
_AGO_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_YES_NO = {"yes": True, "true": True, "no": False, "false": False}


def read_value(field: Field, text: str) -> Value:
    """Read one value as its field means it.

    Raises:
        ValueReadError: The field can't take this text.
    """
    if not text:
        raise ValueReadError(f"{field.name} needs a value")
    return _READERS[field.kind](field, text)


def _read_text(_field: Field, text: str) -> Value:
    return text


def _read_choice(field: Field, text: str) -> Value:
    if text.lower() not in field.values:
        choices = ", ".join(field.values)
        raise ValueReadError(f"{field.name} is one of {choices}, not “{text}”")
    return text.lower()


def _read_number(field: Field, text: str) -> Value:
    found = _NUMBER.match(text)
    if not found:
        raise ValueReadError(f"{field.name} needs a number, not “{text}”")
    return float(found[1])


def _read_count(field: Field, text: str) -> Value:
    if text.lower() in _YES_NO:
        return _YES_NO[text.lower()]
    if not _NUMBER.match(text):
        raise ValueReadError(f"{field.name} is yes, no or a number, not “{text}”")
    return _read_number(field, text)


def _read_duration(field: Field, text: str) -> Value:
    found = _DURATION.match(text.lower())
    if not found:
        raise ValueReadError(f"{field.name} is like 500ms, 30s or 2m, not “{text}”")
    length = round(float(found[1]) * _UNITS[found[2] or "s"], 3)
    if length > _LONGEST_MS:
        raise ValueReadError(f"{field.name} of “{text}” is longer than 300 years")
    return length


def _read_time(field: Field, text: str) -> Value:
    word = text.lower()
    if word in {"today", "yesterday"}:
        return DaysAgo(("today", "yesterday").index(word))
    if found := _AGO.match(word):
        return timedelta(**{_AGO_UNITS[found[2]]: int(found[1])})
    try:
        return _read_moment(text)
    except ValueError as error:
        example = "today, 7d, 2026-01-31 or 2026-01-31T09:30Z"
        raise ValueReadError(f"{field.name} is like {example}, not “{text}”") from error


def _read_moment(text: str) -> date | datetime:
    if len(text) <= len("2026-01-31"):
        return date.fromisoformat(text)
    moment = datetime.fromisoformat(text)
    # A time without a zone is UTC, as everywhere in the product.
    return moment.replace(tzinfo=moment.tzinfo or UTC)


_READERS: Mapping[Kind, Callable[[Field, str], Value]] = MappingProxyType(
    {
        Kind.TEXT: _read_text,
        Kind.LIST: _read_text,
        Kind.CHOICE: _read_choice,
        Kind.COUNT: _read_count,
        Kind.NUMBER: _read_number,
        Kind.DURATION: _read_duration,
        Kind.TIME: _read_time,
    }
)

ORDERED = frozenset({Kind.COUNT, Kind.NUMBER, Kind.DURATION})
"""Kinds that can be compared with ``<`` and ``>``."""


def render_term(term: Term, kind: Kind = Kind.TEXT) -> str:
    """The term as one would type it; reading it gives the same term."""
    values = ",".join(render_value(value, kind) for value in term.values)
    sign = "-" if term.negated else ""
    return f"{sign}{term.field}:{term.op}{values}" if term.field else f"{sign}{values}"


def render_value(value: Value, kind: Kind = Kind.TEXT) -> str:
    """One value as one would type it."""
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return _render_number(value, kind)
        case DaysAgo():
            return ("today", "yesterday")[value.days]
        case timedelta():
            return _render_ago(value)
        case date():
            return value.isoformat().replace("+00:00", "Z")
    return quote(value)


def _render_number(number: float, kind: Kind) -> str:
    if kind is not Kind.DURATION:
        return _plain(number)
    for unit in ("h", "m", "s"):
        if number and number % _UNITS[unit] == 0:
            return _plain(number / _UNITS[unit]) + unit
    return _plain(number) + "ms"


def _plain(number: float) -> str:
    return f"{number:.9f}".rstrip("0").rstrip(".")


def _render_ago(span: timedelta) -> str:
    minutes = span // timedelta(minutes=1)
    for size, unit in ((1_440, "d"), (60, "h")):
        if minutes % size == 0:
            return f"{minutes // size}{unit}"
    return f"{minutes}m"


_SAFE = re.compile(r"[^\s\",:<>=\\-][^\s\",:<>=\\]*\Z")


def quote(text: str) -> str:
    """The text as a value: in quotes where it would be misread without."""
    if _SAFE.match(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
