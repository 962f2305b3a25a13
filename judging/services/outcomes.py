"""Rows for what follows from scores: outcomes of steps, columns of a trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judging.domain.diagnosis import Diagnosis, Outcome
from judging.models import Evaluation, StepOutcome
from traces.domain.records import Step

MAX_LISTED = 20
"""Categories listed on a trace, the most frequent."""


def outcome_row(
    evaluation: Evaluation, step: Step, outcome: Outcome, spread: float | None = None
) -> StepOutcome:
    """The row of one step."""
    score = outcome.score
    return StepOutcome(
        evaluation=evaluation,
        step_key=outcome.key,
        index=step.index,
        type=step.type,
        state=str(score.state),
        reason=score.reason,
        score=score.score,
        threshold=outcome.threshold,
        failed=outcome.failed,
        category=score.category,
        role=outcome.role,
        source_key=outcome.source,
        root_key=outcome.root,
        amplification=outcome.downstream,
        metrics=dict(score.metrics),
        source=score.source,
        spread=spread,
    )


def worth_storing(outcome: Outcome) -> bool:
    """Steps without finding and boundaries have no row."""
    return outcome.score.score is not None or outcome.score.state == "unscored"


def trace_columns(diagnosis: Diagnosis) -> dict[str, Any]:
    """What the list of traces shows of a diagnosis."""
    counts, root = diagnosis.counts, diagnosis.primary_root
    return {
        "score": diagnosis.workflow.value,
        "failed_count": counts["failed"],
        "scored_count": counts["scored"],
        "unscored_count": counts["unscored"],
        "root_count": len(diagnosis.roots),
        "root_category": diagnosis.outcomes[root].category if root else "",
        "root_step": root,
        "categories": failed_categories(diagnosis.outcomes),
    }


def failed_categories(outcomes: Mapping[str, Outcome]) -> list[str]:
    """Categories of all failures, the most frequent first."""
    counts: dict[str, int] = {}
    for outcome in outcomes.values():
        if outcome.failed:
            counts[outcome.category] = counts.get(outcome.category, 0) + 1
    return sorted(counts, key=lambda one: (-counts[one], one))[:MAX_LISTED]
