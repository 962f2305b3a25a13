"""What a judge said about the steps of a trace and what follows from it."""

from __future__ import annotations

from django.db import models

from judging.models.batch import Batch
from judging.models.profile import ProfileVersion
from judging.models.taxonomy import TaxonomyVersion
from traces.models import Trace


class Evaluation(models.Model):
    """One pass of judge, classify, attribute over one trace.

    Rows are added, never changed, apart from state, lease and counters. Whoever
    works on an evaluation holds its lease and renews it; a lease that has run out
    is free for anybody, which is how work goes on after a crash. What has been
    answered stands in verdicts and isn't asked again.

    Attributes:
        judge: ``rules`` or ``model``.
        batch: The batch it belongs to, None for one asked for by itself.
        compared_with: The evaluation whose root step a counterfactual corrects.
        replacement: Step key and corrected output of a counterfactual.
        asked: Calls planned; None until planned.
        answered: Calls that have their verdicts.
        due_at: Not to be worked on before; None for at once.
        attempts: Times it was put back after transient failures.
    """

    class State(models.TextChoices):
        PENDING = "pending", "Waiting"
        RUNNING = "running", "Running"
        PAUSED = "paused", "Paused"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"
        CANCELLED = "cancelled", "Cancelled"

    trace = models.ForeignKey(
        Trace, on_delete=models.CASCADE, related_name="evaluations"
    )
    revision = models.IntegerField()
    graph_version = models.IntegerField()
    judge = models.CharField(max_length=32)
    judge_version = models.CharField(max_length=32)
    profile_version = models.ForeignKey(ProfileVersion, on_delete=models.PROTECT)
    taxonomy_version = models.ForeignKey(TaxonomyVersion, on_delete=models.PROTECT)
    state = models.CharField(max_length=10, choices=State, default=State.PENDING)
    error = models.TextField(blank=True)
    is_current = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    batch = models.ForeignKey(
        Batch, null=True, on_delete=models.CASCADE, related_name="evaluations"
    )
    compared_with = models.ForeignKey(
        "self", null=True, on_delete=models.CASCADE, related_name="counterfactuals"
    )
    replacement = models.JSONField(null=True)
    lease = models.CharField(max_length=32, blank=True)
    leased_until = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    attempts = models.IntegerField(default=0)
    asked = models.IntegerField(null=True)
    answered = models.IntegerField(default=0)
    cached = models.IntegerField(default=0)
    unpriced = models.IntegerField(default=0)
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cached_tokens = models.BigIntegerField(default=0)

    total = models.IntegerField(default=0)
    scored = models.IntegerField(default=0)
    no_finding = models.IntegerField(default=0)
    unscored = models.IntegerField(default=0)
    failed = models.IntegerField(default=0)
    cost_usd = models.FloatField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("trace",),
                condition=models.Q(is_current=True),
                name="one_current_evaluation",
            ),
        )
        indexes = (
            models.Index(
                fields=("state", "created_at"),
                name="evaluation_unfinished",
                condition=models.Q(state__in=("pending", "running")),
            ),
        )
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"Evaluation {self.pk} of {self.trace}"


class JudgeAnswer(models.Model):
    """What a model replied to one prompt, kept under all that can change it.

    Temperature 0 does not reproduce; this does. The same prompt to the same
    judge with the same parameters is answered from here, in any evaluation.

    Attributes:
        key: 64 hex digits over prompt, judge, parameters and sample number.
        content: The reply, as it came.
        levels: Probabilities of the scores 1 to 5 by metric, where given.
        dropped: Parameters that the endpoint refused.
    """

    key = models.CharField(max_length=64, unique=True)
    content = models.TextField()
    model = models.CharField(max_length=100)
    tier = models.SmallIntegerField(default=0)
    mode = models.CharField(max_length=16)
    levels = models.JSONField(default=dict)
    dropped = models.JSONField(default=list)
    input_tokens = models.IntegerField(null=True)
    output_tokens = models.IntegerField(null=True)
    cached_tokens = models.IntegerField(null=True)
    cost_usd = models.FloatField(null=True)
    latency_ms = models.IntegerField()
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.model}: {self.key[:12]}"


