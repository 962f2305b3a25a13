"""Projects, the people and programs that may use them, and what they did."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class Project(models.Model):
    """What traces, people and settings belong to."""

    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    created_at = models.DateTimeField()
    is_demo = models.BooleanField(default=False)
    # Kept by the services that add and delete, so that no page counts rows.
    trace_count = models.BigIntegerField(default=0)
    span_count = models.BigIntegerField(default=0)
    step_count = models.BigIntegerField(default=0)
    reject_count = models.BigIntegerField(default=0)

    class Meta:
        ordering = ("name", "pk")

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's role in a project."""

    class Role(models.TextChoices):
        VIEWER = "viewer", "Viewer"
        ENGINEER = "engineer", "Engineer"
        EXPERT = "expert", "Expert"
        STEWARD = "steward", "Steward"
        ADMIN = "admin", "Admin"

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="memberships"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=16, choices=Role)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project", "user"), name="membership_once_per_project"
            ),
        )

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.project}"


class ApiToken(models.Model):
    """A program's key to one project. Only its digest is stored."""

    class Scope(models.TextChoices):
        INGEST = "ingest", "Send traces"
        READ = "read", "Read"
        GATE = "gate", "Run the regression gate"
        ADMIN = "admin", "Everything"

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="tokens"
    )
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=16, choices=Scope)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class SignInLink(models.Model):
    """A link that signs one person in, once, within its time."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"Sign-in link of {self.user}"


class AuditEvent(models.Model):
    """Who did what, when and why. Rows are only ever added."""

    project = models.ForeignKey(
        Project, null=True, on_delete=models.CASCADE, related_name="audit_events"
    )
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL
    )
    actor_name = models.CharField(max_length=200)
    verb = models.CharField(max_length=64)
    target = models.CharField(max_length=200)
    detail = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        ordering = ("-at", "-pk")
        indexes = (models.Index(fields=("project", "-at"), name="audit_by_time"),)

    def __str__(self) -> str:
        return f"{self.actor_name} {self.verb} {self.target}"
