"""What is to be labelled, by whom and under which rules; frozen once opened."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from judging.models import ProfileVersion, TaxonomyVersion
from traces.models import Project, Trace


class Campaign(models.Model):
    """A labelling job: a frozen set of steps, rules and versions.

    Attributes:
        unit: Whether people take single steps, or whole traces step by step.
        metrics: Whether a step gets one score, or one a metric.
        rubric: Wording of the levels by step type and metric, frozen.
        guidelines: Markdown that raters see, frozen with its digest.
        overlap: Independent submissions wanted for each task that is rated
            more than once.
        overlap_share: Share of the tasks that get the full overlap; others get
            one submission.
        blind_judge: Raters don't see the judge before they have submitted.
        blind_peers: Raters don't see each other before they have submitted.
        lease_minutes: How long a task stays with somebody who says nothing.
        max_skips: Skips after which a task needs attention.
        gold_share: Share of what a rater gets that has a known answer.
        repeat_share: Share that a rater gets a second time.
        profile_version: The judge that experts are compared with.
        selection: How the tasks were chosen, so that it can be repeated.
    """

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        OPEN = "open", "Open"
        PAUSED = "paused", "Paused"
        CLOSED = "closed", "Closed"

    class Unit(models.TextChoices):
        STEP = "step", "Single steps"
        TRACE = "trace", "Whole traces, step by step"

    class Metrics(models.TextChoices):
        OVERALL = "overall", "One score a step"
        EACH = "each", "One score a metric"

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="campaigns"
    )
    name = models.CharField(max_length=200)
    state = models.CharField(max_length=8, choices=State, default=State.DRAFT)
    unit = models.CharField(max_length=8, choices=Unit, default=Unit.STEP)
    metrics = models.CharField(max_length=8, choices=Metrics, default=Metrics.OVERALL)
    rubric = models.JSONField()
    rubric_digest = models.CharField(max_length=32)
    taxonomy_version = models.ForeignKey(TaxonomyVersion, on_delete=models.PROTECT)
    profile_version = models.ForeignKey(
        ProfileVersion, null=True, on_delete=models.PROTECT
    )
    guidelines = models.TextField(blank=True)
    guidelines_digest = models.CharField(max_length=32, blank=True)
    overlap = models.SmallIntegerField(default=2)
    overlap_share = models.FloatField(default=1.0)
    blind_judge = models.BooleanField(default=True)
    blind_peers = models.BooleanField(default=True)
    lease_minutes = models.SmallIntegerField(default=30)
    max_skips = models.SmallIntegerField(default=3)
    gold_share = models.FloatField(default=0.0)
    repeat_share = models.FloatField(default=0.0)
    seed = models.BigIntegerField(default=0)
    selection = models.JSONField(default=dict)
    due_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField()
    opened_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return self.name


class Rater(models.Model):
    """A person in a campaign; leaves it, but is never removed from it.

    Attributes:
        pseudonym: Stable name in exports, the same for a person in a project.
        is_active: May take tasks. What was submitted counts either way.
    """

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="raters"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    pseudonym = models.CharField(max_length=32)
    is_active = models.BooleanField(default=True)
    joined_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("campaign", "user"), name="rater_once_a_campaign"
            ),
        )
        ordering = ("joined_at", "pk")

    def __str__(self) -> str:
        return self.pseudonym


class Task(models.Model):
    """What one person takes at a time: a step, or all steps of a trace.

    Attributes:
        trace: The trace; None once it has been deleted. Labels stay.
        trace_key: The sender's id of the trace.
        position: Place in the queue; gold and repeats look like any other.
        wanted: Independent submissions wanted.
        kind: Plain, with a known answer, or a repeat for one rater.
        repeat_of: The task that is shown again.
        repeat_for: The rater who gets the repeat.
        closed: Explicitly closed without reaching what was wanted; says why.
    """

    class Kind(models.TextChoices):
        PLAIN = "plain", "Plain"
        GOLD = "gold", "Known answer"
        REPEAT = "repeat", "Repeat"

    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="tasks"
    )
    trace = models.ForeignKey(
        Trace, null=True, on_delete=models.SET_NULL, related_name="tasks"
    )
    trace_key = models.CharField(max_length=200)
    position = models.IntegerField()
    wanted = models.SmallIntegerField()
    kind = models.CharField(max_length=6, choices=Kind, default=Kind.PLAIN)
    repeat_of = models.ForeignKey(
        "self", null=True, on_delete=models.CASCADE, related_name="repeats"
    )
    repeat_for = models.ForeignKey(
        Rater, null=True, on_delete=models.CASCADE, related_name="repeats"
    )
    submitted = models.SmallIntegerField(default=0)
    skipped = models.SmallIntegerField(default=0)
    closed = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("campaign", "position"), name="task_position_once"
            ),
        )
        ordering = ("campaign", "position")

    def __str__(self) -> str:
        return f"Task {self.position} of {self.campaign}"


class Item(models.Model):
    """One step that is to be labelled.

    Attributes:
        key: The step's key; with the trace it names the step for good.
        type: Step type when the campaign was opened.
        index: Place of the step in its run then.
        gold: The known answer of a gold item.
    """

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="items")
    campaign = models.ForeignKey(
        Campaign, on_delete=models.CASCADE, related_name="items"
    )
    trace_key = models.CharField(max_length=200)
    key = models.CharField(max_length=16)
    type = models.CharField(max_length=32)
    index = models.IntegerField()
    is_repeat = models.BooleanField(default=False)
    gold = models.JSONField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("campaign", "trace_key", "key"),
                condition=models.Q(is_repeat=False),
                name="step_once_a_campaign",
            ),
        )
        ordering = ("task", "index")

    def __str__(self) -> str:
        return f"{self.type} {self.key}"
