"""Who works on what, what is typed and what was submitted."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.campaign import Campaign, Item, Rater, Task
from judging.models import TaxonomyVersion
from traces.models import Trace


class Assignment(models.Model):
    """A task with a person: a lease first, then a submission or a skip.

    A lease that has run out gives its place to others, but its holder can still
    renew and submit; what comes in beyond what was wanted is kept and marked.

    Attributes:
        token: Changes with every lease; names the browser tab's claim.
        active_ms: Time that the page was used, idle stretches cut.
        over_quota: Submitted when others had already filled the task.
    """

    class State(models.TextChoices):
        LEASED = "leased", "Being labelled"
        SUBMITTED = "submitted", "Submitted"
        SKIPPED = "skipped", "Skipped"
        RELEASED = "released", "Given back"

    class Skip(models.TextChoices):
        NOT_MY_DOMAIN = "not_my_domain", "Not my domain"
        MISSING_CONTEXT = "missing_context", "Context is missing"
        BROKEN_TRACE = "broken_trace", "The trace is broken"
        UNSURE = "unsure", "I can't tell"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="assignments")
    rater = models.ForeignKey(
        Rater, on_delete=models.CASCADE, related_name="assignments"
    )
    state = models.CharField(max_length=10, choices=State, default=State.LEASED)
    token = models.CharField(max_length=32)
    leased_until = models.DateTimeField()
    started_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True)
    active_ms = models.BigIntegerField(default=0)
    over_quota = models.BooleanField(default=False)
    skip_reason = models.CharField(max_length=16, choices=Skip, blank=True)
    skip_note = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("task", "rater"), name="task_once_a_rater"),
        )
        indexes = (
            models.Index(
                fields=("leased_until",),
                name="lease_open",
                condition=models.Q(state="leased"),
            ),
        )

    def __str__(self) -> str:
        return f"{self.task} with {self.rater}"


class Draft(models.Model):
    """What somebody has typed and not submitted; never touches a submission.

    Attributes:
        version: Grows with every save; a save that names an older one is refused
            with both contents.
    """

    assignment = models.ForeignKey(
        Assignment, on_delete=models.CASCADE, related_name="drafts"
    )
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="drafts")
    content = models.JSONField(default=dict)
    version = models.IntegerField(default=0)
    saved_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("assignment", "item"), name="draft_once_an_item"
            ),
        )

    def __str__(self) -> str:
        return f"Draft {self.version} of {self.item}"


class Label(models.Model):
    """One human answer about one step; a correction is a further row.

    Attributes:
        revision: 1 for the first submission; the highest counts.
        is_current: Whether this is the highest.
        score: 1 to 5 over all, None where the campaign asks by metric only.
        metrics: Score by metric.
        category: Taxonomy id, "" for no failure.
        is_root: The rater holds this step for the root cause.
        confidence: 1 (guess) to 3 (sure), None if not said.
        guideline_gap: The guidelines don't settle this case.
        is_blind: Submitted before the rater could have seen the judge or a peer.
        source: ``campaign``, or ``file`` for imported labels.
    """

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="labels")
    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="labels")
    assignment = models.ForeignKey(
        Assignment, null=True, on_delete=models.CASCADE, related_name="labels"
    )
    revision = models.SmallIntegerField(default=1)
    is_current = models.BooleanField(default=True)
    score = models.FloatField(null=True)
    metrics = models.JSONField(default=dict)
    category = models.CharField(max_length=64, blank=True)
    taxonomy_version = models.ForeignKey(TaxonomyVersion, on_delete=models.PROTECT)
    is_root = models.BooleanField(default=False)
    comment = models.TextField(blank=True)
    confidence = models.SmallIntegerField(null=True)
    guideline_gap = models.BooleanField(default=False)
    is_blind = models.BooleanField(default=True)
    source = models.CharField(max_length=8, default="campaign")
    drafted_at = models.DateTimeField(null=True)
    submitted_at = models.DateTimeField()
    active_ms = models.BigIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("item", "rater", "revision"), name="label_revision_once"
            ),
            models.UniqueConstraint(
                fields=("item", "rater"),
                condition=models.Q(is_current=True),
                name="label_current_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.score} for {self.item} by {self.rater}"


class Sight(models.Model):
    """When somebody could first see what others said about a trace.

    Labels that a person submits later are not blind and never enter the
    agreement of blind labels.

    Attributes:
        what: ``judge`` or ``peers``.
        campaign: The campaign whose labels were shown, None for the judge's.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    trace = models.ForeignKey(Trace, on_delete=models.CASCADE, related_name="+")
    what = models.CharField(max_length=8)
    campaign = models.ForeignKey(Campaign, null=True, on_delete=models.CASCADE)
    at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "trace", "what", "campaign"), name="sight_once"
            ),
            models.UniqueConstraint(
                fields=("user", "trace", "what"),
                condition=models.Q(campaign=None),
                name="sight_of_the_judge_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} saw the {self.what} of {self.trace}"
