"""Deleting traces for good, in batches that never hold the database for long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F, Sum

from traces.models import Project, Step, Trace
from traces.services.projects import Actor, audit

BATCH_TRACES = 100
BATCH_SPANS = 20_000


def delete_traces(
    *, project: Project, traces: Sequence[int], actor: Actor, now: datetime
) -> int:
    """Delete traces with all that was derived from them.

    Every batch is one transaction: rows, the project's counters and the audit
    log go together, and what is done stays done if a later batch fails.

    Args:
        project: Traces of other projects are left alone.
        traces: Primary keys.
        actor: Who wants it.
        now: Time for the audit log.

    Returns:
        Number of traces deleted.
    """
    return sum(
        _delete_batch(project, batch, actor, now) for batch in _batches(project, traces)
    )


def _batches(project: Project, pks: Sequence[int]) -> Iterator[list[int]]:
    """Cut by number of traces and by their spans."""
    for begin in range(0, len(pks), BATCH_TRACES):
        part = pks[begin : begin + BATCH_TRACES]
        found = Trace.objects.filter(project=project, pk__in=part).order_by("pk")
        batch: list[int] = []
        spans = 0
        for pk, count in found.values_list("pk", "span_count"):
            if batch and spans + count > BATCH_SPANS:
                yield batch
                batch, spans = [], 0
            batch.append(pk)
            spans += count
        if batch:
            yield batch


@transaction.atomic
def _delete_batch(
    project: Project, pks: Sequence[int], actor: Actor, now: datetime
) -> int:
    rows = Trace.objects.filter(project=project, pk__in=pks)
    found = list(rows.select_for_update().order_by("trace_id"))
    if not found:
        return 0
    steps = Step.objects.filter(trace__in=found).count()
    spans = rows.aggregate(spans=Sum("span_count"))["spans"] or 0
    rows.delete()
    Project.objects.filter(pk=project.pk).update(
        trace_count=F("trace_count") - len(found),
        span_count=F("span_count") - spans,
        step_count=F("step_count") - steps,
    )
    audit(
        project=project,
        actor=actor,
        verb="delete_traces",
        target=f"{len(found)} trace(s)",
        now=now,
        detail={"traces": [trace.trace_id for trace in found], "spans": spans},
    )
    return len(found)
