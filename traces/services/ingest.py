"""Storing spans: every version of a span that matters, exactly once.

The rule for a span that comes again (same trace id and span id):

1. with the same content, nothing changes;
2. a version without an end never replaces one with an end: exporters that
   report a span at its start and at its end may deliver in any order;
3. otherwise the version that arrives later replaces the earlier one.

A trace's revision grows once for every commit that added or changed a span of
it, and only then. The counters of traces and projects are changed in the same
transaction as the rows they count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction

from traces.domain.records import Reject, SpanRecord
from traces.models import ApiToken
from traces.services.rejects import store_rejects
from traces.services.rows import Prepared, ScopeRow, SpanRow, prepare
from traces.services.span_sql import (
    StoredSpan,
    TraceHead,
    count_in,
    find_scopes,
    find_spans,
    lock_traces,
    touch_traces,
    write_spans,
)
from traces.services.tokens import note_use
from traces.signals import trace_stored


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of the spans of one request.

    Attributes:
        stored: Spans that are new.
        unchanged: Spans that were there already, or came too late to matter.
        updated: Spans that replaced an earlier version.
        traces: Primary keys of the traces that changed, ascending.
    """

    stored: int = 0
    unchanged: int = 0
    updated: int = 0
    traces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """What one request asks to store.

    Attributes:
        project_id: Where it goes.
        prepared: Rows and scopes.
        source: Name of the format, noted on traces that are new.
        at: When it was received.
        rejects: What was refused, to be listed.
        unlisted: How many more were refused without being listed.
        token: Whose use is noted with it.
    """

    project_id: int
    prepared: Prepared
    source: str
    at: datetime
    rejects: tuple[Reject, ...] = ()
    unlisted: int = 0
    token: ApiToken | None = None


def store_spans(
    *, project_id: int, spans: Sequence[SpanRecord], source: str, now: datetime
) -> Receipt:
    """Store spans in one transaction; ``trace_stored`` follows its commit."""
    prepared = prepare(spans)
    batch = Batch(project_id, prepared, source, now, tuple(prepared.rejects))
    with transaction.atomic():
        receipt = write_batches([batch])[0]
        transaction.on_commit(lambda: announce(project_id, receipt.traces))
    return receipt


def announce(project_id: int, trace_pks: Sequence[int]) -> None:
    """Tell the next stage; its troubles are its own."""
    if trace_pks:
        trace_stored.send_robust(
            sender=None, project_id=project_id, trace_pks=tuple(trace_pks)
        )


def write_batches(batches: Sequence[Batch]) -> list[Receipt]:
    """Write several requests inside the caller's transaction.

    Returns:
        One receipt a batch, in order; the effect is as if they had been
        written one after the other.
    """
    receipts: dict[int, Receipt] = {}
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    for place, batch in enumerate(batches):
        groups[batch.project_id, batch.source].append(place)
    for (project_id, source), places in sorted(groups.items()):
        group = [batches[place] for place in places]
        found = _write_group(project_id, source, group)
        receipts.update(zip(places, found, strict=True))
    tokens = [batch.token for batch in batches if batch.token is not None]
    note_use(tokens, max(batch.at for batch in batches))
    return [receipts[place] for place in range(len(batches))]


def _write_group(
    project_id: int, source: str, batches: Sequence[Batch]
) -> list[Receipt]:
    at = batches[-1].at
    rows = [row for batch in batches for row in batch.prepared.rows]
    heads = lock_traces(project_id, {row.trace_id for row in rows}, source, at)
    plan = Plan(heads, _stored(heads, rows))
    receipts = [plan.take(batch.prepared.rows) for batch in batches]
    scopes = find_scopes(project_id, _merged_scopes(batches))
    write_spans(
        (pk, scopes[row.scope], *row.values) for (pk, _id), row in plan.writes.items()
    )
    touch_traces(sorted(plan.changed.items()), at)
    _count(project_id, plan)
    # Last, so that the project's row is locked after the traces' everywhere.
    store_rejects(
        project_id=project_id,
        rejects=[reject for batch in batches for reject in batch.rejects],
        unlisted=sum(batch.unlisted for batch in batches),
        source=source,
        now=at,
    )
    return receipts


def _count(project_id: int, plan: Plan) -> None:
    spans = sum(plan.changed.values())
    if spans:
        traces = sum(head.is_new for head in plan.heads.values())
        count_in(project_id, traces, spans)


def _merged_scopes(batches: Iterable[Batch]) -> list[ScopeRow]:
    merged: dict[str, ScopeRow] = {}
    for batch in batches:
        merged.update(batch.prepared.scopes)
    return list(merged.values())


def _stored(
    heads: Mapping[str, TraceHead], rows: Iterable[SpanRow]
) -> dict[tuple[int, str], StoredSpan]:
    """Stored versions of spans; a trace that is new has none."""
    pairs = {
        (heads[row.trace_id].pk, row.span_id): None
        for row in rows
        if not heads[row.trace_id].is_new
    }
    return find_spans(list(pairs))


@dataclass
class Plan:
    """Which rows have to be written.

    Attributes:
        heads: Traces by the sender's id.
        known: Newest version of each span, stored or about to be.
        writes: Row to write by (trace, span id).
        changed: Spans added by trace, for every trace that changes.
    """

    heads: Mapping[str, TraceHead]
    known: dict[tuple[int, str], StoredSpan]
    writes: dict[tuple[int, str], SpanRow] = field(default_factory=dict)
    changed: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def take(self, rows: Iterable[SpanRow]) -> Receipt:
        """Take the rows of one request in; later ones see earlier ones."""
        stored = unchanged = updated = 0
        touched: set[int] = set()
        for row in rows:
            pk = self.heads[row.trace_id].pk
            key = (pk, row.span_id)
            before = self.known.get(key)
            if before is not None and not _replaces(row, before):
                unchanged += 1
                continue
            stored += before is None
            updated += before is not None
            self.known[key] = StoredSpan(row.digest, row.finished)
            self.writes[key] = row
            self.changed[pk] += before is None
            touched.add(pk)
        return Receipt(stored, unchanged, updated, tuple(sorted(touched)))


def _replaces(row: SpanRow, before: StoredSpan) -> bool:
    """Whether a version of a span replaces the one before it."""
    return row.digest != before.digest and (row.finished or not before.finished)
