"""Reads of campaigns: for somebody, and blind where the campaign is."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, F, Q, QuerySet

from annotation.models import Assignment, Campaign, Rater
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
