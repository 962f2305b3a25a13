"""What senders sent, as they sent it."""

from __future__ import annotations

from django.db import models
from django.db.models import F

from traces.models.tenancy import Project


class Trace(models.Model):
    """One run of an agent, with the summary that lists and charts read.

    Everything under "summary" is derived and written by the digest; the rest
    says what arrived. ``revision`` grows with every request that adds or
    changes a span; a digest is behind while ``digested_revision`` is smaller.
    """

    class DigestState(models.TextChoices):
        WAITING = "waiting", "Waiting"
        DONE = "done", "Done"
        FAILED = "failed", "Failed"

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="traces"
    )
    trace_id = models.CharField(max_length=128)
    source = models.CharField(max_length=32, default="otlp")
    # Facts that a file states about the whole trace and no span owns.
    attributes = models.JSONField(default=dict)
    received_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    span_count = models.IntegerField(default=0)

    revision = models.IntegerField(default=1)
    digested_revision = models.IntegerField(default=0)
    digest_version = models.IntegerField(default=0)
    digest_state = models.CharField(
        max_length=8, choices=DigestState, default=DigestState.WAITING
    )
    digest_error = models.TextField(blank=True)

    # Summary.
    name = models.CharField(max_length=200, blank=True)
    workflow = models.CharField(max_length=100, blank=True)
    agent = models.CharField(max_length=100, blank=True)
    model = models.CharField(max_length=100, blank=True)
    session = models.CharField(max_length=200, blank=True)
    user_name = models.CharField(max_length=200, blank=True)
    environment = models.CharField(max_length=64, blank=True)
    version = models.CharField(max_length=64, blank=True)
    case_key = models.CharField(max_length=200, blank=True)
    run_key = models.CharField(max_length=200, blank=True)
    outcome = models.CharField(max_length=16, blank=True)
    tags = models.JSONField(default=list)
    tools = models.JSONField(default=list)
    preview = models.CharField(max_length=300, blank=True)
    search = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True)
    duration_ms = models.BigIntegerField(null=True)
    finished = models.BooleanField(default=True)
    step_count = models.IntegerField(default=0)
    error_count = models.IntegerField(default=0)
    repair_count = models.IntegerField(default=0)
    structure = models.CharField(max_length=16, blank=True)
    conformance = models.CharField(max_length=16, blank=True)
    input_tokens = models.BigIntegerField(null=True)
    output_tokens = models.BigIntegerField(null=True)
    cost_usd = models.FloatField(null=True)
    judge_calls = models.BooleanField(default=False)

    # Summary of the current evaluation; null or "" until there is one.
    score = models.FloatField(null=True)
    failed_count = models.IntegerField(null=True)
    scored_count = models.IntegerField(null=True)
    unscored_count = models.IntegerField(null=True)
    root_count = models.IntegerField(null=True)
    root_category = models.CharField(max_length=64, blank=True)
    root_step = models.CharField(max_length=16, blank=True)
    categories = models.JSONField(default=list)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project", "trace_id"), name="trace_once_per_project"
            ),
        )
        indexes = (
            models.Index(fields=("project", "-received_at", "-id"), name="trace_new"),
            models.Index(fields=("project", "-started_at", "-id"), name="trace_time"),
            models.Index(fields=("project", "score", "id"), name="trace_score"),
            models.Index(
                fields=("project", "-failed_count", "-id"), name="trace_failed"
            ),
            models.Index(
                fields=("project", "-duration_ms", "-id"), name="trace_duration"
            ),
            # Most senders don't state a cost: their traces cost this index nothing.
            models.Index(
                fields=("project", "-cost_usd", "-id"),
                name="trace_cost",
                condition=models.Q(cost_usd__isnull=False),
            ),
            models.Index(
                fields=("project", "root_category", "-id"), name="trace_root_category"
            ),
            models.Index(fields=("project", "workflow", "-id"), name="trace_workflow"),
            models.Index(fields=("project", "session", "-id"), name="trace_session"),
            # The broom that finds unfinished work after a crash.
            models.Index(
                fields=("updated_at",),
                name="trace_behind",
                condition=models.Q(digested_revision__lt=F("revision")),
            ),
        )

    def __str__(self) -> str:
        return self.name or self.trace_id


class Scope(models.Model):
    """A resource with an instrumentation scope, stored once a project."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    digest = models.CharField(max_length=32)
    name = models.CharField(max_length=200, blank=True)
    payload = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project", "digest"), name="scope_once_per_project"
            ),
        )

    def __str__(self) -> str:
        return self.name or self.digest


class Span(models.Model):
    """One span. What one filters by is a column; the rest is compressed."""

    trace = models.ForeignKey(
        Trace, on_delete=models.CASCADE, related_name="spans", db_index=False
    )
    span_id = models.CharField(max_length=128)
    parent_id = models.CharField(max_length=128, blank=True)
    name = models.CharField(max_length=200, blank=True)
    kind = models.SmallIntegerField(default=0)
    status = models.SmallIntegerField(default=0)
    start_ns = models.BigIntegerField(null=True)
    end_ns = models.BigIntegerField(null=True)
    position = models.IntegerField(null=True)
    # Scopes go with their project only; a checked key would cost every insert.
    scope = models.ForeignKey(
        Scope,
        null=True,
        on_delete=models.DO_NOTHING,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    digest = models.BinaryField(max_length=8)
    payload = models.BinaryField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("trace", "span_id"), name="span_once_per_trace"
            ),
        )

    def __str__(self) -> str:
        return self.name or self.span_id


class IngestReject(models.Model):
    """Something that was refused, with its place and the reason."""

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="rejects"
    )
    at = models.DateTimeField()
    source = models.CharField(max_length=200)
    level = models.CharField(max_length=16)
    code = models.CharField(max_length=64)
    place = models.CharField(max_length=300)
    reason = models.CharField(max_length=500)
    trace_id = models.CharField(max_length=128, blank=True)
    span_id = models.CharField(max_length=128, blank=True)

    class Meta:
        ordering = ("-at", "-pk")
        indexes = (models.Index(fields=("project", "-at"), name="reject_by_time"),)

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}"


class ReferenceLabel(models.Model):
    """A label that came with imported data. No judge ever sees it."""

    trace = models.ForeignKey(
        Trace, on_delete=models.CASCADE, related_name="reference_labels"
    )
    span_id = models.CharField(max_length=128, blank=True)
    kind = models.CharField(max_length=16)
    value = models.CharField(max_length=300)
    source = models.CharField(max_length=64)
    note = models.TextField(blank=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.kind}: {self.value}"
