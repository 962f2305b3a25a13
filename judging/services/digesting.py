"""The digest: everything derived from a trace's spans, made and stored again.

A trace is behind while ``digested_revision < revision``. The row is the truth
about what is to be done: after a crash the query finds it, whatever a queue
has lost. What comes out is stored by ``judging.services.storing``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import InterfaceError, OperationalError, transaction
from django.db.models import F, QuerySet

from judging.services.defaults import ensure_profile, read_settings
from judging.services.packing import GRAPH_VERSION, Packed, RawSpan, RawTrace, work
from judging.services.storing import ROWS, store_evaluation, summary_columns
from traces.models import (
    Project,
    Scope,
    Span,
    Step,
    Trace,
    TraceGraph,
    WorkflowSchema,
)
from traces.services.cleaning import clean_text

logger = logging.getLogger(__name__)

AWAY = (OperationalError, InterfaceError)
BATCH_TRACES = 32
BATCH_SPANS = 4_000
"""A batch ends with whichever comes first; one huge trace is a batch."""

Worker = Callable[[Sequence[RawTrace]], list[Packed]]


@dataclass(frozen=True, slots=True)
class Progress:
    """How a batch went.

    Attributes:
        done: Traces digested.
        failed: Traces whose digest failed; the reason stands on the trace.
        traces: Primary keys of both.
    """

    done: int
    failed: int
    traces: tuple[int, ...] = ()


def count_waiting(*, quiet_before: datetime, project_id: int | None = None) -> int:
    """Number of traces that wait for a digest and have been quiet since."""
    return _behind(quiet_before, project_id).count()


def digest_batch(
    *,
    now: datetime,
    quiet_before: datetime,
    project_id: int | None = None,
    worker: Worker = work,
) -> Progress:
    """Digest one batch of waiting traces, the longest waiting first.

    Args:
        now: Time for the rows that are written.
        quiet_before: Traces that changed later still receive spans; they wait.
        project_id: Only this project.
        worker: Runs the pure part, here or in another process.
    """
    batch: list[Trace] = []
    spans = 0
    waiting = _behind(quiet_before, project_id).select_related("project")
    for trace in waiting[:BATCH_TRACES]:
        batch.append(trace)
        spans += trace.span_count
        if spans >= BATCH_SPANS:
            break
    if not batch:
        return Progress(0, 0)
    packed = worker([_raw(trace, now) for trace in batch])
    stored = [
        _store_or_say(trace, one, now) for trace, one in zip(batch, packed, strict=True)
    ]
    keys = tuple(trace.pk for trace in batch)
    return Progress(sum(stored), len(stored) - sum(stored), keys)


def _store_or_say(trace: Trace, packed: Packed, now: datetime) -> bool:
    """Store; what can't be stored becomes the error of its trace alone.

    Without that, one such trace would be tried first for ever, and every
    other trace would wait behind it.

    Raises:
        OperationalError, InterfaceError: The database is busy or gone; no
            trace is to blame.
    """
    try:
        _store(trace, packed, now)
    except AWAY:
        raise
    except Exception as error:
        logger.exception("trace %s could not be stored", trace.pk)
        reason = f"{type(error).__name__}: {error}"[:2_000]
        _store(trace, Packed(error=clean_text(reason)), now)
        return False
    return not packed.error


def digest_trace(*, trace: Trace, now: datetime, worker: Worker = work) -> Packed:
    """Digest one trace now, whether or not it is behind."""
    (packed,) = worker([_raw(trace, now)])
    _store(trace, packed, now)
    return packed


def mark_behind(*, project: Project) -> int:
    """Let every trace of a project be digested again: new version, new schema."""
    return Trace.objects.filter(project=project).update(digested_revision=0)


def _behind(quiet_before: datetime, project_id: int | None) -> QuerySet[Trace]:
    found = Trace.objects.filter(
        digested_revision__lt=F("revision"), updated_at__lte=quiet_before
    )
    if project_id is not None:
        found = found.filter(project_id=project_id)
    return found.order_by("updated_at", "pk")


def _raw(trace: Trace, now: datetime) -> RawTrace:
    profile = ensure_profile(project=trace.project, now=now)
    columns = Span.objects.filter(trace=trace).values_list(*RawSpan._fields)
    rows = tuple(
        RawSpan._make((*row[:-1], bytes(row[-1])))
        for row in columns.iterator(chunk_size=2_000)
    )
    scopes = Scope.objects.filter(pk__in={row.scope_id for row in rows})
    return RawTrace(
        trace_id=trace.trace_id,
        attributes=trace.attributes,
        rows=rows,
        scopes={pk: bytes(data) for pk, data in scopes.values_list("pk", "payload")},
        settings=read_settings(profile.content),
        schemas=_schemas(trace.project_id),
    )


def _schemas(project_id: int) -> dict[str, tuple[int, dict[str, Any]]]:
    rows = WorkflowSchema.objects.filter(project_id=project_id).order_by("number")
    return {row.workflow: (row.number, row.content) for row in rows}


@transaction.atomic
def _store(trace: Trace, packed: Packed, now: datetime) -> None:
    """Write what came out, for the revision that it was made from.

    Of two workers that digested the same trace the first to store wins.
    """
    unchanged = Trace.objects.select_for_update().filter(
        pk=trace.pk, digested_revision=trace.digested_revision
    )
    if not unchanged.exists():
        return
    if packed.error:
        Trace.objects.filter(pk=trace.pk).update(
            digested_revision=trace.revision,
            digest_version=GRAPH_VERSION,
            digest_state=Trace.DigestState.FAILED,
            digest_error=packed.error,
        )
        return
    TraceGraph.objects.update_or_create(
        trace=trace,
        defaults={
            "revision": trace.revision,
            "version": GRAPH_VERSION,
            "digest": packed.graph_digest,
            "payload": packed.graph,
        },
    )
    _store_steps(trace, packed)
    is_current = store_evaluation(trace, packed, now)
    Trace.objects.filter(pk=trace.pk).update(
        digested_revision=trace.revision,
        digest_version=GRAPH_VERSION,
        digest_state=Trace.DigestState.DONE,
        digest_error="",
        **summary_columns(packed),
        **(packed.columns if is_current else {}),
    )


def _store_steps(trace: Trace, packed: Packed) -> None:
    before = Step.objects.filter(trace=trace)
    gone = before.count()
    if gone:
        before.delete()
    rows = [
        Step(
            trace=trace,
            key=step.key,
            index=step.index,
            type=step.type,
            name=step.name,
            agent=step.agent[:100],
            tool=step.tool[:100],
            span_id=step.span_id,
            part=step.part,
            error=step.error,
        )
        for step in packed.steps
    ]
    Step.objects.bulk_create(rows, batch_size=ROWS)
    Project.objects.filter(pk=trace.project_id).update(
        step_count=F("step_count") + len(rows) - gone
    )
