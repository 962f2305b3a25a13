"""Which steps a campaign takes: filtered, stratified, seeded, repeatable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from annotation.domain.chance import chance
from annotation.domain.sampling import Candidate, sample
from annotation.models import Campaign
from annotation.services.campaigns import (
    CampaignError,
    Chosen,
    Plan,
    add_rater,
    add_steps,
    create_campaign,
)
from judging.domain.settings import METRICS
from judging.models import ProfileVersion
from judging.services.defaults import ensure_profile, ensure_taxonomy
from traces.models import Project, Step, Trace
from traces.services.projects import Actor

MAX_TRACES = 5_000
PART = 200


@dataclass(frozen=True)
class Wish:
    """What somebody wants labelled.

    Attributes:
        plan: Rules of the campaign.
        traces: Traces the list's filter leaves, in any order.
        query: That filter, to be kept with the campaign.
        count: Traces to draw at most.
        failures_only: Only traces with a failed step.
        raters: Who labels.
    """

    plan: Plan
    traces: QuerySet[Trace]
    query: str
    count: int
    failures_only: bool
    raters: Sequence[User]


@transaction.atomic
def make_campaign(
    *, project: Project, wish: Wish, actor: Actor, now: datetime
) -> Campaign:
    """Draw traces, freeze their steps, let people join; the campaign is a draft.

    Raises:
        CampaignError: Nothing matches, or somebody may not label.
    """
    drawn = draw(wish)
    if not drawn:
        raise CampaignError("No judged trace matches; there is nothing to label.")
    profile = ensure_profile(project=project, now=now)
    campaign = create_campaign(
        project=project,
        plan=replace(wish.plan, selection=_selection(wish, drawn)),
        rubric=rubric_of(profile),
        taxonomy=ensure_taxonomy(project=project, now=now),
        profile=profile,
        actor=actor,
        now=now,
    )
    if not add_steps(campaign=campaign, chosen=_steps(campaign, drawn)):
        raise CampaignError("These traces hold no step that is judged.")
    for user in wish.raters:
        add_rater(campaign=campaign, user=user, actor=actor, now=now)
    return campaign


def draw(wish: Wish) -> list[Trace]:
    """The traces of a campaign, in an order that tells nothing about them.

    They are drawn by outcome and workflow, so that rare ones are in it; their
    order is by seed alone, because an order by outcome would tell raters what
    the judge thinks.
    """
    found = wish.traces.filter(digest_state=Trace.DigestState.DONE, judge_calls=False)
    if wish.failures_only:
        found = found.filter(failed_count__gt=0)
    rows = {trace.trace_id: trace for trace in found.order_by("pk")[:MAX_TRACES]}
    candidates = [
        Candidate(key, ("failed" if trace.failed_count else "other", trace.workflow))
        for key, trace in rows.items()
    ]
    seed = wish.plan.seed
    chosen = sample(candidates, min(wish.count, len(rows)), seed).drawn
    keys = sorted((one.trace for one in chosen), key=lambda key: chance(seed, key))
    return [rows[key] for key in keys]


def _selection(wish: Wish, drawn: Sequence[Trace]) -> dict[str, Any]:
    return {
        "query": wish.query,
        "failures_only": wish.failures_only,
        "wanted": wish.count,
        "drawn": len(drawn),
        "seed": wish.plan.seed,
    }


def _steps(campaign: Campaign, drawn: Sequence[Trace]) -> Iterator[Chosen]:
    for begin in range(0, len(drawn), PART):
        part = drawn[begin : begin + PART]
        rows = Step.objects.filter(trace__in=part, type__in=METRICS)
        by_trace: dict[int, list[Step]] = {}
        for step in rows.order_by("trace", "index"):
            by_trace.setdefault(step.trace_id, []).append(step)
        for trace in part:
            steps = by_trace.get(trace.pk, [])
            yield Chosen(trace, steps, _wanted(campaign, trace))


def _wanted(campaign: Campaign, trace: Trace) -> int:
    """Overlap goes to whole traces, so that intervals can be drawn over them."""
    drawn = chance(campaign.seed + 1, trace.trace_id) / 2**64
    return campaign.overlap if drawn < campaign.overlap_share else 1


def rubric_of(profile: ProfileVersion) -> Mapping[str, Any]:
    """What is scored, and what each level means."""
    return {"metrics": profile.content["metrics"], "levels": LEVELS}


GENERAL = {
    "1": "Wrong or useless: whatever builds on it must fail.",
    "2": "Mostly wrong; little of it can be used.",
    "3": "Usable with clear gaps or errors.",
    "4": "Right but for something small.",
    "5": "Right and complete for what was known at this step.",
}
LEVELS = {step_type: {"overall": GENERAL} for step_type in METRICS}
