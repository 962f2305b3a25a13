"""Agreement of many raters with pooled, individual or uniform chance.

Scott 1955 (π), Fleiss 1971 (κ), Conger 1980, Bennett, Alpert and Goldstein 1954
and Randolph 2005 (uniform chance).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from annotation.domain.coincidences import Coincidences, exact_coincidences
from annotation.domain.outcome import Coefficient, Reason, corrected, undefined
from annotation.domain.ratings import RatingTable
from annotation.domain.scale import Array, Weights, exact


def fleiss_disagreements(sums: Coincidences, weights: Weights) -> tuple[Array, Array]:
    """Observed and expected disagreement; chance from pooled shares of values."""
    if sums.shares.dtype == object:
        distance = weights.disagreement
    else:
        distance = 1 - weights.floats
    shares = sums.shares / sums.rated[..., None]
    observed = (sums.agreeing * distance).sum(axis=(-2, -1)) / sums.compared
    return np.asarray(observed), np.asarray(((shares @ distance) * shares).sum(axis=-1))


def fleiss(counts: Array, weights: Weights, *, complete: bool = True) -> Coefficient:
    """Fleiss' κ; the raters of different items need not be the same people.

    Args:
        counts: Number of raters who gave each value to each item, (items, q).
        weights: Agreement of each pair of values; identity in Fleiss 1971.
        complete: Demand equally many ratings of every item, as Fleiss defines
            it. Without it, the generalisation in which an item counts once for
            agreement if it has two ratings, and for chance if it has one.

    Returns:
        Undefined: ``no_overlap``, ``too_few_items``, ``unequal_raters``,
        ``single_class``. It is not the mean of pairwise Cohen's κ (see
        ``conger``).
    """
    sums = exact_coincidences(counts)
    name, n = f"Fleiss' κ, {weights.name}", int(sums.compared.item())
    if not n:
        return undefined(name, Reason.NO_OVERLAP, 0)
    sizes = np.asarray(counts).sum(axis=1)
    observed, expected = fleiss_disagreements(sums, weights)
    if complete and len(set(sizes[sizes > 0].tolist())) > 1:
        return undefined(name, Reason.UNEQUAL_RATERS, n, 1 - observed.item())
    return corrected(name, observed.item(), expected.item(), n)


def fleiss_by_value(counts: Array) -> tuple[Fraction | None, ...]:
    """Fleiss' κ of each value against the rest; None where it is undefined.

    κ_j = 1 − Σ n_ij (m − n_ij) / (N m (m − 1) p_j (1 − p_j)).

    Raises:
        ValueError: The items don't all have the same number of ratings.
    """
    counts = np.asarray(counts)
    sizes = counts.sum(axis=1)
    if len(set(sizes.tolist())) != 1 or sizes[0] < 2:
        raise ValueError(Reason.UNEQUAL_RATERS.words)
    sums = exact_coincidences(counts)
    total = sums.rated.item()
    found: list[Fraction | None] = []
    for at in range(counts.shape[1]):
        share = sums.shares[at] / total
        spread = total * share * (1 - share)
        apart = sums.shares[at] - sums.agreeing[at, at]
        found.append(1 - apart / spread if spread else None)
    return tuple(found)


def scott(table: Array, weights: Weights) -> Coefficient:
    """Scott's π: two raters who share one distribution of chance."""
    counts = exact(np.asarray(table))
    name, n = f"Scott's π, {weights.name}", int(counts.sum())
    if not n:
        return undefined(name, Reason.NO_OVERLAP, 0)
    pooled = (counts.sum(axis=0) + counts.sum(axis=1)) / Fraction(2 * n)
    observed = (counts * weights.disagreement).sum() / n
    expected = pooled @ weights.disagreement @ pooled
    return corrected(name, observed, expected, n)


def uniform(counts: Array, weights: Weights) -> Coefficient:
    """Chance is uniform over the declared scale (Bennett, Randolph).

    The weighted form is Brennan and Prediger's: p_e = T_w / q².
    """
    sums = exact_coincidences(counts)
    q, n = len(weights.rows), int(sums.compared.item())
    name = f"Brennan-Prediger, {weights.name}"
    if not n:
        return undefined(name, Reason.NO_OVERLAP, 0)
    observed = (sums.agreeing * weights.disagreement).sum() / n
    return corrected(name, observed, 1 - weights.total / (q * q), n)


def conger(table: RatingTable, weights: Weights) -> Coefficient:
    """Conger's κ: every rater keeps an own distribution of chance.

    With two raters and nothing missing it is Cohen's κ; with more, the exact
    form of what is often called the mean pairwise κ. Missing ratings as in
    Gwet 2014, section 2.6.
    """
    name = f"Conger's κ, {weights.name}"
    sums = exact_coincidences(table.counts)
    n, raters = int(sums.compared.item()), len(table.raters)
    if not n:
        return undefined(name, Reason.NO_OVERLAP, 0)
    q = table.scale.q
    flat = np.bincount(table.rater * q + table.code, minlength=raters * q)
    given = exact(flat.reshape(raters, q))
    shares = given / given.sum(axis=1)[:, None]
    mean = shares.sum(axis=0) / Fraction(raters)
    apart = shares - mean
    spread = (apart.T @ apart) / Fraction(raters * (raters - 1))
    by_chance = ((np.outer(mean, mean) - spread) * weights.exact).sum()
    observed = (sums.agreeing * weights.disagreement).sum() / n
    return corrected(name, observed, 1 - by_chance, n)
