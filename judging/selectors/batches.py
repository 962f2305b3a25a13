"""Batches of evaluations, within a project that was already fetched."""

from __future__ import annotations

from judging.models import Batch
from traces.models import Project


def batch_in(project: Project, pk: int) -> Batch | None:
    """A batch of a project, None if it isn't one of its."""
    return Batch.objects.filter(project=project, pk=pk).first()
