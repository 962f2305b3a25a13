"""The whole report of a campaign as plain data, ready for page, API and export.

Every number carries its definition or its reason. Equal ratings and an equal
seed give an equal report, in whatever order they come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.domain.agreement import many_agreement, pair_agreement
from annotation.domain.bootstrap import LEVEL
from annotation.domain.ceiling import gap_by_pairs, gap_left_out
from annotation.domain.draws import Draws
from annotation.domain.estimate import Estimate
from annotation.domain.outcome import Note
from annotation.domain.pairs import Pairs, among, with_judge
from annotation.domain.ratings import Exclusion, Rating, divided, tabulate
from annotation.domain.scale import SCORES
from annotation.domain.sections import (
    biases,
    categories,
    failure_subsets,
    own_agreement,
    own_repeats,
    paper_measures,
    planned,
    root_causes,
    two_sides,
)
from annotation.domain.setup import Setup
from annotation.domain.slices import sliced, sliced_experts

ENOUGH_STEPS = 30
MOST_ROWS = 1_000
PRIMARY = "kappa_quadratic"


def report(
    experts: Iterable[Rating], judge: Iterable[Rating], setup: Setup
) -> dict[str, Any]:
    """Everything that can be said about agreement.

    Args:
        experts: All ratings of people, also those that don't count: what is
            left out is listed with the reason.
        judge: At most one rating a step; a mean over metrics is rounded for
            coefficients over the scale and kept for bias. A step that was
            looked at without a score and without a finding has no score and
            ``failed`` false: it counts for detection only. Empty without judge.
        setup: Seed and context.

    Returns:
        JSON-able data: ``definition``, ``counts``, ``excluded``, ``headline``,
        ``judge_expert``, ``experts``, ``repeats``, ``ceiling``, ``categories``,
        ``roots``, ``bias``, ``failures``, ``slices``, ``measures``, ``plan``. Parts
        that need a judge are None without one.

    Raises:
        RatingError: A step rated twice by one rater, or a score outside 1 to 5.
    """
    experts = list(experts)
    used, excluded = divided(experts, blind_only=setup.blind_only)
    method = list(judge)
    judged = [rating for rating in method if rating.score is not None]
    table = tabulate(used)
    pairs, peers = with_judge(used, judged), among(used)
    # Of its own, so that the draws it keeps go when the report is made.
    setup = replace(setup)
    draws = setup.drawn
    agreed = pair_agreement(pairs, draws) if judged else None
    own = many_agreement(table, draws)
    gaps = _gaps(used, judged, (pairs, peers), draws) if judged else None
    main, basis = (agreed[PRIMARY], pairs) if agreed else (_own_headline(own), peers)
    return {
        "definition": _definition(setup, bool(judged)),
        "counts": _counts(used, pairs, peers),
        "excluded": _excluded(excluded),
        "headline": _headline(main, basis, gaps),
        "judge_expert": two_sides(pairs, agreed) if agreed else None,
        "experts": own_agreement(used, table, peers, own, setup),
        "repeats": own_repeats(experts, setup),
        "ceiling": gaps,
        "categories": categories(pairs, setup) if judged else None,
        "roots": root_causes(used, method, setup),
        "bias": biases(pairs, setup) if judged else None,
        "failures": failure_subsets(pairs, setup) if judged else None,
        "slices": sliced(pairs, draws) if judged else sliced_experts(used, draws),
        "measures": paper_measures(used, method, setup) if method else None,
        "plan": planned(basis, main, setup),
    }


def _definition(setup: Setup, judged: bool) -> dict[str, Any]:
    return {
        "primary": PRIMARY if judged else "alpha_ordinal",
        "words": "Cohen's κ with quadratic weights over the scores 1 to 5, of every "
        "expert's score with the judge's of the same step"
        if judged
        else "Krippendorff's α, ordinal, of all experts",
        "scale": list(SCORES.labels),
        "ratings": "independent ratings before adjudication"
        + (", given blind" if setup.blind_only else ""),
        "failure": "experts: score ≤ 2; judge: score below its threshold",
        "rounding": "a judge's mean counts as the nearest score, halves as the lower",
        "interval": f"{LEVEL:.0%} percentile interval over {setup.draws} draws of traces",
        "seed": setup.seed,
        "draws": setup.draws,
        "versions": dict(setup.versions or {}),
    }


def _counts(used: Sequence[Rating], pairs: Pairs, peers: Pairs) -> dict[str, int]:
    return {
        "ratings": len(used),
        "steps": len({rating.item for rating in used}),
        "traces": len({rating.trace for rating in used}),
        "raters": len({rating.rater for rating in used}),
        "steps_with_judge": pairs.steps,
        "steps_rated_twice": peers.steps,
        "pairs_with_judge": len(pairs),
        "pairs_of_experts": len(peers),
    }


def _excluded(excluded: Sequence[Exclusion]) -> dict[str, Any]:
    rows = sorted(
        (one.as_row() for one in excluded), key=lambda row: tuple(row.values())
    )
    reasons = Counter(one.reason for one in excluded)
    return {
        "total": len(rows),
        "by_reason": dict(sorted(reasons.items())),
        "rows": rows[:MOST_ROWS],
        "left_off": max(0, len(rows) - MOST_ROWS),
    }


def _own_headline(own: Mapping[str, Estimate]) -> Estimate:
    return own["alpha_ordinal"]


def _headline(
    main: Estimate, basis: Pairs, gaps: Mapping[str, Any] | None
) -> dict[str, Any]:
    preliminary = basis.steps < ENOUGH_STEPS
    if preliminary:
        noted = main.coefficient.noted(Note.PRELIMINARY)
        main = Estimate(noted, main.interval)
    status = "preliminary" if preliminary else "final"
    return {
        "status": "undefined" if main.value is None else status,
        "estimate": main.as_json(),
        "steps": basis.steps,
        "traces": len(basis.traces),
        "raters": len({rating.rater for rating in basis.firsts}),
        "ceiling": gaps["by_pairs"]["expert"] if gaps else None,
        "gap": gaps["by_pairs"]["difference"] if gaps else None,
    }


def _gaps(
    used: Sequence[Rating],
    judged: Sequence[Rating],
    compared: tuple[Pairs, Pairs],
    draws: Draws,
) -> dict[str, Any]:
    return {
        "by_pairs": gap_by_pairs(*compared, draws).as_json(),
        "left_out": gap_left_out(used, judged, draws).as_json(),
    }
