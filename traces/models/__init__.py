"""Rows of the first two stages: who owns what, what came in, what it became."""

from traces.models.derived import Step, TraceGraph, WorkflowSchema
from traces.models.received import IngestReject, ReferenceLabel, Scope, Span, Trace
from traces.models.saved import SavedView
from traces.models.tenancy import (
    ApiToken,
    AuditEvent,
    Membership,
    Project,
    SignInLink,
)

__all__ = [
    "ApiToken",
    "AuditEvent",
    "IngestReject",
    "Membership",
    "Project",
    "ReferenceLabel",
    "SavedView",
    "Scope",
    "SignInLink",
    "Span",
    "Step",
    "Trace",
    "TraceGraph",
    "WorkflowSchema",
]
