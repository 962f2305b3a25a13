"""Krippendorff's α for any number of raters and missing ratings.

Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability". Ratings of
items that only one rater saw can't be paired and don't count.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from fractions import Fraction

import numpy as np

from annotation.domain.coincidences import Coincidences, exact_coincidences
from annotation.domain.outcome import Coefficient, Reason, corrected, undefined
from annotation.domain.scale import Array, Scale


class Metric(StrEnum):
    """How far two values are apart."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"
    RATIO = "ratio"


def _nominal(pairable: Array, positions: Array) -> Array:
    del pairable
    q = len(positions)
    return np.array([[Fraction(i != j) for j in range(q)] for i in range(q)])


def _interval(pairable: Array, positions: Array) -> Array:
    del pairable
    return np.asarray((positions[:, None] - positions[None, :]) ** 2)


def _ratio(pairable: Array, positions: Array) -> Array:
    del pairable
    total = positions[:, None] + positions[None, :]
    total[total == 0] = Fraction(1)
    return np.asarray(((positions[:, None] - positions[None, :]) / total) ** 2)


def _ordinal(pairable: Array, positions: Array) -> Array:
    """(Σ n_g from c to k − (n_c + n_k) / 2)², times 4; unused values add nothing."""
    del positions
    middle = 2 * np.cumsum(pairable, axis=-1) - pairable
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)


DISTANCES: dict[Metric, Callable[[Array, Array], Array]] = {
    Metric.NOMINAL: _nominal,
    Metric.ORDINAL: _ordinal,
    Metric.INTERVAL: _interval,
    Metric.RATIO: _ratio,
}


def alpha_disagreements(
    sums: Coincidences, scale: Scale, metric: Metric
) -> tuple[Array, Array]:
    """D_o and D_e up to a common factor; D_e is 0 where α is undefined.

    Works on fractions and, for draws, on floats with a leading dimension.
    """
    total = sums.pairable.sum(axis=-1)
    positions = np.array(scale.positions, dtype=object)
    distance = DISTANCES[metric](sums.pairable, positions)
    if sums.pairable.dtype != object:
        distance = distance.astype(float)
    observed = (sums.between * distance).sum(axis=(-2, -1))
    pairs = sums.pairable[..., :, None] * sums.pairable[..., None, :]
    expected = (pairs * distance).sum(axis=(-2, -1))
    return np.asarray(observed * (total - 1)), np.asarray(expected)


def alpha(counts: Array, scale: Scale, metric: Metric) -> Coefficient:
    """Krippendorff's α.

    Args:
        counts: Number of raters who gave each value to each item, (items, q).
        scale: The declared domain. Interval and ratio use its values; ordinal
            uses how often values occur *in these data*, so two ordinal α of
            different samples measure with different rulers.
        metric: Distance between values.

    Returns:
        1 − D_o / D_e; ``n`` is the number of items with at least two ratings,
        ``observed`` is 1 − D_o with the distance scaled to at most 1.
        Undefined: ``no_overlap``, ``too_few_items``, ``single_class``.
    """
    sums = exact_coincidences(counts)
    name, n = f"Krippendorff's α, {metric.value}", int(sums.compared.item())
    if not n:
        return undefined(name, Reason.NO_OVERLAP, 0)
    observed, expected = alpha_disagreements(sums, scale, metric)
    if not expected.item():
        reason = Reason.TOO_FEW_ITEMS if n == 1 else Reason.SINGLE_CLASS
        return undefined(name, reason, n, Fraction(1))
    total = sums.pairable.sum()
    positions = np.array(scale.positions, dtype=object)
    most = DISTANCES[metric](sums.pairable, positions).max()
    unit = total * (total - 1) * most
    return corrected(name, observed.item() / unit, expected.item() / unit, n)
