"""What a digest says of a trace, as rows and columns.

Evaluations are added and the newest is current; older ones stay, but for what
the same checks said of a trace that has grown since.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef

from judging.domain.diagnosis import Outcome
from judging.models import Evaluation, Finding, StepOutcome, Verdict
from judging.services.columns import evaluation_columns
from judging.services.defaults import ensure_profile, ensure_taxonomy
from judging.services.outcomes import finding_rows, outcome_row
from judging.services.packing import GRAPH_VERSION, JUDGE_VERSION, Packed
from traces.models import Trace

ROWS = 500
OFFLINE = "rules"


def store_evaluation(trace: Trace, packed: Packed, now: datetime) -> bool:
    """Write what the checks found; inside a transaction.

    It becomes current, unless a model has judged this very state of the trace:
    a further look of the checks takes nothing back of that.

    Returns:
        Whether it is current.
    """
    current = Evaluation.objects.filter(trace=trace, is_current=True)
    modelled = current.filter(
        judge="model", revision=trace.revision, graph_version=GRAPH_VERSION
    ).exists()
    if not modelled:
        current.update(is_current=False)
    evaluation = Evaluation.objects.create(
        trace=trace,
        revision=trace.revision,
        graph_version=GRAPH_VERSION,
        judge=OFFLINE,
        judge_version=JUDGE_VERSION,
        profile_version=ensure_profile(project=trace.project, now=now),
        taxonomy_version=ensure_taxonomy(project=trace.project, now=now),
        state=Evaluation.State.DONE,
        is_current=not modelled,
        created_at=now,
        finished_at=now,
        **evaluation_columns(packed.counts),
    )
    _drop_superseded(evaluation)
    findings = finding_rows(evaluation, packed.findings)
    Finding.objects.bulk_create(findings, batch_size=ROWS)
    verdicts = [row for one in packed.outcomes for row in _verdicts(evaluation, one)]
    Verdict.objects.bulk_create(verdicts, batch_size=ROWS)
    steps = {step.key: step for step in packed.steps}
    outcomes = [outcome_row(evaluation, steps[o.key], o) for o in packed.outcomes]
    StepOutcome.objects.bulk_create(outcomes, batch_size=ROWS)
    return not modelled


def _drop_superseded(newest: Evaluation) -> None:
    """Drop what the same checks said while the trace was still arriving.

    A trace that grows is digested again and again; what was said of its parts
    can be said again from the spans. Kept are evaluations of the revision at
    hand, those under another version of anything, and all that rows point at.
    """
    told = Evaluation.objects.filter(compared_with=OuterRef("pk"))
    Evaluation.objects.filter(
        ~Exists(told),
        trace=newest.trace,
        revision__lt=newest.revision,
        judge=OFFLINE,
        judge_version=newest.judge_version,
        graph_version=newest.graph_version,
        profile_version=newest.profile_version,
        taxonomy_version=newest.taxonomy_version,
        batch=None,
        compared_with=None,
    ).delete()


def _verdicts(evaluation: Evaluation, outcome: Outcome) -> list[Verdict]:
    return [
        Verdict(
            evaluation=evaluation,
            step_key=outcome.key,
            metric=metric,
            state=Verdict.State.SCORED,
            score=score,
            source="rules",
        )
        for metric, score in outcome.score.metrics.items()
    ]


def summary_columns(packed: Packed) -> dict[str, Any]:
    """Facts about a trace as its columns, cut to their lengths."""
    found = packed.summary
    started = _moment(found.start_ns)
    ended = found.end_ns if found.start_ns is not None else None
    lasted = None if ended is None else max(0, ended - (found.start_ns or 0))
    return {
        "name": found.name[:200],
        "workflow": found.workflow[:100],
        "agent": found.agent[:100],
        "model": found.model[:100],
        "session": found.session[:200],
        "user_name": found.user[:200],
        "environment": found.environment[:64],
        "version": found.version[:64],
        "case_key": found.case[:200],
        "run_key": found.run[:200],
        "outcome": found.outcome[:16],
        "tags": [tag[:100] for tag in found.tags],
        "tools": [tool[:100] for tool in found.tools],
        "preview": found.preview,
        "search": packed.search,
        "started_at": started,
        "duration_ms": None if lasted is None else lasted // 1_000_000,
        "finished": found.finished,
        "step_count": found.step_count,
        "error_count": found.error_count,
        "input_tokens": found.input_tokens,
        "output_tokens": found.output_tokens,
        "cost_usd": found.cost_usd,
        "judge_calls": found.judge_calls,
        "structure": packed.structure,
        "repair_count": packed.repair_count,
        "conformance": packed.conformance,
    }


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _moment(ns: int | None) -> datetime | None:
    """Unix nanoseconds as a moment; None where no calendar reaches."""
    try:
        return None if ns is None else EPOCH + timedelta(microseconds=ns // 1_000)
    except OverflowError:
        return None
