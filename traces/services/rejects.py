"""What was refused, kept for the people of the project.

The newest ``KEPT`` are kept a project; the project's counter counts them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db.models import F

from traces.domain.records import Reject
from traces.models import IngestReject, Project
from traces.services.cleaning import clean_text

KEPT = 10_000
PER_CALL = 200


def store_rejects(
    *,
    project_id: int,
    rejects: Sequence[Reject],
    source: str,
    now: datetime,
    unlisted: int = 0,
) -> None:
    """Keep the first ``PER_CALL`` of them and count them all.

    Args:
        project_id: Whose page shows them.
        rejects: What was refused.
        source: Format or file.
        now: When.
        unlisted: How many more were refused.
    """
    if not rejects:
        return
    IngestReject.objects.bulk_create(
        _row(project_id, reject, source, now) for reject in rejects[:PER_CALL]
    )
    Project.objects.filter(pk=project_id).update(
        reject_count=F("reject_count") + len(rejects) + unlisted
    )
    _forget_oldest(project_id)


def _row(project_id: int, reject: Reject, source: str, now: datetime) -> IngestReject:
    return IngestReject(
        project_id=project_id,
        at=now,
        source=clean_text(source)[:200],
        level=clean_text(reject.level)[:16],
        code=clean_text(reject.code)[:64],
        place=clean_text(reject.place)[:300],
        reason=clean_text(reject.reason)[:500],
        trace_id=clean_text(reject.trace_id)[:128],
        span_id=clean_text(reject.span_id)[:128],
    )


def _forget_oldest(project_id: int) -> None:
    rows = IngestReject.objects.filter(project_id=project_id).order_by("-pk")
    last = rows.values_list("pk", flat=True)[KEPT : KEPT + 1].first()
    if last is not None:
        rows.filter(pk__lte=last).order_by().delete()
