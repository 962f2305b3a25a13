"""A real exporter, pointed at a real server."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from judging.services.digesting import digest_trace
from traces.domain.graph.codec import decode
from traces.models import ApiToken, IngestReject, Project, Trace, TraceGraph
from traces.services.blobs import unpack
from traces.services.tokens import issue_token
from traces.services.writer import WRITER

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
def project(transactional_db):
    made = Project.objects.create(slug="shop", name="Shop", created_at=NOW)
    yield made
    WRITER.stop()


@pytest.fixture
def provider(project, live_server):
    """A tracer provider set up as docs/sending.md says."""
    _, raw = issue_token(
        project=project, name="t", scope=ApiToken.Scope.INGEST, actor=None, now=NOW
    )
    exporter = OTLPSpanExporter(
        endpoint=f"{live_server.url}/v1/traces",
        headers={"Authorization": f"Bearer {raw}"},
        compression=Compression.Gzip,
    )
    made = TracerProvider(resource=Resource.create({"service.name": "shop-agent"}))
    made.add_span_processor(BatchSpanProcessor(exporter))
    yield made
    made.shutdown()


@pytest.fixture
def arrived(provider, project):
    """Flush; the one trace that came in, digested, with its graph."""

    def read():
        provider.force_flush()
        trace = Trace.objects.get(project=project)
        assert not IngestReject.objects.exists()
        digest_trace(trace=trace, now=NOW)
        trace.refresh_from_db()
        graph, _ = decode(unpack(TraceGraph.objects.get(trace=trace).payload))
        return trace, graph

    return read


def kinds(graph):
    """(source type, target type, kind) of all edges."""
    types = {step.key: step.type for step in graph.steps}
    return {(types[e.source], types[e.target], str(e.kind)) for e in graph.edges}


def types(graph):
    return [step.type for step in graph.steps]
