"""What the digest makes of the spans; all of it can be made again."""

from __future__ import annotations

from django.db import models

from traces.models.received import Trace
from traces.models.tenancy import Project


class TraceGraph(models.Model):
    """The evaluation graph of a trace, compressed.

    One row a trace keeps opening 5,000 steps a matter of one read. ``payload``
    is what ``traces.domain.graph.codec`` encodes and ``traces.services.blobs``
    packs: steps, edges, groups, repairs, conformance.
    """

    trace = models.OneToOneField(
        Trace, on_delete=models.CASCADE, related_name="graph", primary_key=True
    )
    revision = models.IntegerField()
    version = models.IntegerField()
    digest = models.CharField(max_length=32)
    payload = models.BinaryField()

    def __str__(self) -> str:
        return f"Graph of {self.trace_id}"


class Step(models.Model):
    """One step, as a row that statistics and campaigns can ask for."""

    trace = models.ForeignKey(
        Trace, on_delete=models.CASCADE, related_name="steps", db_index=False
    )
    key = models.CharField(max_length=16, db_index=True)
    index = models.IntegerField()
    type = models.CharField(max_length=32)
    name = models.CharField(max_length=120)
    agent = models.CharField(max_length=100, blank=True)
    tool = models.CharField(max_length=100, blank=True)
    span_id = models.CharField(max_length=128)
    part = models.CharField(max_length=32)
    error = models.BooleanField(default=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("trace", "key"), name="step_once"),
        )
        ordering = ("index",)

    def __str__(self) -> str:
        return f"{self.index} {self.type} {self.name}"


class WorkflowSchema(models.Model):
    """A version of a workflow's declared graph."""

    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, related_name="workflow_schemas"
    )
    workflow = models.CharField(max_length=100)
    number = models.IntegerField()
    content = models.JSONField()
    digest = models.CharField(max_length=32)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("project", "workflow", "number"), name="schema_version_once"
            ),
        )
        ordering = ("workflow", "-number")

    def __str__(self) -> str:
        return f"{self.workflow} v{self.number}"
