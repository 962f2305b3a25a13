"""The judge beside the experts: is it as close to them as they are to each other.

Two comparisons, each with the same steps and the same draws on both sides:

* by pairs: the pooled κ of the judge with each expert, and of the experts with
  each other. Pooled means 1 − Σ D_o / Σ D_e over pairs of raters, each pair with its own
  margins (De Vries, Elliott, Kanouse and Teleki 2008), so that a lenient expert
  isn't mixed with a severe one.
* with one left out: each expert, and the judge in that expert's place, against
  the consensus of the other experts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from annotation.domain.agreement import kappa_draws
from annotation.domain.bootstrap import (
    Block,
    interval,
    quotients,
    resample,
    tables_by_trace,
)
from annotation.domain.consensus import left_out
from annotation.domain.draws import Draws
from annotation.domain.estimate import Estimate
from annotation.domain.kappa import cohen, table_disagreements
from annotation.domain.outcome import Coefficient, Reason, corrected, undefined
from annotation.domain.pairs import Pairs
from annotation.domain.ratings import Rating
from annotation.domain.scale import SCORES, Array, Scale, Weights, exact, quadratic


@dataclass(frozen=True)
class Gap:
    """Judge and expert on the same steps.

    Attributes:
        judge: The judge's coefficient.
        expert: The experts' own: the ceiling.
        difference: judge − expert, with a paired interval.
        steps: Number of steps both rest on.
    """

    judge: Estimate
    expert: Estimate
    difference: Estimate
    steps: int

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "judge": self.judge.as_json(),
            "expert": self.expert.as_json(),
            "difference": self.difference.as_json(),
            "steps": self.steps,
        }


def pooled(tables: Sequence[Array], weights: Weights) -> Coefficient:
    """κ pooled over pairs of raters: 1 − Σ N D_o / Σ N D_e.

    Args:
        tables: One table for each pair of raters.
        weights: Agreement of each pair of values.
    """
    name = f"pooled κ, {weights.name}"
    observed, expected, n = Fraction(0), Fraction(0), 0
    for table in tables:
        counts = exact(np.asarray(table))
        size = int(counts.sum())
        if size:
            parts = table_disagreements(counts, weights.disagreement)
            observed += Fraction(parts[0].item(), size)
            expected += Fraction(parts[1].item(), size)
            n += size
    if not n:
        return undefined(name, Reason.NO_OVERLAP, 0)
    return corrected(name, observed / n, expected / n, n)


def rater_tables(pairs: Pairs) -> dict[tuple[str, str], Array]:
    """Table of scores of each two raters."""
    q = pairs.scale.q
    return {
        names: np.bincount(pairs.a[at] * q + pairs.b[at], minlength=q * q).reshape(q, q)
        for names, at in pairs.by_raters.items()
    }


def _blocks(pairs: Pairs, traces: Sequence[str], side: str) -> dict[str, Block]:
    """For each two raters the tables of the traces both worked on."""
    place = {trace: at for at, trace in enumerate(traces)}
    own = np.array([place[trace] for trace in pairs.traces], dtype=np.int64)
    q = pairs.scale.q
    found = {}
    for names, at in pairs.by_raters.items():
        used, where = np.unique(pairs.trace[at], return_inverse=True)
        tables = tables_by_trace(where, len(used), pairs.a[at], pairs.b[at], q)
        found[f"{side}\n{names[0]}\n{names[1]}"] = Block(tables, own[used])
    return found


def _pooled_draws(totals: dict[str, Array], side: str, weights: Weights) -> Array:
    distance = weights.disagreement.astype(float)
    observed: Array = np.zeros(1)
    expected: Array = np.zeros(1)
    for name, tables in totals.items():
        if name.startswith(f"{side}\n"):
            size = tables.sum(axis=(-2, -1))
            some = np.where(size == 0, 1.0, size)
            parts = table_disagreements(tables, distance)
            observed = observed + parts[0] / some
            expected = expected + parts[1] / some
    return quotients(observed, expected)


def gap_by_pairs(
    pairs: Pairs, peers: Pairs, draws: Draws, weights: Weights | None = None
) -> Gap:
    """Judge–expert against expert–expert, pooled over pairs of raters.

    Only steps that the judge and at least two experts scored count, on both
    sides.

    Args:
        pairs: Each expert with the judge.
        peers: Each two experts.
        draws: Draws of traces.
        weights: Quadratic over the scores by default.
    """
    weights = weights or quadratic(SCORES)
    shared = {r.item for r in pairs.firsts} & {r.item for r in peers.firsts}
    mine = pairs.where([rating.item in shared for rating in pairs.firsts])
    theirs = peers.where([rating.item in shared for rating in peers.firsts])
    own = pooled(list(rater_tables(mine).values()), weights)
    ceiling = pooled(list(rater_tables(theirs).values()), weights)
    traces = mine.traces
    if len(traces) < 2:
        return _gap((own, ceiling), None, mine, draws)
    blocks = _blocks(mine, traces, "judge") | _blocks(theirs, traces, "expert")
    totals = resample(blocks, len(traces), draws)
    both = [_pooled_draws(totals, side, weights) for side in ("judge", "expert")]
    return _gap((own, ceiling), both, mine, draws)


def gap_left_out(
    experts: Sequence[Rating],
    judge: Sequence[Rating],
    draws: Draws,
    scale: Scale = SCORES,
) -> Gap:
    """Judge and each expert against the consensus of the other experts."""
    weights = quadratic(scale)
    theirs, mine = left_out(experts, judge)
    own = cohen(mine.tables.sum(axis=0), weights)
    ceiling = cohen(theirs.tables.sum(axis=0), weights)
    traces = len(mine.traces)
    if traces < 2:
        return _gap((own, ceiling), None, mine, draws)
    blocks = {"judge": mine.tables, "expert": theirs.tables}
    totals = resample(blocks, traces, draws)
    both = [kappa_draws(totals[side], weights) for side in ("judge", "expert")]
    return _gap((own, ceiling), both, mine, draws)


def _gap(
    values: tuple[Coefficient, Coefficient],
    both: Sequence[Array] | None,
    pairs: Pairs,
    draws: Draws,
) -> Gap:
    one, other = both or (np.full(draws.count, np.nan), np.full(draws.count, np.nan))
    own, ceiling = values
    traces = len(pairs.traces)
    return Gap(
        Estimate(own, interval(one, traces, draws)),
        Estimate(ceiling, interval(other, traces, draws)),
        Estimate(difference(own, ceiling), interval(one - other, traces, draws)),
        pairs.steps,
    )


def difference(own: Coefficient, ceiling: Coefficient) -> Coefficient:
    """Judge − expert; undefined for the first reason of the two."""
    name, n = "judge − expert", min(own.n, ceiling.n)
    if own.exact is None or ceiling.exact is None:
        missing = own.undefined or ceiling.undefined
        reason = missing.reason if missing else Reason.NO_OVERLAP
        return undefined(name, reason, n)
    return Coefficient(name, own.exact - ceiling.exact, None, None, n)
