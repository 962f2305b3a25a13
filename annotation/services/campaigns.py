"""Campaigns from draft to closed; every change of people or plan is logged."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.crypto import salted_hmac

from annotation.models import Campaign, Consensus, Item, Rater, Task
from judging.models import ProfileVersion, TaxonomyVersion
from judging.services.defaults import digest_of
from traces.models import Membership, Project, Step, Trace
from traces.services.projects import Actor, audit, person

State = Campaign.State
LABELLERS = frozenset(
    {
        Membership.Role.EXPERT,
        Membership.Role.ENGINEER,
        Membership.Role.STEWARD,
        Membership.Role.ADMIN,
    }
)


class CampaignError(Exception):
    """What was asked can't be done in this state; says why."""


@dataclass(frozen=True)
class Plan:
    """The rules of a campaign; see ``Campaign`` for the fields."""

    name: str
    unit: str = Campaign.Unit.STEP
    metrics: str = Campaign.Metrics.OVERALL
    guidelines: str = ""
    overlap: int = 2
    overlap_share: float = 1.0
    blind_judge: bool = True
    blind_peers: bool = True
    lease_minutes: int = 30
    max_skips: int = 3
    gold_share: float = 0.0
    repeat_share: float = 0.0
    seed: int = 0
    due_at: datetime | None = None
    selection: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Steps of one trace that are to be labelled.

    Attributes:
        trace: The trace.
        steps: Its steps, in their order.
        wanted: Independent submissions wanted.
    """

    trace: Trace
    steps: Sequence[Step]
    wanted: int


def create_campaign(
    *,
    project: Project,
    plan: Plan,
    rubric: Mapping[str, Any],
    taxonomy: TaxonomyVersion,
    profile: ProfileVersion | None,
    actor: Actor,
    now: datetime,
) -> Campaign:
    """Make a draft. Rubric, taxonomy, guidelines and judge are frozen here."""
    with transaction.atomic():
        campaign = Campaign.objects.create(
            project=project,
            rubric=dict(rubric),
            rubric_digest=digest_of(rubric),
            taxonomy_version=taxonomy,
            profile_version=profile,
            guidelines_digest=hashlib.blake2b(
                plan.guidelines.encode(), digest_size=16
            ).hexdigest(),
            created_by=person(actor),
            created_at=now,
            **asdict(plan),
        )
        _log(campaign, "create_campaign", actor, now)
    return campaign


@transaction.atomic
def add_steps(*, campaign: Campaign, chosen: Iterable[Chosen]) -> int:
    """Add steps to a draft; a step that is there already is left as it is.

    Returns:
        Number of steps that were added.

    Raises:
        CampaignError: The campaign has been opened.
    """
    locked = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if locked.state != State.DRAFT:
        raise CampaignError("The steps of a campaign are frozen once it is open.")
    there = set(locked.items.values_list("trace_key", "key"))
    position = locked.tasks.count()
    added = 0
    for one in chosen:
        fresh = [s for s in one.steps if (one.trace.trace_id, s.key) not in there]
        there.update((one.trace.trace_id, step.key) for step in fresh)
        groups = [fresh] if locked.unit == Campaign.Unit.TRACE else [[s] for s in fresh]
        for steps in groups:
            if steps:
                _add_task(locked, one, steps, position)
                position += 1
                added += len(steps)
    return added


def _add_task(
    campaign: Campaign, chosen: Chosen, steps: Sequence[Step], position: int
) -> Task:
    task = Task.objects.create(
        campaign=campaign,
        trace=chosen.trace,
        trace_key=chosen.trace.trace_id,
        position=position,
        wanted=chosen.wanted,
    )
    Item.objects.bulk_create(
        [
            Item(
                task=task,
                campaign=campaign,
                trace_key=chosen.trace.trace_id,
                key=step.key,
                type=step.type,
                index=step.index,
            )
            for step in steps
        ]
    )
    return task


@transaction.atomic
def add_rater(*, campaign: Campaign, user: User, actor: Actor, now: datetime) -> Rater:
    """Let a member of the project label; who had left comes back.

    Raises:
        CampaignError: The person has no role here that labels.
    """
    member = Membership.objects.filter(
        project=campaign.project, user=user, role__in=LABELLERS
    )
    if not user.is_superuser and not member.exists():
        raise CampaignError(f"{user} has no role in this project that may label.")
    rater, made = Rater.objects.get_or_create(
        campaign=campaign,
        user=user,
        defaults={
            "pseudonym": pseudonym(campaign.project, user),
            "joined_at": now,
        },
    )
    if not made and not rater.is_active:
        rater.is_active, rater.left_at = True, None
        rater.save(update_fields=("is_active", "left_at"))
    _log(campaign, "add_rater", actor, now, rater=rater.pseudonym)
    return rater


@transaction.atomic
def deactivate_rater(*, rater: Rater, actor: Actor, now: datetime) -> None:
    """Let somebody leave.

    What they submitted stays and counts; what they hold becomes free when its
    lease runs out.
    """
    Rater.objects.filter(pk=rater.pk).update(is_active=False, left_at=now)
    _log(rater.campaign, "deactivate_rater", actor, now, rater=rater.pseudonym)


def pseudonym(project: Project, user: User) -> str:
    """Stable name of a person in the exports of a project."""
    value = f"{project.pk}:{user.pk}"
    digest = salted_hmac("agenteval rater", value, secret=settings.SECRET_KEY)
    return f"rater-{digest.hexdigest()[:8]}"


MOVES: Mapping[str, tuple[tuple[str, ...], str]] = {
    "open": ((State.DRAFT, State.PAUSED), State.OPEN),
    "pause": ((State.OPEN,), State.PAUSED),
    "close": ((State.OPEN, State.PAUSED), State.CLOSED),
}
"""From which states a move leads where."""


@transaction.atomic
def move(*, campaign: Campaign, to: str, actor: Actor, now: datetime) -> Campaign:
    """Open, pause or close a campaign.

    Raises:
        CampaignError: Not possible in its state, or it has nothing or nobody.
    """
    before, after = MOVES[to]
    locked = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if locked.state not in before:
        raise CampaignError(f"This campaign is {locked.get_state_display().lower()}.")
    if to == "open":
        _demand_content(locked)
        locked.opened_at = locked.opened_at or now
    if to == "close":
        locked.closed_at = now
    locked.state = after
    locked.save(update_fields=("state", "opened_at", "closed_at"))
    _log(locked, f"{to}_campaign", actor, now)
    return locked


def _demand_content(campaign: Campaign) -> None:
    if not campaign.tasks.exists():
        raise CampaignError("There are no steps to label yet.")
    active = campaign.raters.filter(is_active=True).count()
    most = campaign.overlap if campaign.overlap_share > 0 else 1
    if active < most:
        raise CampaignError(
            f"{most} independent submissions need {most} raters; there are {active}."
        )


@transaction.atomic
def change_overlap(
    *, campaign: Campaign, overlap: int, actor: Actor, now: datetime
) -> int:
    """Want more or fewer submissions of what is not finished; finished stays.

    Returns:
        Number of tasks that changed.
    """
    unfinished = [
        task
        for task in campaign.tasks.select_for_update()
        if task.submitted < task.wanted and not task.closed
    ]
    for task in unfinished:
        task.wanted = max(overlap, task.submitted)
    Task.objects.bulk_update(unfinished, ["wanted"])
    Campaign.objects.filter(pk=campaign.pk).update(overlap=overlap)
    _log(
        campaign,
        "change_overlap",
        actor,
        now,
        before=campaign.overlap,
        after=overlap,
        tasks=len(unfinished),
    )
    return len(unfinished)


@transaction.atomic
def settle(
    *, item: Item, values: Mapping[str, Any], actor: Actor, now: datetime
) -> Consensus:
    """Store the settled answer of an item as a further revision.

    Args:
        item: What is settled.
        values: Fields of ``Consensus``: score, metrics, category, is_root,
            cause, note, confidence, guideline_gap.
        actor: Who decides.
        now: Time.
    """
    Task.objects.select_for_update().get(pk=item.task_id)
    last = item.consensus.order_by("-revision").first()
    item.consensus.update(is_current=False)
    labels = item.labels.filter(is_current=True).order_by("pk")
    settled = Consensus.objects.create(
        item=item,
        revision=last.revision + 1 if last else 1,
        taxonomy_version=item.campaign.taxonomy_version,
        labels=list(labels.values_list("pk", flat=True)),
        decided_by=person(actor),
        decided_at=now,
        **values,
    )
    _log(item.campaign, "settle", actor, now, item=item.key, cause=settled.cause)
    return settled


def _log(
    campaign: Campaign, verb: str, actor: Actor, now: datetime, **detail: Any
) -> None:
    audit(
        project=campaign.project,
        actor=actor,
        verb=verb,
        target=campaign.name,
        now=now,
        detail=detail,
    )
