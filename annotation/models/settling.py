"""What was agreed about a step that people judged differently."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.models.campaign import Item
from judging.models import TaxonomyVersion


class Consensus(models.Model):
    """The settled answer; the labels it settles stay as they are.

    Attributes:
        revision: 1 for the first; the highest counts.
        cause: Why people differed.
        labels: Primary keys of the labels that were on the table.
        guideline_gap: The guidelines don't settle this case.
    """

    class Cause(models.TextChoices):
        SLIP = "slip", "A slip"
        GUIDELINES = "guidelines", "The guidelines are unclear"
        TAXONOMY = "taxonomy", "The categories overlap or lack one"
        CONTEXT = "context", "Context was missing"
        JUDGEMENT = "judgement", "A real difference of judgement"

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="consensus")
    revision = models.SmallIntegerField(default=1)
    is_current = models.BooleanField(default=True)
    score = models.FloatField(null=True)
    metrics = models.JSONField(default=dict)
    category = models.CharField(max_length=64, blank=True)
    taxonomy_version = models.ForeignKey(TaxonomyVersion, on_delete=models.PROTECT)
    is_root = models.BooleanField(default=False)
    cause = models.CharField(max_length=12, choices=Cause)
    note = models.TextField(blank=True)
    confidence = models.SmallIntegerField(null=True)
    guideline_gap = models.BooleanField(default=False)
    labels = models.JSONField(default=list)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    decided_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("item", "revision"), name="consensus_revision_once"
            ),
            models.UniqueConstraint(
                fields=("item",),
                condition=models.Q(is_current=True),
                name="consensus_current_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.score} for {self.item}"
