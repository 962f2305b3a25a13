"""The spans of a trace, read back as they were sent."""

from __future__ import annotations

from collections.abc import Collection

from traces.domain.records import NO_SCOPE, SpanRecord
from traces.models import Scope, Trace
from traces.services.blobs import record_of, scope_of


def stored_spans(
    trace: Trace, only: Collection[str] | None = None
) -> tuple[SpanRecord, ...]:
    """Spans in an order that depends on them alone: by start, position and id.

    Args:
        trace: Whose spans.
        only: Span ids to read; None for all.
    """
    rows = trace.spans.all() if only is None else trace.spans.filter(span_id__in=only)
    found = list(rows)
    known = Scope.objects.filter(pk__in={row.scope_id for row in found if row.scope_id})
    scopes = {pk: scope_of(data) for pk, data in known.values_list("pk", "payload")}
    records = (
        record_of(row, trace.trace_id, scopes.get(row.scope_id or 0, NO_SCOPE))
        for row in found
    )
    return tuple(sorted(records, key=_place))


def _place(span: SpanRecord) -> tuple[int, int, str]:
    return span.start_ns or 0, span.position or 0, span.span_id
