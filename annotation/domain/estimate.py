"""A number with its interval, made from sums per trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from annotation.domain.bootstrap import Block, Interval, interval, resample
from annotation.domain.draws import Draws
from annotation.domain.outcome import Coefficient, Reason, undefined
from annotation.domain.scale import Array

Totals = Mapping[str, Array]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, or why there is none, and how sure it is.

    Attributes:
        coefficient: The value with observed agreement, n and notes.
        interval: By resampling traces; None where it wasn't asked for.
    """

    coefficient: Coefficient
    interval: Interval | None = None

    @property
    def value(self) -> float | None:
        """The value, None where it is undefined."""
        return self.coefficient.value

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        found = self.coefficient.as_json()
        found["interval"] = self.interval.as_json() if self.interval else None
        return found


@dataclass(frozen=True)
class Wanted:
    """One statistic: its value, and how to get it from totals.

    Attributes:
        key: Name in the result.
        coefficient: The value of the data themselves.
        of_totals: The value of each draw, NaN where it is undefined.
    """

    key: str
    coefficient: Coefficient
    of_totals: Callable[[Totals], Array]


def share(name: str, part: int | Fraction, whole: int) -> Coefficient:
    """Part / whole as a coefficient; undefined as ``no_cases`` of nothing."""
    if not whole:
        return undefined(name, Reason.NO_CASES, 0)
    return Coefficient(name, Fraction(part) / whole, None, None, whole)


def number(name: str, value: float | None, n: int) -> Coefficient:
    """A float as a coefficient; None is ``no_cases``."""
    if value is None:
        return undefined(name, Reason.NO_CASES, n)
    return Coefficient(name, Fraction(value), None, None, n)


def estimates(
    wanted: Sequence[Wanted],
    blocks: Mapping[str, Array | Block],
    traces: int,
    draws: Draws,
) -> dict[str, Estimate]:
    """Intervals of many statistics from the same draws.

    A value that is undefined has no interval either, for the same reason.
    """
    if traces < 2:
        return {w.key: _without(w.coefficient, traces, draws) for w in wanted}
    totals = resample(blocks, traces, draws)
    found = {}
    for one in wanted:
        if one.coefficient.value is None:
            found[one.key] = _without(one.coefficient, traces, draws)
        else:
            ends = interval(one.of_totals(totals), traces, draws)
            found[one.key] = Estimate(one.coefficient, ends)
    return found


def _without(coefficient: Coefficient, traces: int, draws: Draws) -> Estimate:
    reason = coefficient.undefined
    if reason is None:
        empty = interval(np.full(draws.count, np.nan), traces, draws)
        return Estimate(coefficient, empty)
    return Estimate(
        coefficient,
        Interval(None, None, draws.count, draws.count, traces, draws.seed, reason),
    )
