"""Sums over items on which every coefficient for many raters rests.

One pass over the ratings gives sums per trace; coefficients are functions of
their total, so that resampling traces never looks at a rating again.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from annotation.domain.ratings import RatingTable
from annotation.domain.scale import Array, exact


@dataclass(frozen=True)
class Coincidences:
    """Sums over items; a leading dimension stands for draws or traces.

    With n_ik the number of raters who gave value k to item i, m_i their number
    and P_i = n_i n_iᵀ − diag(n_i) the ordered pairs of ratings of that item:

    Attributes:
        between: Σ P_i / (m_i − 1), (…, q, q): Krippendorff's coincidences.
        pairable: Σ n_i over items with m_i ≥ 2, (…, q).
        agreeing: Σ P_i / (m_i (m_i − 1)), (…, q, q).
        compared: Number of items with m_i ≥ 2, (…).
        shares: Σ n_i / m_i over items with m_i ≥ 1, (…, q).
        rated: Number of items with m_i ≥ 1, (…).
    """

    between: Array
    pairable: Array
    agreeing: Array
    compared: Array
    shares: Array
    rated: Array


def exact_coincidences(counts: Array) -> Coincidences:
    """Sums as fractions.

    Args:
        counts: n_ik, whole numbers, shape (items, q); rows of zeros are allowed.
    """
    counts = np.asarray(counts, dtype=np.int64)
    q, sizes = counts.shape[1], counts.sum(axis=1)
    zero = exact(np.zeros((q, q), dtype=int))
    between, agreeing, shares = zero, zero, zero[0]
    for size in sorted({int(m) for m in sizes if m}):
        rows = counts[sizes == size]
        shares = shares + exact(rows.sum(axis=0)) / Fraction(size)
        if size > 1:
            pairs = exact(rows.T @ rows - np.diag(rows.sum(axis=0)))
            between = between + pairs / Fraction(size - 1)
            agreeing = agreeing + pairs / Fraction(size * (size - 1))
    pairable = exact(counts[sizes > 1].sum(axis=0))
    compared, rated = int((sizes > 1).sum()), int((sizes > 0).sum())
    return Coincidences(
        between, pairable, agreeing, exact(_one(compared)), shares, exact(_one(rated))
    )


def _one(number: int) -> Any:
    return np.array(number)


def coincidences_by_trace(table: RatingTable) -> Coincidences:
    """Sums as floats, one row per trace of the table."""
    counts = table.counts.astype(float)
    sizes = counts.sum(axis=1)
    several = sizes > 1
    pairs = np.einsum("ik,il->ikl", counts, counts)
    diagonal = np.arange(table.scale.q)
    pairs[:, diagonal, diagonal] -= counts
    less = np.where(several, sizes - 1, 1.0)
    between = np.where(several[:, None, None], pairs / less[:, None, None], 0.0)
    starts = np.searchsorted(table.trace_of, np.arange(len(table.traces)))
    return Coincidences(
        between=np.add.reduceat(between, starts),
        pairable=np.add.reduceat(counts * several[:, None], starts),
        agreeing=np.add.reduceat(between / sizes[:, None, None], starts),
        compared=np.add.reduceat(several.astype(float), starts),
        shares=np.add.reduceat(counts / sizes[:, None], starts),
        rated=np.add.reduceat(np.ones(len(counts)), starts),
    )
