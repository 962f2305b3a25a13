"""How steps are judged: versioned, never changed once made."""

from __future__ import annotations

from django.db import models

from traces.models import Project


class Profile(models.Model):
    """A named way of judging; its content lives in its versions."""

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="profiles"
    )
    slug = models.SlugField(max_length=64)
    name = models.CharField(max_length=100)
    is_default = models.BooleanField(default=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project", "slug"), name="profile_slug_once"
            ),
        )
        ordering = ("name", "pk")

    def __str__(self) -> str:
        return self.name


class ProfileVersion(models.Model):
    """Judges, metrics, thresholds, weights and strategy at one moment."""

    profile = models.ForeignKey(
        Profile, on_delete=models.CASCADE, related_name="versions"
    )
    number = models.IntegerField()
    content = models.JSONField()
    digest = models.CharField(max_length=32)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("profile", "number"), name="profile_version_once"
            ),
        )
        ordering = ("profile", "-number")

    def __str__(self) -> str:
        return f"{self.profile} v{self.number}"
