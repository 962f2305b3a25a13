"""Who works on which evaluation, and until when."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import F, Q

from judging.models import Evaluation

LEASE = timedelta(seconds=60)
"""How long an evaluation stays with somebody who no longer says anything."""


@transaction.atomic
def claim(*, lease: str, now: datetime, limit: int) -> list[Evaluation]:
    """Take evaluations nobody works on, the longest waiting first.

    Args:
        lease: Name of the holder, unique to it.
        now: Time.
        limit: At most so many.
    """
    state = Evaluation.State
    free = Q(state=state.PENDING) | Q(state=state.RUNNING, leased_until__lt=now)
    due = Q(due_at=None) | Q(due_at__lte=now)
    skip = connection.features.has_select_for_update_skip_locked
    found = Evaluation.objects.select_for_update(skip_locked=skip)
    rows = found.filter(free, due, judge="model").order_by("created_at", "pk")
    taken = [row.pk for row in rows[:limit].only("pk")]
    Evaluation.objects.filter(pk__in=taken).update(
        state=state.RUNNING, lease=lease, leased_until=now + LEASE, due_at=None
    )
    return list(
        Evaluation.objects.filter(pk__in=taken)
        .select_related("trace", "profile_version", "taxonomy_version", "batch")
        .order_by("created_at", "pk")
    )


def renew(*, lease: str, evaluations: Collection[int], now: datetime) -> set[int]:
    """Hold on to evaluations; those that are still ours come back.

    Paused and cancelled ones, and those that somebody else took over, don't.
    """
    ours = Evaluation.objects.filter(
        pk__in=evaluations, lease=lease, state=Evaluation.State.RUNNING
    )
    ours.update(leased_until=now + LEASE)
    return set(ours.values_list("pk", flat=True))


def put_back(*, lease: str, evaluation: int, due_at: datetime, tried: bool) -> None:
    """Let somebody go on with an evaluation later.

    Args:
        lease: The holder; of an evaluation that it lost nothing changes.
        evaluation: Primary key.
        due_at: Not before then.
        tried: Whether this counts as an attempt.
    """
    Evaluation.objects.filter(
        pk=evaluation, lease=lease, state=Evaluation.State.RUNNING
    ).update(
        state=Evaluation.State.PENDING,
        lease="",
        leased_until=None,
        due_at=due_at,
        attempts=F("attempts") + int(tried),
    )


def fail(*, lease: str, evaluation: int, reason: str, now: datetime) -> None:
    """End an evaluation that can't be done, with the reason."""
    Evaluation.objects.filter(
        pk=evaluation, lease=lease, state=Evaluation.State.RUNNING
    ).update(
        state=Evaluation.State.FAILED,
        error=reason[:2_000],
        lease="",
        leased_until=None,
        finished_at=now,
    )


def next_due(*, now: datetime) -> datetime | None:
    """When the next evaluation that waits for its time may go on."""
    state = Evaluation.State
    waits = Evaluation.objects.filter(
        judge="model", state=state.PENDING, due_at__gt=now
    ).order_by("due_at")
    held = Evaluation.objects.filter(
        judge="model", state=state.RUNNING, leased_until__gte=now
    ).order_by("leased_until")
    times = [
        waits.values_list("due_at", flat=True).first(),
        held.values_list("leased_until", flat=True).first(),
    ]
    return min((time for time in times if time is not None), default=None)
