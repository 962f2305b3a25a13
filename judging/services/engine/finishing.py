"""When every call has its verdicts: classify, attribute, store, make current."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Sum

from judging.domain.counterfactual import downstream, scores_under
from judging.domain.diagnosis import Diagnosis, diagnose
from judging.domain.fusion import Vote, fuse, spread
from judging.domain.scores import MetricVerdict, State, StepScore
from judging.models import Batch, Evaluation, Finding, StepOutcome, Verdict
from judging.services.columns import (
    evaluation_columns,
    trace_columns,
    worth_storing,
)
from judging.services.engine.work import Work
from judging.services.outcomes import finding_rows, outcome_row, scores_of
from traces.models import Trace

ROWS = 500


def finish(work: Work, *, lease: str, now: datetime) -> bool:
    """Turn the verdicts of an evaluation into its outcome, once.

    Returns:
        Whether this call did it; False if the lease was lost meanwhile.
    """
    votes = votes_of(work.evaluation)
    scores = fuse(work.findings, votes, combination=work.profile.combination)
    if work.corrected:
        scores = _under(work, scores)
    diagnosis = diagnose(work.run.graph, scores, work.profile.settings)
    with transaction.atomic():
        held = Evaluation.objects.select_for_update().filter(
            pk=work.evaluation, lease=lease, state=Evaluation.State.RUNNING
        )
        evaluation = held.first()
        if evaluation is None:
            return False
        _store(evaluation, work, diagnosis, votes)
        _close(evaluation, diagnosis, now)
    return True


def _under(work: Work, again: Mapping[str, StepScore]) -> Mapping[str, StepScore]:
    """Scores of a counterfactual, those of the evaluation it corrects elsewhere."""
    below = downstream(work.run.graph, work.corrected)
    corrects = Evaluation.objects.get(counterfactuals=work.evaluation)
    return scores_under(scores_of(corrects), again, work.corrected, below)


def votes_of(evaluation: int) -> Mapping[str, list[Vote]]:
    """What each judge said, by step key, judges in their order."""
    rows = Verdict.objects.filter(evaluation=evaluation, source="model")
    fields = ("step_key", "member", "metric", "state", "score", "reason", "category")
    found: dict[tuple[str, int], tuple[list[MetricVerdict], str]] = {}
    for key, member, metric, state, score, reason, category in rows.order_by(
        "step_key", "member", "metric"
    ).values_list(*fields):
        verdicts, _ = found.setdefault((key, member), ([], category))
        verdicts.append(MetricVerdict(metric, State(state), score, reason))
    votes: dict[str, list[Vote]] = {}
    for (key, _), (verdicts, category) in found.items():
        votes.setdefault(key, []).append(Vote(tuple(verdicts), category))
    return votes


def _store(
    evaluation: Evaluation,
    work: Work,
    diagnosis: Diagnosis,
    votes: Mapping[str, list[Vote]],
) -> None:
    findings = finding_rows(evaluation, work.findings)
    Finding.objects.bulk_create(findings, batch_size=ROWS)
    rows = [
        outcome_row(
            evaluation,
            step,
            diagnosis.outcomes[step.key],
            spread(votes.get(step.key, [])),
        )
        for step in work.run.graph.steps
        if worth_storing(diagnosis.outcomes[step.key])
    ]
    StepOutcome.objects.bulk_create(rows, batch_size=ROWS)


def _close(evaluation: Evaluation, diagnosis: Diagnosis, now: datetime) -> None:
    trace = Trace.objects.select_for_update().get(pk=evaluation.trace_id)
    fresh = trace.revision == evaluation.revision and evaluation.compared_with is None
    if fresh:
        Evaluation.objects.filter(trace=trace, is_current=True).update(is_current=False)
        Trace.objects.filter(pk=trace.pk).update(**trace_columns(diagnosis))
    Evaluation.objects.filter(pk=evaluation.pk).update(
        state=Evaluation.State.DONE,
        lease="",
        leased_until=None,
        finished_at=now,
        is_current=fresh,
        **evaluation_columns(diagnosis.counts),
        **_totals(evaluation),
    )


def _totals(evaluation: Evaluation) -> dict[str, float]:
    """Counters anew, from the verdicts.

    What was counted on the way is off where two workers asked the same.
    """
    rows = Verdict.objects.filter(evaluation=evaluation, source="model")
    calls = rows.values("step_key", "member").distinct().count()
    sums = rows.aggregate(
        cost=Sum("cost_usd"), given=Sum("input_tokens"), made=Sum("output_tokens")
    )
    return {
        "answered": calls,
        "cost_usd": sums["cost"] or 0.0,
        "input_tokens": sums["given"] or 0,
        "output_tokens": sums["made"] or 0,
    }


def close_batches(*, now: datetime) -> None:
    """Close batches of which nothing is left; after the last commit, not in it.

    In it, two that end at once would each still see the other.
    """
    left = Evaluation.objects.filter(
        batch=OuterRef("pk"), state__in=("pending", "running", "paused")
    )
    Batch.objects.filter(~Exists(left), state=Batch.State.RUNNING).update(
        state=Batch.State.DONE, finished_at=now
    )
