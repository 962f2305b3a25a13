"""Storing traces that come in files."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import BinaryIO

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F

from traces.domain.records import ReferenceLabel as Label
from traces.domain.records import Reject, TraceRecord
from traces.importers import CHANGES, SKIPPED, read_any
from traces.importers.base import Limits
from traces.models import Project, ReferenceLabel, Trace
from traces.services.cleaning import clean_json, clean_text
from traces.services.ingest import Batch, announce, write_batches
from traces.services.rejects import store_rejects
from traces.services.rows import prepare

NAMED = 1_000
"""So many refusals are named in a report; all are counted."""
NO_SPANS = "no_spans"


class Outcome(StrEnum):
    """What became of a trace from a file."""

    IMPORTED = "imported"
    UNCHANGED = "unchanged"
    UPDATED = "updated"
    REJECTED = "rejected"


@dataclass(slots=True)
class ImportReport:
    """What became of a file.

    Attributes:
        name: Name of the file.
        imported: Traces that are new.
        unchanged: Traces that were there already, just so.
        updated: Traces that got new or other spans, labels or facts.
        rejected: What was refused: attributes, spans, traces, or the file.
            What was only changed, or was no trace to begin with, isn't.
        rejects: What was refused or changed, the first ``NAMED``, in the order
            of the file.
    """

    name: str
    imported: int = 0
    unchanged: int = 0
    updated: int = 0
    rejected: int = 0
    rejects: list[Reject] = field(default_factory=list)

    @property
    def traces(self) -> int:
        """Traces of the file that are stored now."""
        return self.imported + self.unchanged + self.updated

    def count(self, outcome: Outcome) -> None:
        """Count a trace; refusals are counted with their reasons."""
        if outcome is not Outcome.REJECTED:
            setattr(self, outcome, getattr(self, outcome) + 1)

    def refuse(self, *rejects: Reject) -> None:
        """Count refusals and keep the first."""
        self.rejected += sum(each.code not in CHANGES | SKIPPED for each in rejects)
        self.rejects += rejects[: max(0, NAMED - len(self.rejects))]


def import_file(
    *, project: Project, stream: BinaryIO, name: str, format: str, now: datetime
) -> ImportReport:
    """Store every trace of a file; what can't be read costs nothing else.

    Every trace is one transaction, so that a broken connection or a damaged
    file leaves whole traces behind, and importing again goes on from there.

    Args:
        project: Where the traces go.
        stream: Open at the first byte.
        name: Name of the file.
        format: Name of a format, or ``auto``.
        now: When it is imported.

    Raises:
        KeyError: There is no such format.
        Project.DoesNotExist: Somebody deleted the project meanwhile.
    """
    try:
        return _import(project, stream, name, format, now)
    except IntegrityError:
        Project.objects.get(pk=project.pk)
        raise


def _import(
    project: Project, stream: BinaryIO, name: str, format: str, now: datetime
) -> ImportReport:
    report = ImportReport(clean_text(name)[:200])
    own: list[Reject] = []
    for found in read_any(stream, name=name, format=format, limits=import_limits()):
        if isinstance(found, Reject):
            report.refuse(found)
            own.append(found)
        else:
            _store_one(project, found, now, report)
    store_rejects(project_id=project.pk, rejects=own, source=report.name, now=now)
    return report


def _store_one(
    project: Project, record: TraceRecord, now: datetime, report: ImportReport
) -> None:
    source = str(record.attributes.get("source") or "file")
    made, rejects = _store(project, record, source[:32], now)
    report.count(made)
    report.refuse(*rejects)


def store_trace_record(
    *, project: Project, record: TraceRecord, source: str, now: datetime
) -> Outcome:
    """Store a trace with its labels and facts in one transaction.

    Labels of the sources that the record has replace earlier ones of the same
    sources; facts replace earlier ones of the same name.
    """
    return _store(project, record, source, now)[0]


def _store(
    project: Project, record: TraceRecord, source: str, now: datetime
) -> tuple[Outcome, tuple[Reject, ...]]:
    prepared = prepare(record.spans)
    rejects = (*record.rejects, *prepared.rejects)
    batch = Batch(project.pk, prepared, source, now, rejects)
    rows = Trace.objects.filter(project=project, trace_id=clean_text(record.trace_id))
    with transaction.atomic():
        is_new = not rows.exists()
        if is_new and not prepared.rows:
            batch = replace(batch, rejects=(*rejects, _empty(record)))
        grown = bool(write_batches([batch])[0].traces)
        trace = rows.select_for_update().first()
        if trace is None:
            return Outcome.REJECTED, batch.rejects
        stated = _store_facts(trace, record, now, grown=grown)
        labelled = _store_labels(trace, record.labels)
        if grown or stated:
            transaction.on_commit(lambda: announce(project.pk, [trace.pk]))
    # Of several who import it at once, the one whose spans were new brought it.
    if is_new and grown:
        return Outcome.IMPORTED, rejects
    changed = grown or stated or labelled
    return Outcome.UPDATED if changed else Outcome.UNCHANGED, rejects


def _empty(record: TraceRecord) -> Reject:
    return Reject(
        level="trace",
        place=f"trace {record.trace_id}",
        reason="The trace has no span that could be stored.",
        code=NO_SPANS,
        trace_id=record.trace_id,
    )


def _store_facts(
    trace: Trace, record: TraceRecord, now: datetime, *, grown: bool
) -> bool:
    """Keep what the file says about the whole trace; whether that is news.

    The revision grows once, for spans and facts together.
    """
    stated = clean_json(record.attributes).value
    # An export names the source even of traces that came without any file.
    known = {"source": trace.source} | trace.attributes
    if known | stated == known:
        return False
    facts = trace.attributes | stated
    Trace.objects.filter(pk=trace.pk).update(
        attributes=facts,
        revision=F("revision") + int(not grown),
        updated_at=now,
        digest_state=Trace.DigestState.WAITING,
    )
    return True


def _store_labels(trace: Trace, labels: tuple[Label, ...]) -> bool:
    """Replace labels by source; whether anything is different now."""
    wanted = list(dict.fromkeys(_label_columns(label) for label in labels))
    sources = {columns[3] for columns in wanted}
    before = ReferenceLabel.objects.filter(trace=trace, source__in=sources)
    columns = ("span_id", "kind", "value", "source", "note")
    if list(before.order_by("pk").values_list(*columns)) == wanted:
        return False
    before.delete()
    ReferenceLabel.objects.bulk_create(
        ReferenceLabel(trace=trace, **dict(zip(columns, each, strict=True)))
        for each in wanted
    )
    return True


def _label_columns(label: Label) -> tuple[str, str, str, str, str]:
    return (
        clean_text(label.span_id)[:128],
        clean_text(label.kind)[:16],
        clean_text(label.value)[:300],
        clean_text(label.source)[:64],
        clean_text(label.note),
    )


def import_limits() -> Limits:
    """How much of a file is taken in, as the environment says."""
    return Limits(
        max_depth=settings.AGENTEVAL_MAX_DEPTH,
        max_text=settings.AGENTEVAL_MAX_ATTRIBUTE,
    )
