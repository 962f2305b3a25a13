"""How far two sides agree on scores: everything that one table of pairs tells."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from annotation.domain.alpha import Metric, alpha, alpha_disagreements
from annotation.domain.bootstrap import quotients, shares
from annotation.domain.coincidences import Coincidences, coincidences_by_trace
from annotation.domain.draws import Draws
from annotation.domain.estimate import Estimate, Totals, Wanted, estimates, share
from annotation.domain.fleiss import fleiss, fleiss_disagreements
from annotation.domain.gwet import gwet, gwet_disagreements, gwet_of
from annotation.domain.kappa import (
    cohen,
    share_within,
    skew,
    specific_agreement,
    table_disagreements,
    two_way,
)
from annotation.domain.outcome import Coefficient, Reason, undefined
from annotation.domain.pairs import Pairs
from annotation.domain.ratings import RatingTable
from annotation.domain.scale import (
    FAIL_OK,
    Array,
    Scale,
    Weights,
    exact,
    identity,
    linear,
    quadratic,
    within,
)

WAYS: dict[str, Callable[[Scale], Weights]] = {
    "kappa": identity,
    "kappa_linear": linear,
    "kappa_quadratic": quadratic,
}


def kappa_draws(tables: Array, weights: Weights) -> Array:
    """Cohen's κ of each draw of a table, NaN where it is undefined."""
    distance = weights.disagreement.astype(float)
    return quotients(*table_disagreements(tables, distance))


def share_draws(tables: Array, weights: Weights) -> Array:
    """Weighted observed agreement of each draw of a table."""
    return shares(
        (tables * weights.floats).sum(axis=(-2, -1)), tables.sum(axis=(-2, -1))
    )


def of_table(tables: Array) -> Coincidences:
    """Sums over items from tables of two raters, shape (…, q, q)."""
    both = tables + np.swapaxes(tables, -1, -2)
    used = both.sum(axis=-1)
    total = np.asarray(tables.sum(axis=(-2, -1)))
    return Coincidences(both, used, both / 2, total, used / 2, total)


def _from(block: str, statistic: Callable[[Array], Array], totals: Totals) -> Array:
    return statistic(totals[block])


def _kappas(table: Array, scale: Scale, block: str) -> list[Wanted]:
    ways = {key: way(scale) for key, way in WAYS.items()}
    return [
        Wanted(
            key,
            cohen(table, weights),
            partial(_from, block, partial(kappa_draws, weights=weights)),
        )
        for key, weights in ways.items()
    ]


def _shares(table: Array, scale: Scale, block: str) -> list[Wanted]:
    n = int(table.sum())
    found = []
    for key, steps in (("exact", 0), ("within_1", 1)):
        part = share_within(table, steps)
        value = share(key, part * n if part is not None else 0, n)
        statistic = partial(share_draws, weights=within(scale, steps))
        found.append(Wanted(key, value, partial(_from, block, statistic)))
    return found


def gwet_draws(tables: Array, weights: Weights) -> Array:
    """AC1 or AC2 of each draw of a table of two raters."""
    total = tables.sum(axis=(-2, -1))
    safe = np.where((total == 0)[:, None, None], np.nan, tables)
    return quotients(*gwet_disagreements(of_table(safe), weights))


def _gwets(table: Array, scale: Scale, block: str) -> list[Wanted]:
    ways = {"ac1": identity(scale), "ac2_quadratic": quadratic(scale)}
    return [
        Wanted(
            key,
            gwet_of(of_table(exact(table)), weights),
            partial(_from, block, partial(gwet_draws, weights=weights)),
        )
        for key, weights in ways.items()
    ]


def specific_draws(tables: Array, at: int) -> Array:
    """Specific agreement on one value, of each draw."""
    used = tables[:, at, :].sum(axis=-1) + tables[:, :, at].sum(axis=-1)
    return shares(2 * tables[:, at, at], used)


def one_against_rest_draws(tables: Array, at: int) -> Array:
    """κ of one value against the rest, of each draw."""
    both = tables[:, at, at]
    first, second = tables[:, at, :].sum(axis=-1), tables[:, :, at].sum(axis=-1)
    total = tables.sum(axis=(-2, -1))
    observed = (first + second - 2 * both) * total
    return quotients(observed, first * (total - second) + second * (total - first))


def _by_value(table: Array, scale: Scale, block: str) -> list[Wanted]:
    found = []
    for at, agreed in enumerate(specific_agreement(table)):
        label = scale.labels[at]
        name = f"specific agreement on {label}"
        used = int(table[at].sum() + table[:, at].sum())
        value = (
            undefined(name, Reason.NO_CASES, 0)
            if agreed is None
            else Coefficient(name, agreed, None, None, used)
        )
        specific = partial(_from, block, partial(specific_draws, at=at))
        rest = partial(_from, block, partial(one_against_rest_draws, at=at))
        one = cohen(two_way(table, at), identity(FAIL_OK))
        found.append(Wanted(f"specific_{label}", value, specific))
        found.append(Wanted(f"one_vs_rest_{label}", one, rest))
    return found


