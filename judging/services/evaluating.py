"""Start, pause, resume, cancel and repeat evaluations by models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from judging.models import Batch, Evaluation, ProfileVersion, StepOutcome
from judging.services.defaults import ensure_taxonomy
from traces.domain.graph.build import VERSION as GRAPH_VERSION
from traces.models import Project, Trace
from traces.services.projects import Actor, audit, person

ROWS = 500
State = Evaluation.State
OPEN = (State.PENDING, State.RUNNING, State.PAUSED)
GREW = "The trace grew while it was judged; another evaluation took over."


class NotPossibleError(Exception):
    """What was asked can't be done in this state; says why."""


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted of a batch beside its traces.

    Attributes:
        name: What people call it.
        query: The list's filter that chose the traces.
        budget_usd: What it may cost; None for no limit.
        estimate: Calls, tokens and dollars expected, as shown before the start.
    """

    name: str
    query: str = ""
    budget_usd: float | None = None
    estimate: Mapping[str, Any] = field(default_factory=dict)


def start_evaluation(
    *,
    trace: Trace,
    version: ProfileVersion,
    now: datetime,
    due_at: datetime | None = None,
) -> Evaluation:
    """Have one trace judged under a profile version.

    One that is open already for the same version comes back instead.

    Args:
        trace: The trace.
        version: How to judge.
        now: Time.
        due_at: Not before then; None for at once.

    Raises:
        NotPossibleError: The profile asks no model, or the trace holds the
            calls of a judge.
    """
    _demand_model(version)
    if trace.judge_calls:
        raise NotPossibleError("A judge's own calls are not judged.")
    with transaction.atomic():
        # The lock lets two people who press the button get one evaluation.
        Trace.objects.select_for_update().get(pk=trace.pk)
        there = Evaluation.objects.filter(
            trace=trace,
            profile_version=version,
            state__in=OPEN,
            batch=None,
            compared_with=None,
        ).first()
        return there or _made([trace], version, None, now, due_at=due_at)[0]


def start_batch(
    *,
    project: Project,
    version: ProfileVersion,
    traces: Iterable[Trace],
    order: Order,
    actor: Actor,
    now: datetime,
) -> Batch:
    """Have many traces judged as one piece of work.

    Traces that hold a judge's own calls are left out. Everything is stored in
    one transaction: either all of it waits, or nothing.

    Raises:
        NotPossibleError: No trace is left to judge, or the profile asks no model.
    """
    _demand_model(version)
    with transaction.atomic():
        batch = Batch.objects.create(
            project=project,
            profile_version=version,
            name=order.name[:200],
            query=order.query,
            budget_usd=order.budget_usd,
            estimate=dict(order.estimate),
            created_by=person(actor),
            created_at=now,
        )
        count = 0
        for part in _parts(trace for trace in traces if not trace.judge_calls):
            count += len(_made(part, version, batch, now))
        if not count:
            raise NotPossibleError("No trace matches that could be judged.")
        audit(
            project=project,
            actor=actor,
            verb="start_batch",
            target=batch.name,
            now=now,
            detail={
                "traces": count,
                "profile": str(version),
                "budget": order.budget_usd,
            },
        )
    return batch


def _demand_model(version: ProfileVersion) -> None:
    if version.content.get("judge") != "model":
        raise NotPossibleError("This profile asks no model: checks run by themselves.")


def _parts(traces: Iterator[Trace]) -> Iterator[list[Trace]]:
    while part := list(islice(traces, ROWS)):
        yield part


def _made(
    traces: Iterable[Trace],
    version: ProfileVersion,
    batch: Batch | None,
    now: datetime,
    **more: Any,
) -> list[Evaluation]:
    found = list(traces)
    if not found:
        return []
    taxonomy = ensure_taxonomy(project=found[0].project, now=now)
    return Evaluation.objects.bulk_create(
        [
            Evaluation(
                trace=trace,
                revision=trace.revision,
                graph_version=GRAPH_VERSION,
                judge="model",
                judge_version="1",
                profile_version=version,
                batch=batch,
                created_at=now,
                **({"taxonomy_version": taxonomy} | more),
            )
            for trace in found
        ],
        batch_size=ROWS,
    )


@transaction.atomic
def start_anew(*, evaluation: Evaluation, lease: str, now: datetime) -> None:
    """Put an evaluation of the grown trace in the place of one of its past.

    A counterfactual asks about the trace as it was; it ends without another.

    Args:
        evaluation: Some of its steps were judged before the trace grew.
        lease: Who found that out and holds it.
        now: Time.
    """
    ended = Evaluation.objects.filter(
        pk=evaluation.pk, lease=lease, state=State.RUNNING
    ).update(state=State.CANCELLED, error=GREW, lease="", finished_at=now)
    if ended and evaluation.compared_with_id is None:
        trace = Trace.objects.select_related("project").get(pk=evaluation.trace_id)
        _made([trace], evaluation.profile_version, evaluation.batch, now)


def start_counterfactual(
    *,
    root: Evaluation,
    step: str,
    output: Any,
    source: str,
    actor: Actor,
    now: datetime,
) -> Evaluation:
    """Have everything downstream of a step judged under a corrected output.

    Args:
        root: A finished evaluation by a model in which the step is a root.
        step: Step key.
        output: What the step should have given.
        source: Where the correction comes from: ``typed``, ``reference`` or
            ``trace <id>``.
        actor: Who asks.
        now: Time.

    Raises:
        NotPossibleError: The evaluation can't be compared with, or the step is
            no root of it.
    """
    if root.judge != "model" or root.state != State.DONE:
        raise NotPossibleError("Only a finished evaluation by a model can be compared.")
    if root.compared_with_id is not None:
        raise NotPossibleError("A counterfactual is not corrected a second time.")
    if root.revision != root.trace.revision:
        raise NotPossibleError("The trace has grown since: have it judged again first.")
    found = StepOutcome.objects.filter(evaluation=root, step_key=step)
    if not found.filter(role="root").exists():
        raise NotPossibleError("This step is no root cause in this evaluation.")
    with transaction.atomic():
        (made,) = _made(
            [root.trace],
            root.profile_version,
            None,
            now,
            taxonomy_version=root.taxonomy_version,
            compared_with=root,
            replacement={"step": step, "output": output, "source": source},
        )
        audit(
            project=root.trace.project,
            actor=actor,
            verb="start_counterfactual",
            target=f"{root.trace.trace_id} {step}",
            now=now,
            detail={"evaluation": root.pk, "source": source},
        )
    return made


def pause(evaluations: QuerySet[Evaluation], *, now: datetime) -> int:
    """Send nothing more; what is on its way is still kept."""
    del now
    return evaluations.filter(state__in=(State.PENDING, State.RUNNING)).update(
        state=State.PAUSED, lease="", leased_until=None
    )


def resume(evaluations: QuerySet[Evaluation], *, now: datetime) -> int:
    """Go on with what was paused, at once and with fresh attempts."""
    del now
    return evaluations.filter(state=State.PAUSED).update(
        state=State.PENDING, due_at=None, attempts=0
    )


def cancel(evaluations: QuerySet[Evaluation], *, now: datetime) -> int:
    """Give up what is open. Replies that were paid for stay kept."""
    return evaluations.filter(state__in=OPEN).update(
        state=State.CANCELLED, lease="", leased_until=None, finished_at=now
    )


def pause_batch(*, batch: Batch, actor: Actor, now: datetime) -> None:
    """Pause a batch that runs."""
    _turn(batch, Batch.State.RUNNING, Batch.State.PAUSED, actor, now)
    pause(batch.evaluations.all(), now=now)


def resume_batch(*, batch: Batch, actor: Actor, now: datetime) -> None:
    """Go on with a paused batch."""
    _turn(batch, Batch.State.PAUSED, Batch.State.RUNNING, actor, now)
    resume(batch.evaluations.all(), now=now)


def cancel_batch(*, batch: Batch, actor: Actor, now: datetime) -> None:
    """Give up what is left of a batch; what is judged stays."""
    before = batch.state if batch.state != Batch.State.DONE else Batch.State.RUNNING
    _turn(batch, Batch.State(before), Batch.State.CANCELLED, actor, now)
    cancel(batch.evaluations.all(), now=now)


@transaction.atomic
def _turn(
    batch: Batch, before: Batch.State, after: Batch.State, actor: Actor, now: datetime
) -> None:
    turned = Batch.objects.filter(pk=batch.pk, state=before).update(
        state=after,
        finished_at=now if after is Batch.State.CANCELLED else None,
    )
    if not turned:
        raise NotPossibleError(f"This batch is not {before.label.lower()}.")
    audit(
        project=batch.project,
        actor=actor,
        verb=f"batch_{after}",
        target=batch.name,
        now=now,
    )


def retry_batch(*, batch: Batch, actor: Actor, now: datetime) -> Batch:
    """Judge again what has unscored steps or failed as a whole.

    The old rows stay. Replies that were kept are not asked for again, so only
    what had no answer costs anything.

    Raises:
        NotPossibleError: Nothing is unscored, or the batch still runs.
    """
    if batch.state in (Batch.State.RUNNING, Batch.State.PAUSED):
        raise NotPossibleError("The batch is not finished yet.")
    return start_batch(
        project=batch.project,
        version=batch.profile_version,
        traces=Trace.objects.filter(pk__in=unanswered(batch)).select_related("project"),
        order=Order(f"{batch.name}: again", batch.query, batch.budget_usd),
        actor=actor,
        now=now,
    )


def unanswered(batch: Batch) -> list[int]:
    """Traces of a batch with steps that got no answer."""
    unscored = StepOutcome.objects.filter(
        evaluation__batch=batch, state="unscored"
    ).values("evaluation")
    failed = batch.evaluations.filter(state__in=(State.FAILED, State.CANCELLED))
    rows = batch.evaluations.filter(pk__in=unscored) | failed
    return sorted(rows.values_list("trace_id", flat=True))
