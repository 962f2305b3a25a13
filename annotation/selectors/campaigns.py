"""Reads of campaigns: for somebody, and blind where the campaign is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from statistics import median

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, F, Q, QuerySet

from annotation.models import Assignment, Campaign, Item, Rater
from traces.models import Membership, Project
from traces.selectors import Viewer, projects_for, role_in

MANAGERS = frozenset(
    {Membership.Role.ADMIN, Membership.Role.STEWARD, Membership.Role.ENGINEER}
)
"""Roles that make campaigns, see everybody's labels and settle differences."""


def campaigns_for(viewer: Viewer, project: Project) -> QuerySet[Campaign]:
    """Campaigns of a project that somebody may see.

    Raters see those they are in; who manages sees all. Drafts are for managers.
    """
    if not projects_for(viewer).filter(pk=project.pk).exists():
        return Campaign.objects.none()
    found = Campaign.objects.filter(project=project)
    if may_manage(viewer, project):
        return found
    if isinstance(viewer, User):
        return found.filter(raters__user=viewer).exclude(state=Campaign.State.DRAFT)
    return found.none()


def may_manage(viewer: Viewer, project: Project) -> bool:
    """Whether somebody may make and steer campaigns here; tokens may read all."""
    if not isinstance(viewer, (User, AnonymousUser)):
        return True
    return role_in(viewer, project) in MANAGERS


def campaign_seen(viewer: Viewer, pk: int) -> Campaign | None:
    """A campaign that somebody may see, whichever project it is in."""
    found = Campaign.objects.filter(pk=pk).select_related("project").first()
    if found is None:
        return None
    return campaigns_for(viewer, found.project).filter(pk=pk).first()


def item_in(assignment: Assignment, pk: int) -> Item | None:
    """An item of an assignment's task."""
    return Item.objects.filter(task=assignment.task_id, pk=pk).first()


def rater_for(user: User, campaign: Campaign) -> Rater | None:
    """The person's place in a campaign, None if they have none."""
    found = Rater.objects.filter(campaign=campaign, user=user)
    return found.select_related("campaign", "user").first()


def assignment_for(user: User, pk: int) -> Assignment | None:
    """An assignment of the person's own, None for anybody else's."""
    return (
        Assignment.objects.filter(pk=pk, rater__user=user)
        .select_related(
            "task__campaign__taxonomy_version", "task__trace", "rater__campaign"
        )
        .first()
    )


def progress_of(campaign: Campaign) -> dict[str, int]:
    """How far a campaign is; 100 % is reached by submissions or explicit closure.

    Returns:
        Tasks by state (``filled``, ``ended`` without, ``open``, ``attention``) and
        submissions (``wanted``, ``submitted``, ``leased``, ``skipped``,
        ``over_quota``).
    """
    filled = Q(submitted__gte=F("wanted"))
    stuck = Q(skipped__gte=campaign.max_skips) & ~filled & Q(closed="")
    tasks = campaign.tasks.aggregate(
        tasks=Count("pk"),
        filled=Count("pk", filter=filled),
        ended=Count("pk", filter=~filled & ~Q(closed="")),
        attention=Count("pk", filter=stuck),
    )
    wanted = sum(campaign.tasks.filter(closed="").values_list("wanted", flat=True))
    state = Assignment.State
    rows = Assignment.objects.filter(task__campaign=campaign).aggregate(
        submitted=Count("pk", filter=Q(state=state.SUBMITTED, over_quota=False)),
        over_quota=Count("pk", filter=Q(state=state.SUBMITTED, over_quota=True)),
        leased=Count("pk", filter=Q(state=state.LEASED)),
        skipped=Count("pk", filter=Q(state=state.SKIPPED)),
    )
    left = tasks["tasks"] - tasks["filled"] - tasks["ended"]
    return tasks | rows | {"open": left, "wanted": wanted}


@dataclass(frozen=True)
class Pace:
    """How a rater works, from the server's own records.

    Attributes:
        rater: Who.
        submitted: Tasks submitted.
        skipped: Tasks skipped.
        leased: Tasks held now.
        median_ms: Median active time of a submitted task; None without any.
    """

    rater: Rater
    submitted: int
    skipped: int
    leased: int
    median_ms: int | None


def paces_of(campaign: Campaign) -> list[Pace]:
    """Every rater of a campaign with their pace, in the order they joined."""
    rows = Assignment.objects.filter(rater__campaign=campaign).values_list(
        "rater_id", "state", "active_ms"
    )
    by_rater: dict[int, list[tuple[str, int]]] = {}
    for rater, state, active in rows:
        by_rater.setdefault(rater, []).append((state, active))
    found = campaign.raters.select_related("user").order_by("joined_at", "pk")
    return [_pace(rater, by_rater.get(rater.pk, [])) for rater in found]


def _pace(rater: Rater, rows: list[tuple[str, int]]) -> Pace:
    state = Assignment.State
    count = Counter(one for one, _ in rows)
    times = [active for one, active in rows if one == state.SUBMITTED and active]
    return Pace(
        rater=rater,
        submitted=count[state.SUBMITTED],
        skipped=count[state.SKIPPED],
        leased=count[state.LEASED],
        median_ms=int(median(times)) if times else None,
    )


def candidates_for(campaign: Campaign, roles: Collection[str]) -> list[User]:
    """Members with one of the roles who aren't active in the campaign."""
    there = campaign.raters.filter(is_active=True).values("user")
    members = Membership.objects.filter(project=campaign.project, role__in=roles)
    users = User.objects.filter(pk__in=members.values("user"), is_active=True)
    return list(users.exclude(pk__in=there).order_by("username"))


def latest_of(user: User, campaign: Campaign, limit: int = 10) -> list[Assignment]:
    """What a rater submitted last, so that it can be corrected."""
    found = Assignment.objects.filter(
        rater__user=user, task__campaign=campaign, state=Assignment.State.SUBMITTED
    )
    return list(found.select_related("task").order_by("-submitted_at", "-pk")[:limit])
