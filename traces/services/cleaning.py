"""Text and numbers that no store takes, replaced so that nothing breaks later.

PostgreSQL refuses NUL in text, UTF-8 has no lone surrogates, JSON has no NaN.
All three arrive from real senders.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from traces.domain.cutting import too_deep
from traces.domain.records import Json
from traces.domain.storable import storable

MAX_DEPTH = 200
TOO_DEEP = too_deep(MAX_DEPTH)
LONGEST_DIGITS = 4_000


def clean_text(text: str) -> str:
    """The text with every NUL and lone surrogate as U+FFFD."""
    return storable(text)[0]


@dataclass(frozen=True, slots=True)
class Clean:
    """A JSON value that every store takes, and whether anything was replaced."""

    value: Json
    changed: bool


def clean_json(value: Json) -> Clean:
    """Replace what JSON or a database can't hold, at any depth.

    Numbers that JSON lacks, and whole numbers beyond 64 bits, become text
    (``"NaN"``); values nested beyond ``MAX_DEPTH`` become a sentence that says
    so, and anything that isn't JSON becomes its text.
    """
    walk = _Walk()
    return Clean(walk.clean(value, 0), walk.changed)


class _Walk:
    """Recursion is safe here: it ends at ``MAX_DEPTH``."""

    def __init__(self) -> None:
        self.changed = False

    def clean(self, value: Json, depth: int) -> Json:
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return self._noted(value, clean_text(value))
        if isinstance(value, int | float):
            return self._noted(value, _number(value))
        if depth >= MAX_DEPTH:
            return self._noted(value, TOO_DEEP)
        return self._container(value, depth + 1)

    def _container(self, value: Json, depth: int) -> Json:
        if isinstance(value, Mapping):
            return {
                self._noted(key, clean_text(str(key))): self.clean(found, depth)
                for key, found in value.items()
            }
        if isinstance(value, list | tuple):
            return [self.clean(found, depth) for found in value]
        return self._noted(value, clean_text(str(value)))

    def _noted(self, before: Json, after: Json) -> Json:
        self.changed = self.changed or (after is not before and after != before)
        return after


def _number(value: float) -> Json:
    """A number that JSON readers agree on, else its text."""
    if isinstance(value, int):
        if -(2**63) <= value < 2**64:
            return value
        return str(value) if value.bit_length() < 3 * LONGEST_DIGITS else hex(value)
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
