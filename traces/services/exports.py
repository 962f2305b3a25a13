"""Traces as they were sent, to be written to files."""

from __future__ import annotations

from collections.abc import Iterator

from traces.domain.records import NO_SCOPE, ReferenceLabel, SpanRecord, TraceRecord
from traces.models import Project, Scope, Trace
from traces.services.blobs import record_of, scope_of

CHUNK = 500


def export_records(*, project: Project) -> Iterator[TraceRecord]:
    """All traces of a project one by one, in the order they first came in.

    One trace is held in memory at a time. The order of its spans depends on the
    spans only, so that an exported file that is imported is exported the same.
    """
    rows = Trace.objects.filter(project=project).order_by("pk")
    for trace in rows.defer("search").iterator(chunk_size=CHUNK):
        yield record_of_trace(trace)


def record_of_trace(trace: Trace) -> TraceRecord:
    """A trace with all its spans, its labels and the facts about it."""
    labels = trace.reference_labels.order_by("pk")
    return TraceRecord(
        trace_id=trace.trace_id,
        spans=_spans(trace),
        labels=tuple(
            ReferenceLabel(row.kind, row.value, row.source, row.span_id, row.note)
            for row in labels
        ),
        attributes={"source": trace.source} | trace.attributes,
    )


def _spans(trace: Trace) -> tuple[SpanRecord, ...]:
    rows = list(trace.spans.all())
    known = Scope.objects.filter(pk__in={row.scope_id for row in rows if row.scope_id})
    scopes = {pk: scope_of(data) for pk, data in known.values_list("pk", "payload")}
    found = (
        record_of(row, trace.trace_id, scopes.get(row.scope_id or 0, NO_SCOPE))
        for row in rows
    )
    return tuple(sorted(found, key=_place))


def _place(span: SpanRecord) -> tuple[int, int, str]:
    return span.start_ns or 0, span.position or 0, span.span_id
