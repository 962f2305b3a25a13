"""What people keep for themselves."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from traces.models.tenancy import Project


class SavedView(models.Model):
    """Filters, order and columns of the trace list under a name, for one person.

    Attributes:
        query: Query string of the list's address, without a place in the list.
    """

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="saved_views"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views"
    )
    name = models.CharField(max_length=100)
    query = models.TextField(blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("user", "project", "name"), name="saved_view_once"
            ),
        )
        ordering = ("name", "pk")

    def __str__(self) -> str:
        return self.name
