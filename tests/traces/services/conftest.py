"""A project, and spans to put into it."""

from datetime import UTC, datetime

import pytest

from traces.domain.records import SpanRecord
from traces.models import Project, Span, Trace
from traces.services.blobs import record_of, scope_of
from traces.services.ingest import store_spans

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
TRACE = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture
def project(db):
    return Project.objects.create(slug="shop", name="Shop", created_at=NOW)


@pytest.fixture
def store(project):
    """Store spans in the project."""

    def call(*spans, now=NOW):
        return store_spans(project_id=project.pk, spans=spans, source="otlp", now=now)

    return call


def span(number, trace_id=TRACE, **given):
    fields = {"name": "chat", "start_ns": 1_000, "end_ns": 2_000} | given
    return SpanRecord(trace_id, f"{number:016x}", **fields)


def stored(project, trace_id=TRACE):
    """The spans of a trace as they are read back."""
    trace = Trace.objects.get(project=project, trace_id=trace_id)
    rows = Span.objects.filter(trace=trace).select_related("scope").order_by("span_id")
    return [record_of(row, trace_id, scope_of(row.scope.payload)) for row in rows]
