"""What came in and what was refused, for the ingestion page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.db.models import QuerySet

from traces.models import ApiToken, IngestReject, Project, Trace

PAGE = 100
COUNTED = 10_000
LATEST = 1_000


@dataclass(frozen=True, slots=True)
class Rejects:
    """A page of what was refused, newest first.

    Attributes:
        rows: At most ``PAGE``.
        before: Id to go on from, 0 at the end.
        codes: How often each code, among the newest ``COUNTED``.
        counted: How many were counted.
    """

    rows: tuple[IngestReject, ...]
    before: int
    codes: tuple[tuple[str, int], ...]
    counted: int


def rejects(project: Project, code: str, before: int) -> Rejects:
    """What was refused, of one code or all, before an id (0: from the newest)."""
    rows = IngestReject.objects.filter(project=project).order_by("-pk")
    counted = list(rows.values_list("pk", "code")[:COUNTED])
    if code and counted:
        rows = rows.filter(code=code, pk__gte=counted[-1][0])
    if before:
        rows = rows.filter(pk__lt=before)
    page = tuple(rows[: PAGE + 1])
    codes = Counter(each for _pk, each in counted)
    return Rejects(
        rows=page[:PAGE],
        before=page[PAGE - 1].pk if len(page) > PAGE else 0,
        codes=tuple(sorted(codes.items(), key=lambda item: (-item[1], item[0]))),
        counted=len(counted),
    )


@dataclass(frozen=True, slots=True)
class Source:
    """Where the newest traces came from."""

    name: str
    count: int


def sources(project: Project) -> tuple[Source, ...]:
    """Formats of the newest ``LATEST`` traces, most frequent first."""
    newest = Trace.objects.filter(project=project).order_by("-received_at", "-id")
    counts = Counter(newest.values_list("source", flat=True)[:LATEST])
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Source(name, count) for name, count in ranked)


def tokens(project: Project) -> QuerySet[ApiToken]:
    """Tokens of a project, the newest first."""
    rows = ApiToken.objects.filter(project=project).select_related("created_by")
    return rows.order_by("-created_at", "-pk")
