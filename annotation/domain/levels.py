"""Agreement on the category of a failure, level by level.

Twice for each level: among steps that both sides fail, and over all steps with
"no failure" as a category of its own. The first says whether they name failures
alike, the second also whether they see the same ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from annotation.domain.bootstrap import quotients, sums_by_trace
from annotation.domain.draws import Draws
from annotation.domain.estimate import Estimate, Totals, Wanted, estimates, share
from annotation.domain.kappa import cohen, disagreements
from annotation.domain.pairs import Pairs
from annotation.domain.ratings import Rating
from annotation.domain.scale import Array, Scale, Weights, identity
from judging.domain.taxonomy import UNCLASSIFIED

NO_FAILURE = "no failure"


def named(rating: Rating, level: int) -> str:
    """Category at a level; a failure not named that deep is unclassified."""
    if len(rating.category) >= level:
        return rating.category[level - 1]
    return UNCLASSIFIED


def named_or_none(rating: Rating, level: int) -> str:
    """The same, or ``NO_FAILURE`` where the rater sees none."""
    return named(rating, level) if rating.fails else NO_FAILURE


@dataclass(frozen=True)
class Level:
    """Agreement of two sides at one level.

    Attributes:
        level: 1, 2 or 3.
        scale: The declared categories, "no failure" first where it counts.
        table: Counts, first side in rows.
        kappa: Unweighted κ.
        agreed: Share of equal names.
    """

    level: int
    scale: Scale
    table: Array
    kappa: Estimate
    agreed: Estimate

    def as_json(self) -> dict[str, Any]:
        """Plain data with the table and its labels."""
        return {
            "level": self.level,
            "labels": list(self.scale.labels),
            "table": self.table.tolist(),
            "kappa": self.kappa.as_json(),
            "agreed": self.agreed.as_json(),
        }


def among_failures(pairs: Pairs, ids: Sequence[str], level: int, draws: Draws) -> Level:
    """Names of steps that both sides fail.

    Args:
        pairs: Expert first, judge or another expert second.
        ids: Every category id of the level, in the order of the taxonomy.
        level: 1, 2 or 3.
        draws: Draws of traces.

    Raises:
        ValueError: A rating has a category that the taxonomy version lacks.
    """
    both = pairs.where(pairs.first_fails & pairs.second_fails)
    scale = Scale((*ids, UNCLASSIFIED))
    return _level(both, scale, level, partial(named, level=level), draws)


def over_all(pairs: Pairs, ids: Sequence[str], level: int, draws: Draws) -> Level:
    """Names of all steps, "no failure" among them; arguments as above."""
    scale = Scale((NO_FAILURE, *ids, UNCLASSIFIED))
    name = partial(named_or_none, level=level)
    return _level(pairs, scale, level, name, draws)


def _codes(
    ratings: Sequence[Rating], scale: Scale, name: Callable[[Rating], str]
) -> Array:
    found = np.empty(len(ratings), dtype=np.int64)
    for at, rating in enumerate(ratings):
        label = name(rating)
        if label not in scale.code:
            where = f"step {rating.step!r} of trace {rating.trace!r}"
            raise ValueError(f"{where}: category {label!r} is not in the taxonomy")
        found[at] = scale.code[label]
    return found


def _level(
    pairs: Pairs,
    scale: Scale,
    level: int,
    name: Callable[[Rating], str],
    draws: Draws,
) -> Level:
    a, b = _codes(pairs.firsts, scale, name), _codes(pairs.seconds, scale, name)
    q, plain = scale.q, identity(scale)
    table = np.bincount(a * q + b, minlength=q * q).reshape(q, q)
    value, same = cohen(table, plain), int((a == b).sum())
    wanted = [
        Wanted("kappa", value, _kappa_draws),
        Wanted("agreed", share("equal names", same, len(pairs)), _agreed_draws),
    ]
    blocks = _margins(pairs, a, b, q)
    found = estimates(wanted, blocks, len(pairs.traces), draws)
    return Level(level, scale, table, found["kappa"], found["agreed"])


def _margins(pairs: Pairs, a: Array, b: Array, q: int) -> dict[str, Array]:
    """Margins and hits by trace: without weights κ needs no more of a table."""
    traces = len(pairs.traces)
    rows = np.bincount(pairs.trace * q + a, minlength=traces * q)
    columns = np.bincount(pairs.trace * q + b, minlength=traces * q)
    return {
        "rows": rows.reshape(traces, q),
        "columns": columns.reshape(traces, q),
        "apart": sums_by_trace(pairs.trace, traces, (a != b).astype(float)),
        "total": sums_by_trace(pairs.trace, traces, np.ones(len(a))),
    }


def _kappa_draws(totals: Totals) -> Array:
    q = totals["rows"].shape[-1]
    parts = disagreements(
        totals["apart"], totals["rows"], totals["columns"], totals["total"],
        1.0 - np.eye(q),
    )  # fmt: skip
    return quotients(*parts)


def _agreed_draws(totals: Totals) -> Array:
    return quotients(totals["apart"], totals["total"])


def shared_path(paths: Sequence[tuple[str, ...]]) -> Weights:
    """Credit for the levels that two names share: 0, ⅓, ⅔ or 1.

    Optional, and never mixed with unweighted κ: the name says what it is.

    Args:
        paths: Ids from level 1 down, one for each value of the scale.
    """
    deepest = max(len(path) for path in paths)

    def credit(one: tuple[str, ...], other: tuple[str, ...]) -> Fraction:
        if one == other:
            return Fraction(1)
        same = 0
        while same < min(len(one), len(other)) and one[same] == other[same]:
            same += 1
        return Fraction(same, deepest)

    rows = tuple(tuple(credit(one, other) for other in paths) for one in paths)
    return Weights("credit for shared levels", rows)
