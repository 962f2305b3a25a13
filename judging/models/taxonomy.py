"""The failure taxonomy as versioned data."""

from __future__ import annotations

from django.db import models

from traces.models import Project


class Taxonomy(models.Model):
    """The failure vocabulary of a project."""

    project = models.OneToOneField(
        Project, on_delete=models.CASCADE, related_name="taxonomy"
    )
    name = models.CharField(max_length=100)

    def __str__(self) -> str:
        return self.name


class TaxonomyVersion(models.Model):
    """One immutable state of the tree, named by number and digest."""

    taxonomy = models.ForeignKey(
        Taxonomy, on_delete=models.CASCADE, related_name="versions"
    )
    number = models.CharField(max_length=16)
    content = models.JSONField()
    digest = models.CharField(max_length=32)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("taxonomy", "number"), name="taxonomy_version_once"
            ),
        )
        ordering = ("taxonomy", "-created_at", "-pk")

    def __str__(self) -> str:
        return f"{self.taxonomy} {self.number}"
