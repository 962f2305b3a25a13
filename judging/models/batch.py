"""Many traces judged as one piece of work, and what judging costs."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from judging.models.profile import ProfileVersion
from traces.models import Project


class Batch(models.Model):
    """A set of traces to be judged under one profile version.

    Attributes:
        query: The list's filter that chose the traces.
        state: What people want of it; how far it is stands in its evaluations.
        estimate: Calls, tokens and dollars expected, as shown before the start.
        budget_usd: What it may cost; None for no limit. Steps that would go
            beyond it are unscored with the reason ``budget``.
    """

    class State(models.TextChoices):
        RUNNING = "running", "Running"
        PAUSED = "paused", "Paused"
        CANCELLED = "cancelled", "Cancelled"
        DONE = "done", "Done"

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="batches"
    )
    profile_version = models.ForeignKey(ProfileVersion, on_delete=models.PROTECT)
    name = models.CharField(max_length=200)
    query = models.TextField(blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.RUNNING)
    estimate = models.JSONField(default=dict)
    budget_usd = models.FloatField(null=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL
    )
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return self.name


class Spend(models.Model):
    """What judging cost a project in one day (UTC), counted as it happens."""

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="spending"
    )
    day = models.DateField()
    calls = models.IntegerField(default=0)
    cost_usd = models.FloatField(default=0)
    unpriced = models.IntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("project", "day"), name="spend_day_once"),
        )

    def __str__(self) -> str:
        return f"{self.project} {self.day}: ${self.cost_usd:.4f}"


class EndpointMemory(models.Model):
    """What an endpoint was found to accept, so that it is found out once.

    Attributes:
        mode: Best way of asking for structure that worked.
        dropped: Parameters it refuses.
    """

    base_url = models.CharField(max_length=300)
    model = models.CharField(max_length=100)
    mode = models.CharField(max_length=16)
    dropped = models.JSONField(default=list)
    updated_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("base_url", "model"), name="endpoint_memory_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.model} at {self.base_url}"


class JudgeKey(models.Model):
    """The secret for one endpoint, encrypted; only ever sent to that endpoint."""

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="judge_keys"
    )
    base_url = models.CharField(max_length=300)
    secret = models.BinaryField()
    hint = models.CharField(max_length=8)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project", "base_url"), name="judge_key_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.base_url} …{self.hint}"
