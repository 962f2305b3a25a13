"""Drafts, submissions, skips: what is typed is kept, what is said is added."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max, Q

from annotation.domain.answer import Answer, AnswerError, Asked, read_answer
from annotation.models import (
    Assignment,
    Campaign,
    Consensus,
    Draft,
    Item,
    Label,
    Sight,
    Task,
)
from annotation.services.queue import has_room, recount
from judging.domain.taxonomy import parse

State = Assignment.State
LONGEST_DRAFT = 20_000
IDLE_MS = 60_000
"""A stretch without any sign of life counts at most this much as work."""


class ConflictError(Exception):
    """Somebody, or another tab, was faster.

    Attributes:
        stored: What stands now.
        version: Its version.
    """

    def __init__(self, message: str, stored: Any = None, version: int = 0) -> None:
        """Keep what stands, so that both can be shown."""
        super().__init__(message)
        self.stored = stored
        self.version = version


def save_draft(
    *,
    assignment: Assignment,
    item: Item,
    content: Mapping[str, Any],
    version: int,
    active_ms: int,
    now: datetime,
) -> Draft:
    """Keep what has been typed so far.

    Args:
        assignment: Leased or submitted; a draft never changes a submission.
        item: One of its task's items.
        content: The fields, complete or not.
        version: The version the page has; 0 for none.
        active_ms: Time the page was used since the last save.
        now: Time.

    Raises:
        ConflictError: A newer draft is there; it comes along.
        AnswerError: The content is far too long.
    """
    if len(str(content)) > LONGEST_DRAFT:
        raise AnswerError({"comment": "too long to be kept as a draft"})
    with transaction.atomic():
        locked = Assignment.objects.select_for_update().get(pk=assignment.pk)
        draft = Draft.objects.filter(assignment=locked, item=item).first()
        had = draft.version if draft else 0
        if draft is not None and had != version:
            if draft.content == dict(content):
                return draft
            raise ConflictError("This was changed elsewhere.", draft.content, had)
        draft = draft or Draft(assignment=locked, item=item)
        draft.content, draft.version, draft.saved_at = dict(content), had + 1, now
        draft.save()
        count_time(locked, active_ms)
    return draft


def count_time(assignment: Assignment, active_ms: int) -> None:
    """Add working time, at most ``IDLE_MS`` a call."""
    added = min(max(0, active_ms), IDLE_MS)
    assignment.active_ms += added
    assignment.save(update_fields=("active_ms",))


def submit(
    *,
    assignment: Assignment,
    contents: Mapping[int, Mapping[str, Any]],
    now: datetime,
) -> list[Label]:
    """Store a rater's answers about all items of a task.

    A holder whose lease ran out can still submit: if others have filled the
    task meanwhile, the labels are kept and marked as beyond the plan. To submit
    again is a correction: a further revision.

    Args:
        assignment: Of this rater.
        contents: Fields by primary key of the item.
        now: Time.

    Raises:
        AnswerError: Something is missing or wrong; fields are named
            ``<item>.<field>``.
        ConflictError: The campaign is closed, or the answer has been settled.
    """
    campaign = assignment.task.campaign
    items = list(assignment.task.items.order_by("index", "pk"))
    answers = _read(campaign, items, contents)
    with transaction.atomic():
        task = Task.objects.select_for_update().get(pk=assignment.task_id)
        locked = Assignment.objects.select_for_update().get(pk=assignment.pk)
        _demand_open(campaign, items)
        first = locked.state != State.SUBMITTED
        if first:
            locked.over_quota = not has_room(task, now, besides=locked)
        labels = [
            label
            for item in items
            if (label := _add(locked, item, answers[item.pk], campaign, now))
        ]
        if first or labels:
            locked.submitted_at = now
        locked.state = State.SUBMITTED
        locked.save(update_fields=("state", "over_quota", "submitted_at"))
        recount(task)
        Draft.objects.filter(assignment=locked).delete()
    return labels


def _read(
    campaign: Campaign, items: list[Item], contents: Mapping[int, Mapping[str, Any]]
) -> dict[int, Answer]:
    answers: dict[int, Answer] = {}
    faults: dict[str, str] = {}
    for item in items:
        try:
            answers[item.pk] = read_answer(
                contents.get(item.pk, {}), asked_of(campaign, item.type)
            )
        except AnswerError as error:
            faults |= {f"{item.pk}.{name}": why for name, why in error.faults.items()}
    if faults:
        raise AnswerError(faults)
    return answers


def asked_of(campaign: Campaign, step_type: str) -> Asked:
    """What a campaign asks about a step of a type."""
    tree = parse(campaign.taxonomy_version.content)
    each = campaign.metrics == Campaign.Metrics.EACH
    metrics = campaign.rubric.get("metrics", {}).get(step_type, []) if each else []
    return Asked(tuple(metrics), frozenset(tree.by_id))


def _demand_open(campaign: Campaign, items: list[Item]) -> None:
    state = Campaign.objects.values_list("state", flat=True).get(pk=campaign.pk)
    if state not in (Campaign.State.OPEN, Campaign.State.PAUSED):
        raise ConflictError("This campaign is closed; the draft is kept.")
    if Consensus.objects.filter(item__in=items).exists():
        raise ConflictError("This has been settled meanwhile; the draft is kept.")


def _add(
    assignment: Assignment,
    item: Item,
    answer: Answer,
    campaign: Campaign,
    now: datetime,
) -> Label | None:
    """Add a revision; None if it would say the same as the last."""
    before = Label.objects.filter(item=item, rater=assignment.rater)
    last = before.filter(is_current=True).first()
    if last is not None and _same(last, answer):
        return None
    number = before.aggregate(last=Max("revision"))["last"] or 0
    before.update(is_current=False)
    draft = Draft.objects.filter(assignment=assignment, item=item).first()
    return Label.objects.create(
        item=item,
        rater=assignment.rater,
        assignment=assignment,
        revision=number + 1,
        score=answer.score,
        metrics=dict(answer.metrics),
        category=answer.category,
        taxonomy_version=campaign.taxonomy_version,
        is_root=answer.is_root,
        comment=answer.comment,
        confidence=answer.confidence,
        guideline_gap=answer.guideline_gap,
        is_blind=is_blind(assignment),
        drafted_at=draft.saved_at if draft else None,
        submitted_at=now,
        active_ms=assignment.active_ms,
    )


def _same(label: Label, answer: Answer) -> bool:
    fields = ("score", "metrics", "category", "is_root", "comment", "confidence")
    return label.guideline_gap == answer.guideline_gap and all(
        getattr(label, name) == getattr(answer, name) for name in fields
    )


def is_blind(assignment: Assignment) -> bool:
    """Whether the rater could have seen neither the judge nor a peer."""
    own = Q(campaign=None) | Q(campaign=assignment.task.campaign)
    return not Sight.objects.filter(
        own, user=assignment.rater.user, trace=assignment.task.trace
    ).exists()


def skip(*, assignment: Assignment, reason: str, note: str, now: datetime) -> None:
    """Leave a task to others, with a reason. A skip is not a submission.

    Raises:
        AnswerError: The reason is none of those known.
        ConflictError: The task was submitted already.
    """
    if reason not in Assignment.Skip.values:
        known = ", ".join(Assignment.Skip.values)
        raise AnswerError({"reason": f"one of {known}"})
    with transaction.atomic():
        task = Task.objects.select_for_update().get(pk=assignment.task_id)
        locked = Assignment.objects.select_for_update().get(pk=assignment.pk)
        if locked.state == State.SUBMITTED:
            raise ConflictError("This has been submitted already.")
        locked.state, locked.leased_until = State.SKIPPED, now
        locked.skip_reason, locked.skip_note = reason, note[:500]
        locked.save(update_fields=("state", "leased_until", "skip_reason", "skip_note"))
        recount(task)


def requeue(*, assignment: Assignment, now: datetime) -> None:
    """Let a rater have a task again that they skipped."""
    with transaction.atomic():
        task = Task.objects.select_for_update().get(pk=assignment.task_id)
        Assignment.objects.filter(pk=assignment.pk, state=State.SKIPPED).update(
            state=State.RELEASED, leased_until=now, skip_reason="", skip_note=""
        )
        recount(task)
