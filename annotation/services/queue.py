"""Who gets what next. One transaction decides, so that nobody gets too much.

A task has room while its submissions and the live leases of others are fewer
than wanted. A lease that has run out makes room again, but its holder may go on.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.models import Assignment, Campaign, Rater, Task

State = Assignment.State
SCANNED = 32
"""Tasks looked at in one go; with more raters at once than that, some retry."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """Why there is no task now.

    Attributes:
        reason: ``closed``, ``paused``, ``inactive``, ``finished`` (all tasks have
            what they want), ``done`` (this rater has had all that is left) or
            ``leased`` (others hold what is left).
        retry_at: When the next lease runs out, for ``leased``.
        left: Tasks that still want submissions.
    """

    reason: str
    retry_at: datetime | None = None
    left: int = 0


def next_task(*, rater: Rater, now: datetime) -> Assignment | Nothing:
    """The task a rater is working on, else the next with room, leased to them."""
    refusal = _refusal(rater)
    if refusal:
        return Nothing(refusal)
    held = Assignment.objects.filter(rater=rater, state=State.LEASED)
    mine = held.select_related("task").order_by("started_at", "pk").first()
    if mine is not None:
        return renew(assignment=mine, now=now)
    # A task may be taken between looking and locking: look again, a few times.
    for _ in range(SCANNED):
        candidates = list(_with_room(rater, now)[:SCANNED].values_list("pk", flat=True))
        if not candidates:
            return _why_nothing(rater, now)
        for pk in candidates:
            taken = _take(pk, rater, now)
            if taken is not None:
                return taken
    return Nothing("leased", left=_unfilled(rater.campaign).count())


def why_nothing(*, rater: Rater, now: datetime) -> Nothing | None:
    """Why a rater gets no task now; None if there is one. Takes nothing."""
    refusal = _refusal(rater)
    if refusal:
        return Nothing(refusal)
    held = Assignment.objects.filter(rater=rater, state=State.LEASED)
    if held.exists() or _with_room(rater, now).exists():
        return None
    return _why_nothing(rater, now)


def renew(*, assignment: Assignment, now: datetime) -> Assignment:
    """Hold on to a task, also after the lease has run out."""
    assignment.leased_until = now + _length(assignment.rater.campaign)
    Assignment.objects.filter(pk=assignment.pk, state=State.LEASED).update(
        leased_until=assignment.leased_until
    )
    return assignment


def release(*, assignment: Assignment, now: datetime) -> None:
    """Give a task back; the drafts stay for when it comes again."""
    Assignment.objects.filter(pk=assignment.pk, state=State.LEASED).update(
        state=State.RELEASED, leased_until=now
    )


def _refusal(rater: Rater) -> str:
    state = Campaign.objects.values_list("state", flat=True).get(pk=rater.campaign_id)
    if state == Campaign.State.PAUSED:
        return "paused"
    if state != Campaign.State.OPEN:
        return "closed"
    return "" if rater.is_active else "inactive"


def _length(campaign: Campaign) -> timedelta:
    return timedelta(minutes=campaign.lease_minutes)


def _unfilled(campaign: Campaign) -> QuerySet[Task]:
    return Task.objects.filter(campaign=campaign, closed="", submitted__lt=F("wanted"))


def _open_to(rater: Rater) -> QuerySet[Task]:
    """Tasks that want submissions and that the rater hasn't had."""
    had = Assignment.objects.filter(task=OuterRef("pk"), rater=rater)
    mine = Q(repeat_for=None) | Q(repeat_for=rater)
    return _unfilled(rater.campaign).filter(
        mine, ~Exists(had.exclude(state=State.RELEASED))
    )


def _with_room(rater: Rater, now: datetime) -> QuerySet[Task]:
    live = Q(assignments__state=State.LEASED, assignments__leased_until__gt=now)
    return (
        _open_to(rater)
        .annotate(held=Count("assignments", filter=live))
        .filter(held__lt=F("wanted") - F("submitted"))
        .order_by("position")
    )


@transaction.atomic
def _take(task: int, rater: Rater, now: datetime) -> Assignment | None:
    """Lease a task if it still has room; None if not, or if somebody decides now."""
    skip = connection.features.has_select_for_update_skip_locked
    locked = Task.objects.select_for_update(skip_locked=skip).filter(pk=task).first()
    if locked is None or not has_room(locked, now):
        return None
    assignment, made = Assignment.objects.get_or_create(
        task=locked,
        rater=rater,
        defaults={
            "token": secrets.token_hex(8),
            "leased_until": now + _length(rater.campaign),
            "started_at": now,
        },
    )
    if made:
        return assignment
    if assignment.state != State.RELEASED:
        return None
    assignment.state = State.LEASED
    assignment.token = secrets.token_hex(8)
    assignment.leased_until = now + _length(rater.campaign)
    assignment.save(update_fields=("state", "token", "leased_until"))
    return assignment


def has_room(task: Task, now: datetime, besides: Assignment | None = None) -> bool:
    """Whether a task wants more than it has and others hold.

    Args:
        task: Locked, so that the answer stays true.
        now: Leases that end before don't count.
        besides: An assignment that isn't counted.
    """
    rows = task.assignments.all()
    if besides is not None:
        rows = rows.exclude(pk=besides.pk)
    taken = rows.filter(
        Q(state=State.SUBMITTED, over_quota=False)
        | Q(state=State.LEASED, leased_until__gt=now)
    )
    return taken.count() < task.wanted


def recount(task: Task) -> None:
    """Count anew what a task has; the only place that says what is done."""
    rows = task.assignments.all()
    task.submitted = rows.filter(state=State.SUBMITTED, over_quota=False).count()
    task.skipped = rows.filter(state=State.SKIPPED).count()
    task.save(update_fields=("submitted", "skipped"))


def _why_nothing(rater: Rater, now: datetime) -> Nothing:
    left = _unfilled(rater.campaign).count()
    if not left:
        return Nothing("finished")
    open_to = _open_to(rater)
    if not open_to.exists():
        return Nothing("done", left=left)
    live = Assignment.objects.filter(
        task__in=open_to, state=State.LEASED, leased_until__gt=now
    )
    first = live.order_by("leased_until").values_list("leased_until", flat=True).first()
    return Nothing("leased", first, left)
