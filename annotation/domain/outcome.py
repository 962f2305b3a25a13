"""What a coefficient answers: a number, or why there is none.

Undefined is never 0, never 1 and never NaN: libraries disagree about all three
(table in docs/agreement.md), so a reason stands instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any


class Reason(StrEnum):
    """Why there is no number; the words are for people."""

    NO_OVERLAP = "no_overlap"
    TOO_FEW_ITEMS = "too_few_items"
    SINGLE_CLASS = "single_class"
    UNEQUAL_RATERS = "unequal_raters"
    TOO_FEW_RATERS = "too_few_raters"
    NO_CASES = "no_cases"
    UNDEFINED_DRAWS = "undefined_draws"
    TOO_FEW_TRACES = "too_few_traces"
    NO_SPREAD = "no_spread"

    @property
    def words(self) -> str:
        """One sentence without a full stop, fit for a page."""
        return _WORDS[self]


_WORDS = {
    Reason.NO_OVERLAP: "no item has two ratings to compare (n = 0)",
    Reason.TOO_FEW_ITEMS: "a single item says nothing about agreement by chance",
    Reason.SINGLE_CLASS: (
        "all ratings have the same value, so agreement by chance is certain"
    ),
    Reason.UNEQUAL_RATERS: "the items don't all have the same number of ratings",
    Reason.TOO_FEW_RATERS: "at least two raters are needed",
    Reason.NO_CASES: "there is no case to count",
    Reason.UNDEFINED_DRAWS: (
        "more than 5 % of the bootstrap draws have no value themselves"
    ),
    Reason.TOO_FEW_TRACES: "at least two traces are needed to resample traces",
    Reason.NO_SPREAD: "the standard error is zero, which is no sign of certainty",
}


class Note(StrEnum):
    """What a reader must know beside a number."""

    ONE_RATER_CONSTANT = "one_rater_constant"
    BOTH_RATERS_CONSTANT = "both_raters_constant"
    PREVALENCE = "prevalence"
    PRELIMINARY = "preliminary"
    SMALL = "small"

    @property
    def words(self) -> str:
        """One sentence without a full stop, fit for a page."""
        return _NOTES[self]


_NOTES = {
    Note.ONE_RATER_CONSTANT: (
        "one rater used a single value: agreement can't exceed chance"
    ),
    Note.BOTH_RATERS_CONSTANT: "each rater used a single value, and not the same",
    Note.PREVALENCE: (
        "one value holds more than 70 % of the ratings, which pulls chance-corrected "
        "agreement down: read AC1 and the agreement by value beside it"
    ),
    Note.PRELIMINARY: "fewer than 30 steps are rated twice: preliminary",
    Note.SMALL: "fewer than 20 items",
}


@dataclass(frozen=True, slots=True)
class Undefined:
    """No number, and why.

    Attributes:
        reason: Code, the same in page, API and export.
    """

    reason: Reason

    @property
    def words(self) -> str:
        """The reason as a sentence."""
        return self.reason.words


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient of agreement with what it was made from.

    Attributes:
        name: Which coefficient and which weights.
        exact: The value as a fraction; None where undefined. Independent of the
            order of rows, raters and traces to the last digit.
        observed: Observed agreement p_o, weighted where the coefficient is;
            None without items.
        expected: Agreement expected by chance, None where it isn't computed.
        n: Number of items compared.
        undefined: Why there is no value.
        notes: What must stand beside the value.
    """

    name: str
    exact: Fraction | None
    observed: Fraction | None
    expected: Fraction | None
    n: int
    undefined: Undefined | None = None
    notes: tuple[Note, ...] = ()

    @property
    def value(self) -> float | None:
        """The value as the nearest float."""
        return None if self.exact is None else float(self.exact)

    def noted(self, *notes: Note) -> Coefficient:
        """The same with further notes, none of them twice."""
        return replace(self, notes=tuple(dict.fromkeys((*self.notes, *notes))))

    def as_json(self) -> dict[str, Any]:
        """Plain data; ``value`` is null where ``reason`` is given."""
        return {
            "name": self.name,
            "value": self.value,
            "reason": self.undefined.reason.value if self.undefined else None,
            "words": self.undefined.words if self.undefined else None,
            "observed": _float(self.observed),
            "expected": _float(self.expected),
            "n": self.n,
            "notes": [{"code": n.value, "words": n.words} for n in self.notes],
        }


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def undefined(
    name: str, reason: Reason, n: int, observed: Fraction | None = None
) -> Coefficient:
    """A coefficient without a value."""
    return Coefficient(name, None, observed, None, n, Undefined(reason))


def corrected(
    name: str, disagreement: Fraction, by_chance: Fraction, n: int
) -> Coefficient:
    """1 − D_o / D_e; undefined as ``single_class`` where chance leaves nothing.

    Args:
        name: Name of the coefficient.
        disagreement: Observed disagreement, 1 − p_o.
        by_chance: Expected disagreement, 1 − p_e.
        n: Number of items compared.
    """
    observed = 1 - disagreement
    if not n:
        return undefined(name, Reason.NO_OVERLAP, 0)
    if n == 1:
        return undefined(name, Reason.TOO_FEW_ITEMS, 1, observed)
    if not by_chance:
        return undefined(name, Reason.SINGLE_CLASS, n, observed)
    value = 1 - disagreement / by_chance
    return Coefficient(name, value, observed, 1 - by_chance, n)
