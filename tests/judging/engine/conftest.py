"""A project, traces in it, and engines that work on them."""

from dataclasses import replace

import pytest

from judging.services.digesting import digest_trace
from judging.services.engine.loop import Engine
from judging.services.engine.network import Network
from judging.services.profiles import save_profile
from tests.judging.engine.fakes import NOW, SPANS, Clock, FakeDesk
from traces.domain.records import TraceRecord
from traces.models import Project, Trace
from traces.services.imports import store_trace_record


@pytest.fixture
def project():
    return Project.objects.create(slug="shop", name="Shop", created_at=NOW)


@pytest.fixture
def make_trace(project):
    def make(trace_id="t"):
        spans = tuple(replace(s, trace_id=trace_id) for s in SPANS)
        record = TraceRecord(trace_id, spans)
        store_trace_record(project=project, record=record, source="test", now=NOW)
        trace = Trace.objects.get(trace_id=trace_id)
        digest_trace(trace=trace, now=NOW)
        return Trace.objects.get(pk=trace.pk)

    return make


@pytest.fixture
def version(project):
    content = {"judge": "model", "tiers": [{"model": "small"}]}
    return save_profile(
        project=project, slug="m", name="M", content=content, actor=None, now=NOW
    )


@pytest.fixture
def network():
    made = Network()
    yield made
    made.close()


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def engine(network, clock):
    def make(ask, lease="one", **more):
        desk = ask if isinstance(ask, FakeDesk) else FakeDesk(ask)
        return Engine(desk, network, clock, lease, **more)

    return make
