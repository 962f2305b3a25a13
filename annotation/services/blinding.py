"""Who may not see the judge yet, and a record of who has.

A rater with tasks of an open blind campaign that they haven't submitted is kept
from every page and answer that tells what the judge thinks of these traces. They
may look all the same, deliberately; from then on their labels are not blind.
"""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from annotation.models import Assignment, Campaign, Sight, Task
from traces.models import Trace

JUDGE = "judge"
PEERS = "peers"


def open_tasks(user: User | AnonymousUser, project: str) -> QuerySet[Task]:
    """Tasks of blind campaigns that a rater may still get or submit.

    Args:
        user: Anybody.
        project: Slug; "" for all projects.
    """
    if not isinstance(user, User):
        return Task.objects.none()
    here = Q(campaign__project__slug=project) if project else Q()
    had = Assignment.objects.filter(task=OuterRef("pk"), rater__user=user)
    over = had.filter(state__in=("submitted", "skipped"))
    held = had.filter(state="leased")
    unfilled = Q(submitted__lt=F("wanted"), closed="")
    return Task.objects.filter(
        ~Exists(over),
        here,
        unfilled | Exists(held),
        campaign__blind_judge=True,
        campaign__state__in=(Campaign.State.OPEN, Campaign.State.PAUSED),
        campaign__raters__user=user,
        campaign__raters__is_active=True,
    )


def hidden_task(
    user: User | AnonymousUser, project: str, trace_id: str | None
) -> Task | None:
    """A task that a page would give away, None if it may be shown.

    Args:
        user: Who asks.
        project: Slug; "" for all projects.
        trace_id: The sender's id for a page about one trace, None for one that
            tells about many.
    """
    if not isinstance(user, User):
        return None
    seen = Sight.objects.filter(user=user, what=JUDGE, trace=OuterRef("trace"))
    tasks = open_tasks(user, project).filter(~Exists(seen))
    if trace_id is not None:
        tasks = tasks.filter(trace_key=trace_id)
    return tasks.select_related("campaign").order_by("campaign", "position").first()


def reveal(*, user: User, project: str, trace_id: str | None, now: datetime) -> int:
    """Let somebody see the judge, and remember that they did.

    Returns:
        Number of traces they are no longer blind to.
    """
    tasks = open_tasks(user, project)
    if trace_id is not None:
        tasks = tasks.filter(trace_key=trace_id)
    traces: set[int] = set(tasks.exclude(trace=None).values_list("trace_id", flat=True))
    return saw(user=user, traces=traces, what=JUDGE, campaign=None, now=now)


def saw(
    *,
    user: User,
    traces: set[int],
    what: str,
    campaign: Campaign | None,
    now: datetime,
) -> int:
    """Record that somebody saw the judge, or the labels of a campaign."""
    there = Trace.objects.filter(pk__in=traces).values_list("pk", flat=True)
    rows = [
        Sight(user=user, trace_id=pk, what=what, campaign=campaign, at=now)
        for pk in sorted(there)
    ]
    Sight.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)
