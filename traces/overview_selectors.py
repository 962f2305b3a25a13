"""What the home page of a project reads, at a cost that doesn't grow.

Rates come from a sample: the newest ``A_DAY`` traces of each of the last
``DAYS`` days, so that a busy project's trend still spans weeks.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Coalesce

from traces.domain.trend import Run
from traces.listing_selectors import LISTED, SCAN
from traces.models import Project, Trace
from traces.query_filters import Reader

DAYS = 28
A_DAY = 100
UNTIMED = 500
SHOWN = 6


@dataclass(frozen=True, slots=True)
class Recent:
    """The last weeks of a project, as far as the overview looks.

    Attributes:
        runs: Judged traces of the sample.
        last: The last day, in the reader's zone.
        capped: Whether a day had more traces than were looked at.
        failing: Newest failing traces, as rows of the list.
        telling: What a trace shows well (``spread``, ``repaired``,
            ``deviant``) and the trace.
    """

    runs: tuple[Run, ...]
    last: date
    capped: bool
    failing: tuple[Trace, ...]
    telling: tuple[tuple[str, Trace], ...]


@dataclass(frozen=True, slots=True)
class _Row:
    pk: int
    run: Run
    moment: datetime
    structure: str
    spread: int


def recent(project: Project, reader: Reader) -> Recent:
    """Sample the last weeks; every rate of the overview comes from that."""
    last = _last_day(project, reader)
    rows = _rows(_sample(project, last, reader), reader)
    failed = sorted(
        (row for row in rows if row.run.failed), key=lambda r: (r.moment, r.pk)
    )
    failing = [row.pk for row in reversed(failed)][:SHOWN]
    telling = _telling(failed)
    shown = Trace.objects.only(*LISTED).in_bulk([*failing, *telling.values()])
    counts = Counter(row.run.day for row in rows)
    return Recent(
        runs=tuple(row.run for row in rows),
        last=last,
        capped=max(counts.values(), default=0) >= A_DAY,
        failing=tuple(shown[pk] for pk in failing if pk in shown),
        telling=tuple((kind, shown[pk]) for kind, pk in telling.items() if pk in shown),
    )


def _last_day(project: Project, reader: Reader) -> date:
    """Day of the newest trace; a clock that runs ahead doesn't count."""
    timed = Trace.objects.filter(
        project=project, started_at__lte=reader.now + timedelta(days=1)
    )
    newest = timed.order_by("-started_at").values_list("started_at", flat=True)[:1]
    moment = next(iter(newest), None) or reader.now
    return moment.astimezone(reader.zone).date()


def _sample(project: Project, last: date, reader: Reader) -> QuerySet[Trace]:
    """The newest traces of each day, and those that carry no time."""
    rows = Trace.objects.filter(project=project)
    untimed = rows.filter(started_at__isnull=True).order_by("-id")
    chosen = Q(pk__in=untimed.values("pk")[:UNTIMED])
    for back in range(DAYS):
        begin = datetime.combine(last - timedelta(days=back), time.min, reader.zone)
        day = rows.filter(
            started_at__gte=begin, started_at__lt=begin + timedelta(days=1)
        )
        newest = day.order_by("-started_at", "-id")
        chosen |= Q(pk__in=newest.values("pk")[:A_DAY])
    return Trace.objects.filter(chosen)


_COLUMNS = (
    *("id", "moment", "failed_count", "root_count", "root_category"),
    *("workflow", "structure", "conformance"),
)


def _rows(sample: QuerySet[Trace], reader: Reader) -> list[_Row]:
    """Judged traces of the sample."""
    found = sample.annotate(moment=Coalesce("started_at", "received_at"))
    read = []
    for row in found.filter(failed_count__isnull=False).values_list(*_COLUMNS):
        pk, moment, failed, roots, root, workflow, structure, conformance = row
        day = moment.astimezone(reader.zone).date()
        run = Run(day, failed, roots or 0, root, workflow, conformance)
        read.append(_Row(pk, run, moment, structure, failed - (roots or 0)))
    return read


def _telling(failed: list[_Row]) -> dict[str, int]:
    """The trace that shows each kind best: the one where a failure spread most."""
    kinds = {
        "spread": [row for row in failed if row.structure in {"declared", "inferred"}],
        "repaired": [row for row in failed if row.structure == "repaired"],
        "deviant": [row for row in failed if row.run.conformance == "deviant"],
    }
    told: dict[str, int] = {}
    for kind, found in kinds.items():
        new = [row for row in found if row.pk not in told.values()]
        if new:
            told[kind] = max(new, key=lambda row: (row.spread, row.pk)).pk
    return told


@dataclass(frozen=True, slots=True)
class Waiting:
    """Traces that a person or the digest still has to look at.

    Attributes:
        flat: Without a graph, for manual review.
        broken: Analysis failed.
        pending: Analysis has not finished.
        capped: Whether only the newest ``SCAN`` were counted.
    """

    flat: int
    broken: int
    pending: int
    capped: bool


def waiting(project: Project) -> Waiting:
    """Count what waits, among the newest traces."""
    newest = Trace.objects.filter(project=project).order_by("-received_at", "-id")
    counts = newest[:SCAN].aggregate(
        flat=Count("pk", filter=Q(structure="flat")),
        broken=Count("pk", filter=Q(digest_state=Trace.DigestState.FAILED)),
        pending=Count("pk", filter=Q(digest_state=Trace.DigestState.WAITING)),
    )
    return Waiting(**counts, capped=project.trace_count > SCAN)
