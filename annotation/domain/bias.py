"""Whether a judge is too kind, too severe or too timid, and which expert is.

Differences are judge − expert, of scores as given: a judge's mean over metrics
isn't rounded here. Bland and Altman 1986 for the limits of agreement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from annotation.domain.bootstrap import interval_of, sums_by_trace
from annotation.domain.bootstrap import shares as divided
from annotation.domain.draws import Draws
from annotation.domain.estimate import (
    Estimate,
    Totals,
    Wanted,
    estimates,
    number,
    share,
)
from annotation.domain.pairs import Pairs, by_item
from annotation.domain.ratings import Rating
from annotation.domain.scale import Array

LIMITS = 1.96


def _rows(pairs: Pairs) -> Array:
    """1, d, d², |d|, x, x², y, y² of each pair, (pairs, 8)."""
    x, y = pairs.x, pairs.y
    apart = y - x
    columns = (np.ones(len(x)), apart, apart**2, abs(apart), x, x**2, y, y**2)
    return np.stack(columns, axis=1)


def _mean(sums: Array, at: int) -> Array:
    return divided(sums[..., at], sums[..., 0])


def _deviation(sums: Array) -> Array:
    n = sums[..., 0]
    spread = sums[..., 2] - n * _mean(sums, 1) ** 2
    return np.asarray(np.sqrt(np.maximum(divided(spread, n - 1), 0)))


def _limit(sums: Array, side: int) -> Array:
    return np.asarray(_mean(sums, 1) + side * LIMITS * _deviation(sums))


def _spread(sums: Array, at: int) -> Array:
    n = sums[..., 0]
    return np.asarray(sums[..., at + 1] - n * _mean(sums, at) ** 2)


def _variance_ratio(sums: Array) -> Array:
    own = _spread(sums, 4)
    return divided(_spread(sums, 6), np.where(own > 1e-9, own, 0.0))


STATISTICS: Mapping[str, Callable[[Array], Array]] = {
    "bias": partial(_mean, at=1),
    "absolute_error": partial(_mean, at=3),
    "deviation": _deviation,
    "lower_limit": partial(_limit, side=-1),
    "upper_limit": partial(_limit, side=1),
    "variance_ratio": _variance_ratio,
}
NAMES = {
    "bias": "mean of judge − expert",
    "absolute_error": "mean absolute difference",
    "deviation": "standard deviation of the differences",
    "lower_limit": "lower limit of agreement (95 %)",
    "upper_limit": "upper limit of agreement (95 %)",
    "variance_ratio": "variance of the judge's scores / of the experts'",
}
LEAST = {"deviation": 2, "lower_limit": 2, "upper_limit": 2, "variance_ratio": 2}


def bias(pairs: Pairs, draws: Draws) -> dict[str, Estimate]:
    """Mean difference, absolute error, limits of agreement, variance ratio.

    Args:
        pairs: Expert first, judge second.
        draws: Draws of traces.

    Returns:
        By key: ``bias``, ``absolute_error``, ``deviation`` (n − 1),
        ``lower_limit``, ``upper_limit`` (bias ± 1.96 deviations) and
        ``variance_ratio``, below 1 where the judge uses less of the scale.
        ``no_cases`` where there are too few pairs or the experts don't vary.
    """
    wanted, blocks = bias_wanted(pairs)
    return estimates(wanted, blocks, len(pairs.traces), draws)


def bias_wanted(pairs: Pairs) -> tuple[list[Wanted], dict[str, Array]]:
    """The statistics of ``bias`` and their sums, to be drawn with others.

    Sums are rounded once, so that the order of rows changes no digit.
    """
    rows, n = _rows(pairs), len(pairs)
    sums = np.array([math.fsum(column) for column in rows.T.tolist()])
    wanted = []
    for key, statistic in STATISTICS.items():
        value = float(statistic(sums)) if n >= LEAST.get(key, 1) else math.nan
        one = number(NAMES[key], None if math.isnan(value) else value, n)
        wanted.append(Wanted(key, one, partial(_of, statistic)))
    return wanted, {"sums": sums_by_trace(pairs.trace, len(pairs.traces), rows)}


def _of(statistic: Callable[[Array], Array], totals: Totals) -> Array:
    return statistic(totals["sums"])


def bias_by(
    groups: Mapping[str, Pairs], draws: Draws
) -> dict[str, dict[str, Estimate]]:
    """Bias and absolute error of each group, such as step types."""
    found = {name: bias(pairs, draws) for name, pairs in groups.items()}
    kept = ("bias", "absolute_error")
    return {name: {key: of[key] for key in kept} for name, of in found.items()}


def bands(pairs: Pairs) -> dict[str, Pairs]:
    """Pairs by the mean of the two scores: low (to 2), middle, high (from 4).

    The mean of both and not one side's score: differences against one side's
    score slope down by themselves (Bland and Altman 1995).
    """
    middle = (pairs.x + pairs.y) / 2
    chosen = {
        "low": middle <= 2,
        "middle": (middle > 2) & (middle < 4),
        "high": middle >= 4,
    }
    return {name: pairs.where(yes) for name, yes in chosen.items()}


@dataclass(frozen=True, slots=True)
class Severity:
    """How far a rater stands from the others on the same steps.

    Attributes:
        rater: Pseudonym.
        effect: Mean of own score − mean of the others'; below 0 is severe.
        mean: Mean of all own scores, which depends on the steps given.
        n: Steps shared with others.
    """

    rater: str
    effect: Estimate
    mean: float
    n: int


def severity(ratings: Iterable[Rating], draws: Draws) -> tuple[Severity, ...]:
    """Each rater against the others, by name; intervals over the own traces."""
    apart: dict[str, list[tuple[str, float]]] = {}
    scores: dict[str, list[float]] = {}
    for rows in by_item(ratings).values():
        total = math.fsum(r.score or 0.0 for r in rows)
        for rating in rows:
            own = rating.score or 0.0
            scores.setdefault(rating.rater, []).append(own)
            if len(rows) > 1:
                others = (total - own) / (len(rows) - 1)
                apart.setdefault(rating.rater, []).append((rating.trace, own - others))
    return tuple(
        Severity(
            rater,
            _effect(apart.get(rater, ()), draws),
            math.fsum(scores[rater]) / len(scores[rater]),
            len(apart.get(rater, ())),
        )
        for rater in sorted(scores)
    )


def _effect(rows: Sequence[tuple[str, float]], draws: Draws) -> Estimate:
    name, n = "own score − mean of the others'", len(rows)
    if not n:
        return Estimate(number(name, None, 0))
    traces, at = np.unique([trace for trace, _ in rows], return_inverse=True)
    values = np.array([(1.0, value) for _, value in rows])
    sums = sums_by_trace(at, len(traces), values)
    mean = math.fsum(value for _, value in rows) / n
    ends = interval_of(sums, partial(_mean, at=1), draws)
    return Estimate(number(name, mean, n), ends)


@dataclass(frozen=True, slots=True)
class Compression:
    """Ends of the scale that experts use and the judge never does.

    Attributes:
        unused: Such scores, lowest first.
        experts: How often experts gave each of them.
        n: Number of pairs.
    """

    unused: tuple[int, ...]
    experts: tuple[int, ...]
    n: int


def compression(pairs: Pairs) -> Compression:
    """Whether the judge avoids the lowest or the highest score."""
    table, scale = pairs.tables.sum(axis=0), pairs.scale
    experts, judge = table.sum(axis=1), table.sum(axis=0)
    ends = [at for at in (0, scale.q - 1) if experts[at] and not judge[at]]
    labels = tuple(int(scale.positions[at]) for at in ends)
    return Compression(labels, tuple(int(experts[at]) for at in ends), len(pairs))


def _precision(totals: Totals) -> Array:
    tables = totals["fails"]
    return divided(tables[:, 0, 0], tables[:, :, 0].sum(axis=1))


def _recall(totals: Totals) -> Array:
    tables = totals["fails"]
    return divided(tables[:, 0, 0], tables[:, 0, :].sum(axis=1))


def _f1(totals: Totals) -> Array:
    tables = totals["fails"]
    used = tables[:, 0, :].sum(axis=1) + tables[:, :, 0].sum(axis=1)
    return divided(2 * tables[:, 0, 0], used)


def threshold(pairs: Pairs, draws: Draws) -> dict[str, Estimate]:
    """Precision, recall and F1 of the judge's failures against the experts'."""
    table = pairs.fail_tables.sum(axis=0)
    both = int(table[0, 0])
    flagged, failed = int(table[:, 0].sum()), int(table[0].sum())
    wanted = [
        Wanted("precision", share("precision", both, flagged), _precision),
        Wanted("recall", share("recall", both, failed), _recall),
        Wanted("f1", share("F1", 2 * both, flagged + failed), _f1),
    ]
    blocks = {"fails": pairs.fail_tables}
    return estimates(wanted, blocks, len(pairs.traces), draws)


def histogram(pairs: Pairs) -> dict[str, list[int]]:
    """How often each score was given by experts and by the judge."""
    table, scale = pairs.tables.sum(axis=0), pairs.scale
    return {
        "scores": [int(position) for position in scale.positions],
        "experts": [int(n) for n in table.sum(axis=1)],
        "judge": [int(n) for n in table.sum(axis=0)],
    }
