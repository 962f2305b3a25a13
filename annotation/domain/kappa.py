"""Agreement of two raters over a contingency table.

Rows are the first rater, columns the second; the table covers the whole
declared scale, used or not. Cohen 1960 and 1968, Fleiss, Cohen and Everitt
1969, Byrt, Bishop and Carlin 1993, Cicchetti and Feinstein 1990.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np

from annotation.domain.outcome import (
    Coefficient,
    Note,
    Reason,
    Undefined,
    corrected,
    undefined,
)
from annotation.domain.scale import Array, Weights, exact

Z = NormalDist().inv_cdf(0.975)
ROUNDING = 1e-7
"""Below this an error is a zero that floats missed."""
MOSTLY_ONE_VALUE = Fraction(7, 10)
Table = Sequence[Sequence[int]] | Array


def disagreements(
    observed: Array, rows: Array, columns: Array, total: Array, distance: Array
) -> tuple[Array, Array]:
    """Observed and expected disagreement of tables, any number at once.

    Args:
        observed: Sum of distances over the items, shape (…).
        rows: Margins of the first rater, shape (…, q).
        columns: Margins of the second rater, shape (…, q).
        total: Number of items, shape (…).
        distance: 1 − weight, shape (q, q).

    Returns:
        D_o · N² and D_e · N²: undefined where the second is 0, and free of
        cancellation, so that 0 is found exactly even in floats.
    """
    expected = ((rows @ distance) * columns).sum(axis=-1)
    return np.asarray(observed * total), np.asarray(expected)


def table_disagreements(tables: Array, distance: Array) -> tuple[Array, Array]:
    """The same from tables of shape (…, q, q)."""
    observed = np.asarray((tables * distance).sum(axis=(-2, -1)))
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    return disagreements(observed, rows, columns, rows.sum(axis=-1), distance)


def cohen(table: Table, weights: Weights) -> Coefficient:
    """Cohen's κ, weighted where the weights are.

    Args:
        table: Counts, q × q over the declared scale.
        weights: Agreement of each pair of values.

    Returns:
        1 − D_o / D_e. Undefined: ``no_overlap``, ``too_few_items`` (one item),
        ``single_class`` (both raters used one and the same value).

    Example:
        >>> from annotation.domain.scale import FAIL_OK, identity
        >>> cohen([[20, 5], [10, 15]], identity(FAIL_OK)).exact
        Fraction(2, 5)
    """
    counts = exact(np.asarray(table))
    name, n = f"Cohen's κ, {weights.name}", int(counts.sum())
    if not n:
        return undefined(name, Reason.NO_OVERLAP, 0)
    observed, expected = table_disagreements(counts, weights.disagreement)
    whole = Fraction(n * n)
    found = corrected(name, observed.item() / whole, expected.item() / whole, n)
    return found.noted(*notes(counts))


def notes(table: Table) -> tuple[Note, ...]:
    """What the margins of a table ask to be said beside its coefficients."""
    counts = np.asarray(table)
    rows, columns = counts.sum(axis=1), counts.sum(axis=0)
    total = rows.sum()
    constant = (int((rows > 0).sum()) == 1) + (int((columns > 0).sum()) == 1)
    found = []
    if constant == 1:
        found.append(Note.ONE_RATER_CONSTANT)
    if constant == 2 and np.trace(counts) == 0:
        found.append(Note.BOTH_RATERS_CONSTANT)
    if total and Fraction(int((rows + columns).max()), 2 * int(total)) > (
        MOSTLY_ONE_VALUE
    ):
        found.append(Note.PREVALENCE)
    return tuple(found)


def highest_possible(table: Table) -> Fraction | None:
    """κ_max: the largest unweighted κ that these margins allow."""
    counts = exact(np.asarray(table))
    total = counts.sum()
    if not total:
        return None
    rows, columns = counts.sum(axis=1) / total, counts.sum(axis=0) / total
    by_chance = (rows * columns).sum()
    if by_chance == 1:
        return None
    return Fraction((np.minimum(rows, columns).sum() - by_chance) / (1 - by_chance))


@dataclass(frozen=True, slots=True)
class Analytic:
    """Standard errors that assume independent steps.

    Steps of one trace are not independent, so these are too small as a rule;
    intervals by resampling traces come first.

    Attributes:
        error: Standard error of the estimate.
        null_error: Standard error if the true value were 0.
        low: Lower end of the 95 % interval by the normal distribution.
        high: Upper end, not clipped.
        z: Value divided by its null error.
    """

    error: float
    null_error: float
    low: float
    high: float
    z: float


def analytic(table: Table, weights: Weights) -> Analytic | Undefined:
    """Errors of κ by Fleiss, Cohen and Everitt 1969.

    Returns:
        ``no_spread`` where the error is 0 (perfect agreement or its opposite):
        "± 0" would claim certainty. Else the reason why κ is undefined.
    """
    kappa = cohen(table, weights)
    if kappa.undefined is not None or kappa.value is None:
        return kappa.undefined or Undefined(Reason.NO_OVERLAP)
    error = _error(np.asarray(table, dtype=float), weights.floats, kappa.value)
    null_error = _null_error(np.asarray(table, dtype=float), weights.floats)
    if error < ROUNDING or null_error < ROUNDING:
        return Undefined(Reason.NO_SPREAD)
    half = Z * error
    value = kappa.value
    return Analytic(error, null_error, value - half, value + half, value / null_error)


def _error(counts: Array, weights: Array, kappa: float) -> float:
    total, shares = counts.sum(), counts / counts.sum()
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    by_chance = float(rows @ weights @ columns)
    means = (weights @ columns)[:, None] + (rows @ weights)[None, :]
    spread = (shares * (weights - means * (1 - kappa)) ** 2).sum()
    centre = kappa - by_chance * (1 - kappa)
    variance = (spread - centre**2) / (total * (1 - by_chance) ** 2)
    return math.sqrt(max(0.0, float(variance)))


def _null_error(counts: Array, weights: Array) -> float:
    total, shares = counts.sum(), counts / counts.sum()
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    by_chance = float(rows @ weights @ columns)
    means = (weights @ columns)[:, None] + (rows @ weights)[None, :]
    spread = (np.outer(rows, columns) * (weights - means) ** 2).sum()
    variance = (spread - by_chance**2) / (total * (1 - by_chance) ** 2)
    return math.sqrt(max(0.0, float(variance)))


def two_way(table: Table, at: int) -> Array:
    """One value against the rest, as a 2 × 2 table [[both, first], [second, none]]."""
    counts = np.asarray(table)
    both = counts[at, at]
    first = counts[at].sum() - both
    second = counts[:, at].sum() - both
    return np.array([[both, first], [second, counts.sum() - both - first - second]])


def collapsed(table: Table, lowest: int) -> Array:
    """The first ``lowest`` values against the rest, as a 2 × 2 table."""
    counts = np.asarray(table)
    cut = [slice(None, lowest), slice(lowest, None)]
    return np.array([[counts[a, b].sum() for b in cut] for a in cut])


def specific_agreement(table: Table) -> tuple[Fraction | None, ...]:
    """2 n_ii / (r_i + c_i) of each value, None where nobody used it.

    For fail / ok the two are p_neg and p_pos of Cicchetti and Feinstein 1990.
    """
    counts = exact(np.asarray(table))
    used = counts.sum(axis=1) + counts.sum(axis=0)
    return tuple(
        Fraction(2 * counts[at, at]) / used[at] if used[at] else None
        for at in range(len(counts))
    )


@dataclass(frozen=True, slots=True)
class Skew:
    """How prevalence and bias bend the κ of a 2 × 2 table (Byrt 1993).

    κ = (PABAK − PI² + BI²) / (1 − PI² + BI²).

    Attributes:
        prevalence: PI = |a − d| / N.
        bias: BI = |b − c| / N.
        adjusted: PABAK = 2 p_o − 1.
    """

    prevalence: Fraction
    bias: Fraction
    adjusted: Fraction

    @property
    def kappa(self) -> Fraction | None:
        """Cohen's κ from the three; None where it is undefined."""
        square = self.bias**2 - self.prevalence**2
        return (self.adjusted + square) / (1 + square) if 1 + square else None


def skew(table: Table) -> Skew | Undefined:
    """PI, BI and PABAK of a 2 × 2 table.

    Raises:
        ValueError: The table isn't 2 × 2.
    """
    counts = exact(np.asarray(table))
    if counts.shape != (2, 2):
        raise ValueError("prevalence and bias are those of a 2 × 2 table")
    total = counts.sum()
    if not total:
        return Undefined(Reason.NO_OVERLAP)
    (a, b), (c, d) = counts
    return Skew(
        abs(a - d) / total, abs(b - c) / total, Fraction(2 * (a + d)) / total - 1
    )


def share_within(table: Table, steps: int = 0) -> Fraction | None:
    """Share of items whose two values are at most so many steps apart."""
    counts = exact(np.asarray(table))
    total = counts.sum()
    if not total:
        return None
    q = range(len(counts))
    near = sum(counts[i, j] for i in q for j in q if abs(i - j) <= steps)
    return Fraction(near / total)
