"""Gwet's AC1 and AC2: agreement that a rare value doesn't bend.

Gwet 2014, "Handbook of Inter-Rater Reliability", chapters 2 to 5. An item with
one rating counts for how often values occur and not for agreement.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from annotation.domain.coincidences import Coincidences, exact_coincidences
from annotation.domain.outcome import Coefficient, Reason, corrected, undefined
from annotation.domain.scale import Array, Weights


def gwet_disagreements(sums: Coincidences, weights: Weights) -> tuple[Array, Array]:
    """1 − p_a and 1 − p_e; fractions, or floats with a leading dimension."""
    exactly = sums.shares.dtype == object
    w = weights.exact if exactly else weights.floats
    q = len(weights.rows)
    factor = weights.total / (q * (q - 1))
    shares = sums.shares / sums.rated[..., None]
    by_chance = (shares * (1 - shares)).sum(axis=-1) * (
        factor if exactly else float(factor)
    )
    agreed = (sums.agreeing * w).sum(axis=(-2, -1)) / sums.compared
    return np.asarray(1 - agreed), np.asarray(1 - by_chance)


def gwet(counts: Array, weights: Weights) -> Coefficient:
    """AC1 with identity weights, AC2 with any others.

    Args:
        counts: Number of raters who gave each value to each item, (items, q),
            over the declared scale: the coefficient depends on q.
        weights: Agreement of each pair of values.

    Returns:
        (p_a − p_e) / (1 − p_e) with p_e = T_w / (q (q − 1)) Σ π_k (1 − π_k). Of
        one value and full agreement it is 1. Undefined: ``no_overlap``,
        ``too_few_items``.
    """
    return gwet_of(exact_coincidences(counts), weights)


def gwet_of(sums: Coincidences, weights: Weights) -> Coefficient:
    """The same from sums over items, as fractions."""
    plain = weights.total == Fraction(len(weights.rows))
    name = "Gwet's AC1" if plain else f"Gwet's AC2, {weights.name}"
    n = int(sums.compared.item())
    if not n:
        return undefined(name, Reason.NO_OVERLAP, 0)
    observed, expected = gwet_disagreements(sums, weights)
    return corrected(name, observed.item(), expected.item(), n)


def gwet_error(counts: Array, weights: Weights) -> float | None:
    """Standard error of AC1 or AC2 over items (Gwet 2008), all items sampled.

    Assumes independent items; None where the coefficient is undefined.
    """
    coefficient = gwet(counts, weights)
    if coefficient.value is None or coefficient.expected is None:
        return None
    counts = np.asarray(counts, dtype=float)
    counts = counts[counts.sum(axis=1) > 0]
    sizes, n = counts.sum(axis=1), len(counts)
    several = sizes > 1
    shared = (counts * (counts @ weights.floats.T - 1)).sum(axis=1)
    agreed = np.where(several, shared / np.where(several, sizes * (sizes - 1), 1), 0.0)
    by_chance = float(coefficient.expected)
    scale = n / several.sum()
    each = np.where(
        several, scale * (agreed - by_chance * several) / (1 - by_chance), 0.0
    )
    q = counts.shape[1]
    shares = counts / sizes[:, None]
    factor = float(weights.total) / (q * (q - 1))
    chance = factor * (shares * (1 - shares.mean(axis=0))).sum(axis=1)
    value = coefficient.value
    each = each - 2 * (1 - value) * (chance - by_chance) / (1 - by_chance)
    return float(np.sqrt(((each - value) ** 2).sum() / (n * (n - 1))))
