"""The declared domain of a rating, and weights over it.

The domain is fixed before anybody rates: values that nobody used still count,
because weighted coefficients and Gwet's depend on how many values there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
"""Numbers of any kind: floats for many draws at once, fractions for exact ones."""
Label = str | int | float | None


@dataclass(frozen=True)
class Scale:
    """Values a rating may have, lowest first.

    Attributes:
        labels: Distinct values in their order. None may be a value where it was
            declared (no failure); it is never a missing rating.
    """

    labels: tuple[Label, ...]

    def __post_init__(self) -> None:
        if len(self.labels) < 2:
            raise ValueError("a scale needs at least two values")
        if len(set(self.labels)) != len(self.labels):
            raise ValueError("a scale has each value once")
        numbers = [x for x in self.labels if isinstance(x, int | float)]
        if len(numbers) == len(self.labels) and numbers != sorted(numbers):
            raise ValueError("a scale of numbers goes from low to high")

    @property
    def q(self) -> int:
        """Number of values."""
        return len(self.labels)

    @cached_property
    def code(self) -> Mapping[Label, int]:
        """Position by value."""
        return {label: at for at, label in enumerate(self.labels)}

    @cached_property
    def positions(self) -> tuple[Fraction, ...]:
        """Values as exact numbers; ranks from 1 where they are names."""
        if all(isinstance(x, int | float) for x in self.labels):
            return tuple(Fraction(x) for x in self.labels)  # type: ignore[arg-type]
        return tuple(Fraction(rank) for rank in range(1, self.q + 1))

    def spans(self, number: float) -> bool:
        """Whether a number lies between the lowest and the highest value."""
        low, high = self._ends
        return low <= number <= high

    @cached_property
    def _ends(self) -> tuple[float, float]:
        return float(self.positions[0]), float(self.positions[-1])


SCORES = Scale((1, 2, 3, 4, 5))
"""Scores of a step (paper section 3.2)."""
FAIL_OK = Scale(("fail", "ok"))
"""A score of 2 or less is a failure in the eyes of experts (section 4)."""
FAILS_AT = 2


@dataclass(frozen=True)
class Weights:
    """How much two values agree, 0 to 1; 1 on the diagonal.

    Attributes:
        name: Shown with every coefficient that uses them.
        rows: Fractions, q × q.
    """

    name: str
    rows: tuple[tuple[Fraction, ...], ...]

    def __post_init__(self) -> None:
        q = len(self.rows)
        if any(len(row) != q for row in self.rows):
            raise ValueError("weights are square")
        if any(self.rows[at][at] != 1 for at in range(q)):
            raise ValueError("equal values agree fully")

    @cached_property
    def exact(self) -> Array:
        """Weights as fractions."""
        return np.array(self.rows, dtype=object)

    @cached_property
    def disagreement(self) -> Array:
        """1 − w as fractions."""
        return np.array([[1 - w for w in row] for row in self.rows], dtype=object)

    @cached_property
    def floats(self) -> Array:
        """Weights as floats."""
        return self.exact.astype(float)

    @cached_property
    def total(self) -> Fraction:
        """T_w, the sum of all weights."""
        return sum((sum(row, Fraction(0)) for row in self.rows), Fraction(0))


def _by_pairs(
    name: str, scale: Scale, weight: Callable[[int, int], Fraction]
) -> Weights:
    q = range(scale.q)
    return Weights(name, tuple(tuple(weight(i, j) for j in q) for i in q))


def identity(scale: Scale) -> Weights:
    """Equal or not."""
    return _by_pairs("unweighted", scale, lambda i, j: Fraction(i == j))


def linear(scale: Scale) -> Weights:
    """1 − |x − y| / range over the values themselves."""
    at, width = scale.positions, scale.positions[-1] - scale.positions[0]
    return _by_pairs("linear", scale, lambda i, j: 1 - abs(at[i] - at[j]) / width)


def quadratic(scale: Scale) -> Weights:
    """1 − ((x − y) / range)² over the values themselves."""
    at, width = scale.positions, scale.positions[-1] - scale.positions[0]
    return _by_pairs(
        "quadratic", scale, lambda i, j: 1 - ((at[i] - at[j]) / width) ** 2
    )


def gwet_ordinal(scale: Scale) -> Weights:
    """Gwet's ordinal weights 1 − C(|k − l| + 1, 2) / C(q, 2).

    Not Krippendorff's ordinal distance, which depends on the data.
    """
    most = math.comb(scale.q, 2)
    return _by_pairs(
        "Gwet ordinal",
        scale,
        lambda i, j: 1 - Fraction(math.comb(abs(i - j) + 1, 2), most),
    )


def within(scale: Scale, steps: int) -> Weights:
    """Full agreement up to so many values apart, none beyond."""
    return _by_pairs(
        f"within {steps}", scale, lambda i, j: Fraction(abs(i - j) <= steps)
    )


def ratio(scale: Scale) -> Weights:
    """1 − ((x − y) / (x + y))², scaled to 0 at its largest."""
    at = scale.positions
    return from_disagreement(
        "ratio", [[((x - y) / (x + y)) ** 2 if x + y else 0 for y in at] for x in at]
    )


def from_disagreement(name: str, rows: Sequence[Sequence[int | Fraction]]) -> Weights:
    """Weights from disagreements of any unit, which need not be symmetric."""
    most = Fraction(max(max(row) for row in rows))
    return Weights(
        name, tuple(tuple(1 - Fraction(v) / most for v in row) for row in rows)
    )


def exact(numbers: Array) -> Array:
    """Whole numbers as fractions, so that sums and quotients stay exact."""
    made = np.frompyfunc(Fraction, 1, 1)(np.asarray(numbers).astype(object))
    return np.asarray(made, dtype=object)


def rounded(score: float, scale: Scale = SCORES) -> int:
    """The nearest whole score of a mean; halves go down, to the severer side.

    A judge's score is a mean over metrics; coefficients over the declared
    domain need one of its values. 2.5 is a failure of most types (below 3.0),
    so it becomes 2.

    Raises:
        ValueError: The score lies outside the scale, or is no number.
    """
    if not scale.spans(score):
        ends = f"{scale.positions[0]} to {scale.positions[-1]}"
        raise ValueError(f"score {score} is outside {ends}")
    return math.ceil(score - 0.5)
