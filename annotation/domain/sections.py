"""The sections of a report, each as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from annotation.domain.agreement import pabak, pair_agreement
from annotation.domain.bias import (
    bands,
    bias,
    bias_by,
    compression,
    histogram,
    severity,
    threshold,
)
from annotation.domain.ceiling import rater_tables
from annotation.domain.estimate import Estimate
from annotation.domain.fleiss import conger, fleiss, fleiss_by_value, uniform
from annotation.domain.gwet import gwet_error
from annotation.domain.kappa import analytic, cohen, highest_possible, skew
from annotation.domain.levels import (
    NO_FAILURE,
    among_failures,
    named_or_none,
    over_all,
)
from annotation.domain.measures import measures
from annotation.domain.nominal import nominal_agreement
from annotation.domain.outcome import Undefined
from annotation.domain.pairs import Pairs
from annotation.domain.people import repeats
from annotation.domain.planner import design_effect, plan
from annotation.domain.ratings import Rating, RatingTable, tabulate
from annotation.domain.roots import expert_roots, judge_roots
from annotation.domain.scale import (
    SCORES,
    Array,
    Scale,
    Weights,
    identity,
    linear,
    quadratic,
)
from annotation.domain.setup import Setup
from annotation.domain.slices import SMALL
from annotation.domain.subsets import Rule, failures
from judging.domain.taxonomy import UNCLASSIFIED


def confusion(table: Array, labels: Sequence[Any]) -> dict[str, Any]:
    """A table with its margins, as plain data."""
    counts = np.asarray(table)
    return {
        "labels": list(labels),
        "counts": counts.tolist(),
        "rows": counts.sum(axis=1).tolist(),
        "columns": counts.sum(axis=0).tolist(),
        "n": int(counts.sum()),
    }


def two_sides(pairs: Pairs, agreed: Mapping[str, Estimate]) -> dict[str, Any]:
    """Judge and experts: coefficients, tables and what bends them."""
    table, failed = pairs.tables.sum(axis=0), pairs.fail_tables.sum(axis=0)
    ways = (identity(SCORES), linear(SCORES), quadratic(SCORES))
    most = highest_possible(table)
    return {
        "agreement": {key: one.as_json() for key, one in agreed.items()},
        "confusion": confusion(table, SCORES.labels),
        "failures": confusion(failed, ("fail", "ok")),
        "pabak": pabak(pairs).as_json(),
        "skew": _skew(failed),
        "highest_kappa": None if most is None else float(most),
        "independent_steps": {w.name: _analytic(table, w) for w in ways},
        "histogram": histogram(pairs),
    }


def _skew(table: Array) -> dict[str, Any]:
    found = skew(table)
    if isinstance(found, Undefined):
        return {"prevalence": None, "bias": None, "reason": found.reason.value}
    parts = float(found.prevalence), float(found.bias)
    return {"prevalence": parts[0], "bias": parts[1], "reason": None}


def _analytic(table: Array, weights: Weights) -> dict[str, Any]:
    found = analytic(table, weights)
    if isinstance(found, Undefined):
        return {"error": None, "reason": found.reason.value, "words": found.words}
    return {
        "error": found.error,
        "null_error": found.null_error,
        "low": found.low,
        "high": found.high,
        "words": "assumes independent steps, which steps of one trace aren't",
        "reason": None,
    }


def own_agreement(
    used: Sequence[Rating],
    table: RatingTable,
    peers: Pairs,
    own: Mapping[str, Estimate],
    setup: Setup,
) -> dict[str, Any]:
    """The experts among themselves: scores, categories, each two, severity."""
    severe = severity(used, setup.drawn)
    return {
        "agreement": _plain(own),
        "other_chance": _other_chance(table),
        "categories": [
            {"level": level, "agreement": _plain(_of_level(used, ids, level, setup))}
            for level, ids in enumerate(setup.levels, start=1)
        ],
        "pairs": [
            {
                "raters": list(names),
                "kappa_quadratic": cohen(table, quadratic(SCORES)).as_json(),
                "n": int(table.sum()),
                "small": bool(table.sum() < SMALL),
            }
            for names, table in rater_tables(peers).items()
        ],
        "severity": [
            {
                "rater": one.rater,
                "effect": one.effect.as_json(),
                "mean": one.mean,
                "n": one.n,
            }
            for one in severe
        ],
    }


def _other_chance(table: RatingTable) -> dict[str, Any]:
    """The same ratings under other models of chance, without intervals."""
    counts, scale = table.counts, table.scale
    complete = fleiss(counts, identity(scale)).undefined is None
    by_value = fleiss_by_value(counts) if complete else ()
    return {
        "conger": conger(table, identity(scale)).as_json(),
        "conger_quadratic": conger(table, quadratic(scale)).as_json(),
        "uniform": uniform(counts, identity(scale)).as_json(),
        "fleiss_by_value": [None if x is None else float(x) for x in by_value],
        "ac1_error": gwet_error(counts, identity(scale)),
    }


def own_repeats(experts: Sequence[Rating], setup: Setup) -> dict[str, Any]:
    """Raters against their own first look at the same step."""
    again = repeats(experts)
    found = pair_agreement(again, setup.drawn)
    kept = ("kappa_quadratic", "exact", "within_1", "fail_kappa")
    return {"n": len(again), **{key: found[key].as_json() for key in kept}}


def _of_level(
    used: Sequence[Rating], ids: Sequence[str], level: int, setup: Setup
) -> dict[str, Estimate]:
    name = partial(named_or_none, level=level)
    table = tabulate(used, Scale((NO_FAILURE, *ids, UNCLASSIFIED)), name)
    return nominal_agreement(table, setup.drawn)


def categories(pairs: Pairs, setup: Setup) -> list[dict[str, Any]]:
    """Both readings of every level of the taxonomy."""
    found = []
    for level, ids in enumerate(setup.levels, start=1):
        arguments = (pairs, ids, level, setup.drawn)
        found.append(
            {
                "level": level,
                "among_failures": among_failures(*arguments).as_json(),
                "over_all": over_all(*arguments).as_json(),
            }
        )
    return found


def root_causes(
    used: Sequence[Rating], judged: Sequence[Rating], setup: Setup
) -> dict[str, Any]:
    """Roots of experts among themselves, and of the judge against them."""
    judge = judge_roots(used, judged, setup.hops).as_json() if judged else None
    return {"experts": expert_roots(used, setup.hops).as_json(), "judge": judge}


def biases(pairs: Pairs, setup: Setup) -> dict[str, Any]:
    """Bias overall, by band and by step type; threshold; unused ends."""
    draws = setup.drawn
    unused = compression(pairs)
    by_kind = bias_by(pairs.by(lambda rating: rating.kind), draws)
    return {
        "overall": _plain(bias(pairs, draws)),
        "bands": {k: _plain(of) for k, of in bias_by(bands(pairs), draws).items()},
        "kinds": {k: _plain(of) for k, of in by_kind.items()},
        "threshold": _plain(threshold(pairs, draws)),
        "compression": {
            "unused": list(unused.unused),
            "experts": list(unused.experts),
            "n": unused.n,
        },
    }


def _plain(found: Mapping[str, Estimate]) -> dict[str, Any]:
    return {key: one.as_json() for key, one in found.items()}


def failure_subsets(pairs: Pairs, setup: Setup) -> list[dict[str, Any]]:
    """Agreement on failures by each of the four rules."""
    return [failures(pairs, rule, setup.drawn).as_json() for rule in Rule]


def paper_measures(
    used: Sequence[Rating], judged: Sequence[Rating], setup: Setup
) -> dict[str, Any]:
    """FDRec, FPR and RCA of the judge."""
    return measures(used, judged, setup.hops, setup.drawn).as_json()


def planned(basis: Pairs, main: Estimate, setup: Setup) -> dict[str, Any]:
    """How many more traces the wanted interval needs, from what is there."""
    weights, table = quadratic(SCORES), basis.tables.sum(axis=0)
    independent = analytic(table, weights)
    effect = design_effect(main.interval, independent) if main.interval else None
    traces = len(basis.traces)
    per_trace = basis.steps / traces if traces else 1.0
    return plan(
        setup.wanted,
        per_trace,
        table=table,
        weights=weights,
        deff=effect,
        rated_traces=traces,
    ).as_json()


def steps_in_cell(
    pairs: Pairs, expert: int, judge: int, limit: int = 200
) -> list[dict[str, str]]:
    """The steps behind one cell of the table of scores.

    Args:
        pairs: Expert first, judge second.
        expert: Score of the expert, as in the table.
        judge: Score of the judge, rounded as in the table.
        limit: Largest number of rows.

    Returns:
        Trace, step and expert of each pair, in order.
    """
    row, column = pairs.scale.code[expert], pairs.scale.code[judge]
    found = np.flatnonzero((pairs.a == row) & (pairs.b == column))[:limit]
    kept = [pairs.firsts[int(at)] for at in found]
    return [{"trace": r.trace, "step": r.step, "rater": r.rater} for r in kept]
