"""A project with tokens, and a way to send it spans as SDKs do."""

from datetime import UTC, datetime

import pytest
from django.utils import timezone
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)

from traces.models import ApiToken, Project
from traces.services.tokens import issue_token
from traces.services.writer import WRITER

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
TRACE = bytes.fromhex("0af7651916cd43dd8448eb211c80319c")
PROTOBUF, JSON = "application/x-protobuf", "application/json"


@pytest.fixture
def project(db):
    return Project.objects.create(slug="shop", name="Shop", created_at=NOW)


@pytest.fixture
def token(project):
    """The secret of a new token, by scope."""

    def make(scope=ApiToken.Scope.INGEST, **given):
        made = {"project": project, "name": "t", "actor": None, "now": timezone.now()}
        return issue_token(scope=scope, **(made | given))[1]

    return make


@pytest.fixture
def shop(transactional_db):
    """The project, where another thread has to see it."""
    made = Project.objects.create(slug="shop", name="Shop", created_at=NOW)
    yield made
    WRITER.stop()


def export(*numbers, trace_id=TRACE, **fields):
    """A request with one span a number."""
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    for number in numbers:
        span = spans.add(trace_id=trace_id, span_id=number.to_bytes(8, "big"))
        span.name = "chat"
        span.start_time_unix_nano, span.end_time_unix_nano = 1_000, 2_000
        for name, value in fields.items():
            setattr(span, name, value)
    return request
