"""Rows for what was found and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from judging.domain.diagnosis import Outcome
from judging.domain.findings import Finding as Found
from judging.domain.scores import State, StepScore
from judging.models import Evaluation, Finding, StepOutcome
from judging.services.columns import failed_categories, trace_columns, worth_storing
from traces.domain.records import Step

__all__ = [
    "failed_categories",
    "finding_rows",
    "outcome_row",
    "scores_of",
    "trace_columns",
    "worth_storing",
]


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


def finding_rows(evaluation: Evaluation, findings: Iterable[Found]) -> list[Finding]:
    """The rows of what checks found."""
    return [
        Finding(
            evaluation=evaluation,
            step_key=found.step,
            check_id=found.check,
            metric=found.metric,
            cap=found.cap,
            category=found.category,
            message=found.message[:500],
            evidence=[asdict(one) for one in found.evidence],
        )
        for found in findings
    ]


def scores_of(evaluation: Evaluation) -> Mapping[str, StepScore]:
    """Score by step key; steps that are left out have no finding."""
    fields = ("step_key", "state", "score", "metrics", "reason", "category", "source")
    rows = StepOutcome.objects.filter(evaluation=evaluation).values_list(*fields)
    return {key: StepScore(State(state), *rest) for key, state, *rest in rows}
