"""Ratings, what is left out of agreement and why, and tables of what is used.

An item is a step of a trace: the key is (trace, step), never the step's number
alone, so that step 3 of one trace is never compared with step 3 of another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

import numpy as np

from annotation.domain.scale import FAILS_AT, SCORES, Array, Label, Scale

MOST_FAULTS = 100


class Purpose(StrEnum):
    """Why a rating was asked for; only planned ones measure agreement."""

    PLANNED = "planned"
    GOLD = "gold"
    REPEAT = "repeat"
    EXTRA = "extra"
    """Asked for because others disagreed: these items are harder than most."""
    OVER_QUOTA = "over_quota"
    ADJUDICATION = "adjudication"


@dataclass(frozen=True, slots=True)
class Rating:
    """What one rater said about one step.

    Attributes:
        trace: Trace id, the cluster of every interval.
        step: Step key, unique within its trace.
        rater: Stable pseudonym, or the judge's name.
        score: 1 to 5, None where the rater gave none.
        category: Taxonomy ids from level 1 down; () is no failure named.
        root: Whether the rater marked the step as the root cause.
        kind: Step type, "" if unknown.
        group: Workflow, or any other name to slice by.
        period: When it was given, as a name that sorts (week, month).
        blind: Given before the rater could see the judge or peers.
        purpose: See ``Purpose``.
        place: Where it came from (row of a file, id of a label).
        failed: Whether the rater's own rule calls the step failed (a judge's
            threshold depends on the step type); None: a score of 2 or less.
    """

    trace: str
    step: str
    rater: str
    score: float | None
    category: tuple[str, ...] = ()
    root: bool = False
    kind: str = ""
    group: str = ""
    period: str = ""
    blind: bool = True
    purpose: Purpose = Purpose.PLANNED
    place: str = ""
    failed: bool | None = None

    @property
    def fails(self) -> bool:
        """Whether the rater sees a failure; experts fail a step with 2 or less."""
        if self.failed is not None:
            return self.failed
        return self.score is not None and self.score <= FAILS_AT

    @property
    def item(self) -> tuple[str, str]:
        """Trace and step."""
        return self.trace, self.step


@dataclass(frozen=True, slots=True)
class Fault:
    """A rating that can't stand: which, and why.

    Attributes:
        at: Position in the input, from 0.
        rating: The rating itself.
        reason: ``duplicate`` or ``out_of_domain``.
    """

    at: int
    rating: Rating
    reason: str

    @property
    def words(self) -> str:
        """Place and reason as a sentence."""
        one = self.rating
        place = one.place or f"rating {self.at + 1}"
        where = f"{place}: step {one.step!r} of trace {one.trace!r} by {one.rater!r}"
        if self.reason == "duplicate":
            return f"{where} was already rated by the same rater"
        return f"{where} has a value outside the declared scale"


class RatingError(ValueError):
    """Ratings that would make a coefficient wrong.

    Attributes:
        faults: The first hundred, in input order.
    """

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults[:MOST_FAULTS])
        more = len(faults) - 1
        rest = f" (and {more} more)" if more else ""
        super().__init__(self.faults[0].words + rest)


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A rating left out of agreement.

    Attributes:
        rating: The rating.
        reason: ``not_blind``, ``unscored`` or the name of a purpose.
    """

    rating: Rating
    reason: str

    def as_row(self) -> dict[str, str]:
        """Who, what, where and why, as one row of a table."""
        one = self.rating
        return {
            "trace": one.trace,
            "step": one.step,
            "rater": one.rater,
            "place": one.place,
            "reason": self.reason,
        }


def divided(
    ratings: Iterable[Rating], *, blind_only: bool = True
) -> tuple[list[Rating], list[Exclusion]]:
    """Ratings that measure agreement, and those that don't with the reason.

    Independent, planned ratings with a score count; gold items, repeats, extra
    raters on disputed items, late ones over quota and adjudications don't.
    """
    used: list[Rating] = []
    excluded: list[Exclusion] = []
    for rating in ratings:
        reason = why_excluded(rating, blind_only=blind_only)
        if reason:
            excluded.append(Exclusion(rating, reason))
        else:
            used.append(rating)
    return used, excluded


def why_excluded(rating: Rating, *, blind_only: bool = True) -> str:
    """Reason code, "" for a rating that counts."""
    if rating.purpose is not Purpose.PLANNED:
        return rating.purpose.value
    if blind_only and not rating.blind:
        return "not_blind"
    return "unscored" if rating.score is None else ""


def score_of(rating: Rating) -> Label:
    """The score, for tables over the scale of scores."""
    return rating.score


@dataclass(frozen=True)
class RatingTable:
    """Ratings as columns, sorted by trace, step and rater.

    Attributes:
        scale: The declared domain.
        traces: Trace ids, sorted.
        items: (trace, step), sorted.
        raters: Names, sorted.
        trace_of: Position of the trace of each item.
        item: Position of the item of each rating.
        rater: Position of the rater of each rating.
        code: Position on the scale of each rating.
    """

    scale: Scale
    traces: tuple[str, ...]
    items: tuple[tuple[str, str], ...]
    raters: tuple[str, ...]
    trace_of: Array
    item: Array
    rater: Array
    code: Array

    @cached_property
    def counts(self) -> Array:
        """How many raters gave each value to each item, (items, q)."""
        q = self.scale.q
        flat = np.bincount(self.item * q + self.code, minlength=len(self.items) * q)
        return flat.reshape(len(self.items), q)


def tabulate(
    ratings: Iterable[Rating],
    scale: Scale = SCORES,
    value: Callable[[Rating], Label] = score_of,
) -> RatingTable:
    """Put ratings into columns.

    Args:
        ratings: One per item and rater, in any order.
        scale: The declared domain; a value outside it is an error.
        value: What to compare; the score by default.

    Raises:
        RatingError: Two ratings of one item by one rater, or a value that the
            scale doesn't have. Every fault is named with its place.
    """
    rows = list(ratings)
    faults = find_faults(rows, scale, value)
    if faults:
        raise RatingError(faults)
    items = sorted({rating.item for rating in rows})
    raters = sorted({rating.rater for rating in rows})
    traces = sorted({trace for trace, _ in items})
    item_at = {item: at for at, item in enumerate(items)}
    rater_at = {rater: at for at, rater in enumerate(raters)}
    trace_at = {trace: at for at, trace in enumerate(traces)}
    item = _column(item_at[r.item] for r in rows)
    rater = _column(rater_at[r.rater] for r in rows)
    code = _column(scale.code[value(r)] for r in rows)
    order = np.lexsort((rater, item))
    return RatingTable(
        scale,
        tuple(traces),
        tuple(items),
        tuple(raters),
        _column(trace_at[trace] for trace, _ in items),
        item[order],
        rater[order],
        code[order],
    )


def _column(numbers: Iterable[int]) -> Array:
    return np.fromiter(numbers, dtype=np.int64)


def find_faults(
    rows: Sequence[Rating],
    scale: Scale = SCORES,
    value: Callable[[Rating], Label] = score_of,
) -> list[Fault]:
    """Duplicates and values outside the scale, in input order."""
    seen: set[tuple[str, str, str]] = set()
    faults: list[Fault] = []
    for at, rating in enumerate(rows):
        key = (rating.trace, rating.step, rating.rater)
        if key in seen:
            faults.append(Fault(at, rating, "duplicate"))
        elif value(rating) not in scale.code:
            faults.append(Fault(at, rating, "out_of_domain"))
        seen.add(key)
    return faults
