"""Traces as they were sent, to be written to files."""

from __future__ import annotations

from collections.abc import Iterator

from traces.domain.records import ReferenceLabel, TraceRecord
from traces.models import Project, Trace
from traces.services.stored import stored_spans

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
        spans=stored_spans(trace),
        labels=tuple(
            ReferenceLabel(row.kind, row.value, row.source, row.span_id, row.note)
            for row in labels
        ),
        attributes={"source": trace.source} | trace.attributes,
    )