def fails(pairs: Pairs, block: str = "fails") -> list[Wanted]:
    """κ, AC1 and specific agreement of fail against ok."""
    table = pairs.fail_tables.sum(axis=0)
    plain = identity(FAIL_OK)
    found = [
        Wanted(
            "fail_kappa",
            cohen(table, plain),
            partial(_from, block, partial(kappa_draws, weights=plain)),
        ),
        Wanted(
            "fail_ac1",
            gwet_of(of_table(exact(table)), plain),
            partial(_from, block, partial(gwet_draws, weights=plain)),
        ),
    ]
    by_value = _by_value(table, FAIL_OK, block)
    return found + [one for one in by_value if one.key.startswith("specific")]


def pabak(pairs: Pairs) -> Coefficient:
    """PABAK of fail against ok, 2 p_o − 1."""
    found = skew(pairs.fail_tables.sum(axis=0))
    n = len(pairs)
    if not hasattr(found, "adjusted"):
        return undefined("PABAK", Reason.NO_OVERLAP, 0)
    return Coefficient("PABAK", found.adjusted, None, None, n)


def pair_agreement(pairs: Pairs, draws: Draws) -> dict[str, Estimate]:
    """Every coefficient of two sides, with intervals from the same draws.

    Args:
        pairs: Expert first, judge (or another expert) second.
        draws: Draws of traces.

    Returns:
        By key: ``kappa``, ``kappa_linear``, ``kappa_quadratic``, ``exact``,
        ``within_1``, ``ac1``, ``ac2_quadratic``, ``specific_1`` …,
        ``one_vs_rest_1`` …, ``fail_kappa``, ``fail_ac1``, ``specific_fail``,
        ``specific_ok``.
    """
    wanted, blocks = pair_wanted(pairs)
    return estimates(wanted, blocks, len(pairs.traces), draws)


def pair_wanted(pairs: Pairs) -> tuple[list[Wanted], dict[str, Array]]:
    """The statistics of ``pair_agreement`` and their sums."""
    table, scale = pairs.tables.sum(axis=0), pairs.scale
    wanted = [
        *_kappas(table, scale, "scores"),
        *_shares(table, scale, "scores"),
        *_gwets(table, scale, "scores"),
        *_by_value(table, scale, "scores"),
        *fails(pairs),
    ]
    return wanted, {"scores": pairs.tables, "fails": pairs.fail_tables}


FIELDS = ("between", "pairable", "agreeing", "compared", "shares", "rated")


def _sums(totals: Totals) -> Coincidences:
    return Coincidences(*(totals[name] for name in FIELDS))


def _alpha_draws(scale: Scale, metric: Metric, totals: Totals) -> Array:
    return quotients(*alpha_disagreements(_sums(totals), scale, metric))


def _gwet_totals(weights: Weights, totals: Totals) -> Array:
    known = dict(totals)
    known["compared"] = np.where(totals["compared"] == 0, np.nan, totals["compared"])
    return quotients(*gwet_disagreements(_sums(known), weights))


def _fleiss_totals(weights: Weights, totals: Totals) -> Array:
    known = dict(totals)
    known["compared"] = np.where(totals["compared"] == 0, np.nan, totals["compared"])
    return quotients(*fleiss_disagreements(_sums(known), weights))


def many_agreement(table: RatingTable, draws: Draws) -> dict[str, Estimate]:
    """Coefficients of any number of raters with missing ratings.

    Returns:
        By key: ``alpha_nominal``, ``alpha_ordinal``, ``alpha_interval``,
        ``alpha_ratio`` (scales of numbers), ``ac1``, ``ac2_quadratic`` and
        ``fleiss``, which asks for equally many ratings of every item.
    """
    counts, scale = table.counts, table.scale
    wanted = [
        Wanted(
            f"alpha_{metric.value}",
            alpha(counts, scale, metric),
            partial(_alpha_draws, scale, metric),
        )
        for metric in Metric
    ]
    for key, weights in (("ac1", identity(scale)), ("ac2_quadratic", quadratic(scale))):
        one = Wanted(key, gwet(counts, weights), partial(_gwet_totals, weights))
        wanted.append(one)
    plain = identity(scale)
    wanted.append(
        Wanted("fleiss", fleiss(counts, plain), partial(_fleiss_totals, plain))
    )
    if not table.items:
        return estimates(wanted, {}, 0, draws)
    sums = coincidences_by_trace(table)
    blocks = {name: getattr(sums, name) for name in FIELDS}
    return estimates(wanted, blocks, len(table.traces), draws)