class Verdict(models.Model):
    """One metric of one step by one judge: a score, or why there is none.

    The offline judge writes a row only where a check fired; a step without
    rows has "no finding", which is weaker than a judged pass.

    Attributes:
        member: Number of the judge in a panel, of the sample in
            self-consistency; 0 where there is one.
        answer: The reply it was read from, None for checks and failed calls.
        is_cached: The reply was there already; it cost nothing this time.
        cuts: Parts of the step that the judge saw shortened.
    """

    class State(models.TextChoices):
        SCORED = "scored", "Scored"
        UNSCORED = "unscored", "Unscored"
        PENDING = "pending", "Pending"

    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="verdicts", db_index=False
    )
    step_key = models.CharField(max_length=16)
    metric = models.CharField(max_length=48)
    state = models.CharField(max_length=8, choices=State)
    reason = models.CharField(max_length=32, blank=True)
    score = models.FloatField(null=True)
    distribution = models.JSONField(null=True)
    rationale = models.TextField(blank=True)
    category = models.CharField(max_length=64, blank=True)
    source = models.CharField(max_length=16)
    model = models.CharField(max_length=100, blank=True)
    tier = models.SmallIntegerField(null=True)
    prompt_digest = models.CharField(max_length=64, blank=True)
    input_tokens = models.IntegerField(null=True)
    output_tokens = models.IntegerField(null=True)
    cost_usd = models.FloatField(null=True)
    latency_ms = models.IntegerField(null=True)
    member = models.SmallIntegerField(default=0)
    answer = models.ForeignKey(JudgeAnswer, null=True, on_delete=models.PROTECT)
    is_cached = models.BooleanField(default=False)
    cuts = models.JSONField(default=list)
    dropped = models.JSONField(default=list)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("evaluation", "step_key", "metric", "member"),
                name="verdict_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.metric}: {self.score if self.score is not None else self.reason}"


class Finding(models.Model):
    """One named check that fired, with the words it fired on."""

    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="findings"
    )
    step_key = models.CharField(max_length=16)
    check_id = models.CharField(max_length=64)
    metric = models.CharField(max_length=48)
    cap = models.FloatField()
    category = models.CharField(max_length=64, blank=True)
    message = models.CharField(max_length=500)
    evidence = models.JSONField(default=list)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.check_id}: {self.message}"


class StepOutcome(models.Model):
    """What an evaluation says of one step that it has something to say about.

    Attributes:
        metrics: Score by metric after caps of checks and votes of a panel.
        source: ``rules``, ``model`` or ``panel``.
        spread: Highest minus lowest score of the panel; None for one judge.
    """

    evaluation = models.ForeignKey(
        Evaluation, on_delete=models.CASCADE, related_name="outcomes", db_index=False
    )
    step_key = models.CharField(max_length=16)
    index = models.IntegerField()
    type = models.CharField(max_length=32)
    state = models.CharField(max_length=16)
    reason = models.CharField(max_length=32, blank=True)
    score = models.FloatField(null=True)
    threshold = models.FloatField(null=True)
    failed = models.BooleanField(default=False)
    category = models.CharField(max_length=64, blank=True)
    role = models.CharField(max_length=12, blank=True)
    source_key = models.CharField(max_length=16, blank=True)
    root_key = models.CharField(max_length=16, blank=True)
    amplification = models.IntegerField(default=0)
    metrics = models.JSONField(default=dict)
    source = models.CharField(max_length=16, default="rules")
    spread = models.FloatField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("evaluation", "step_key"), name="outcome_once"
            ),
        )
        indexes = (
            models.Index(
                fields=("category", "evaluation"),
                name="outcome_by_category",
                condition=models.Q(failed=True),
            ),
        )

    def __str__(self) -> str:
        return f"{self.type} {self.step_key}: {self.score}"
