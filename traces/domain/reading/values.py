"""Attribute values as what they mean, whatever their type; never raises."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from traces.domain.reading.jsontext import parsed
from traces.domain.records import Json

LARGEST = 10**12
"""No call counts or costs more; the sums of whole traces stay within 64 bits."""
LONGEST_DIGITS = 19


def text(value: Json) -> str:
    """A scalar as text, "" for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return ""
    return str(value)


def first(attributes: Mapping[str, Json], *keys: str) -> Json:
    """The first of several attributes that is set and not empty text."""
    for key in keys:
        value = attributes.get(key)
        if value is not None and value != "":
            return value
    return None


def given(attributes: Mapping[str, Json], *keys: str) -> Json:
    """The first of several attributes that is set, with its JSON text read."""
    for key in keys:
        if attributes.get(key) is not None:
            return parsed(attributes[key])
    return None


def first_text(attributes: Mapping[str, Json], *keys: str) -> str:
    """The first of several attributes that holds a text."""
    for key in keys:
        value = attributes.get(key)
        # Most keys asked for aren't there: that has to be quick.
        if value is not None and (found := text(value)):
            return found
    return ""


def whole(value: Json) -> int | None:
    """A whole number from zero to ``LARGEST``; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        good = value.isascii() and value.isdigit() and len(value) <= LONGEST_DIGITS
        value = int(value) if good else None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and 0 <= value <= LARGEST else None


def first_whole(attributes: Mapping[str, Json], *keys: str) -> int | None:
    """The first of several attributes that holds a whole number."""
    for key in keys:
        value = attributes.get(key)
        if value is not None and (found := whole(value)) is not None:
            return found
    return None


def decimal(value: Json) -> float | None:
    """A number from zero to ``LARGEST``; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if 0 <= found <= LARGEST else None


def first_decimal(attributes: Mapping[str, Json], *keys: str) -> float | None:
    """The first of several attributes that holds a number."""
    for key in keys:
        found = decimal(attributes.get(key))
        if found is not None:
            return found
    return None


def objects(value: Json) -> list[dict[str, Json]]:
    """The objects in a list (or the one object); [] for anything else."""
    if isinstance(value, dict):
        return [value]
    if isinstance(value, (list, tuple)):
        return [one for one in value if isinstance(one, dict)]
    return []


def mapping(value: Json) -> Mapping[str, Json]:
    """An object, given as such or as JSON text; an empty one for all else."""
    value = parsed(value)
    return value if isinstance(value, dict) else {}


def strings(value: Json) -> tuple[str, ...]:
    """The texts in a list, or one text."""
    value = parsed(value)
    if isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, (list, tuple)):
        return tuple(one for one in map(text, value) if one)
    return ()


def under(value: Json, *keys: str) -> Json:
    """Walk down objects by key; None where there is no such key."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def joined(parts: Iterable[str]) -> str:
    """Non-empty texts on lines of their own."""
    return "\n".join(part for part in parts if part)
