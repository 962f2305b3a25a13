"""Send spans as a stranger would, then open every address that shows them."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.urls import reverse

from judging.services.digesting import digest_batch
from traces.importers import otlp
from traces.models import Project, Trace
from traces.services.ingest import store_spans

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)
START = 1_750_000_000_000_000_000
TRACE = "0af7651916cd43dd8448eb211c80319c"
VIEWS = ("graph", "timeline", "spans", "notes")
PARTS = ("trace-diagnosis", "trace-outline", "trace-drawing", "trace-svg")


@pytest.fixture
def project(db):
    return Project.objects.create(slug="shop", name="Shop", created_at=NOW)


@pytest.fixture
def reader(client, project):
    """A client signed in as somebody who sees everything."""
    user = User.objects.create_user("reader", password="pw")
    User.objects.filter(pk=user.pk).update(is_superuser=True)
    client.force_login(user)
    return client


@pytest.fixture
def take(project):
    """Store the spans of an OTLP/JSON body (text or object); what was refused."""

    def taken(body):
        text = body if isinstance(body, (str, bytes)) else json.dumps(body)
        data = text.encode() if isinstance(text, str) else text
        limit = settings.AGENTEVAL_MAX_ATTRIBUTE
        decoded = otlp.decode_json(data, otlp.Bounds(attribute=limit))
        store_spans(project_id=project.pk, spans=decoded.spans, source="otlp", now=NOW)
        return decoded

    return taken


@pytest.fixture
def opened(reader):
    """Digest what waits, open a trace everywhere; its graph as the API gives it."""

    def graph(trace_id=TRACE):
        while digest_batch(now=LATER, quiet_before=LATER).done:
            pass
        trace = Trace.objects.get(trace_id=trace_id)
        assert (trace.digest_state, trace.digest_error) == ("done", "")
        open_pages(reader, trace_id)
        return open_api(reader, trace_id)

    return graph


def open_pages(reader, trace_id):
    address = {"project": "shop", "trace_id": trace_id}
    for view in VIEWS:
        answer = reader.get(reverse("trace", kwargs=address), {"view": view})
        assert answer.status_code == 200, view
        assert b"<script>alert" not in answer.content
    for part in PARTS:
        answer = reader.get(reverse(part, kwargs=address))
        assert answer.status_code == 200, part
        if part != "trace-svg":
            strict(answer.content)
    assert reader.get(reverse("traces", args=["shop"])).status_code == 200


def open_api(reader, trace_id):
    asked = {"project": "shop"}
    strict(reader.get(reverse("api-trace", args=[trace_id]), asked).content)
    strict(reader.get(reverse("api-traces"), asked).content)
    answer = reader.get(reverse("api-trace-graph", args=[trace_id]), asked)
    assert answer.status_code == 200
    graph = strict(answer.content)
    for step in graph["steps"][:20]:
        answer = reader.get(reverse("api-step", args=[step["id"]]), asked)
        assert answer.status_code == 200
        strict(answer.content)
    return graph


def strict(content):
    """JSON that every reader takes: without NaN and Infinity."""
    return json.loads(content, parse_constant=pytest.fail)


def span(number, parent=0, *, start=0, lasts=10, links=(), fields=None, **said):
    """A span of OTLP/JSON; times in milliseconds, ``__`` in names is a dot."""
    began = START + start * 1_000_000
    made = {
        "traceId": TRACE,
        "spanId": f"{number:016x}",
        "name": f"span {number}",
        "kind": 1,
        "startTimeUnixNano": str(began),
        "endTimeUnixNano": str(began + lasts * 1_000_000),
        "attributes": [pair(key, value) for key, value in said.items()],
        "links": [{"traceId": TRACE, "spanId": f"{other:016x}"} for other in links],
    }
    if parent:
        made["parentSpanId"] = f"{parent:016x}"
    made.update(fields or {})
    return {key: value for key, value in made.items() if value is not None}


def pair(key, value):
    kinds = {bool: "boolValue", int: "intValue", float: "doubleValue"}
    if not isinstance(value, dict):
        value = {kinds.get(type(value), "stringValue"): value}
    return {"key": key.replace("__", "."), "value": value}


def agent(number, parent=0, **more):
    return span(number, parent, openinference__span__kind="AGENT", **more)


def tool(number, parent=0, *, result="done", **more):
    said = {"openinference__span__kind": "TOOL", "tool__name": f"tool_{number}"}
    return span(number, parent, **(said | {"output__value": result} | more))


def llm(number, parent=0, *, text="an answer", **more):
    said = {"openinference__span__kind": "LLM", "output__value": text}
    return span(number, parent, **(said | more))


def request(*spans):
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def named(graph):
    """Span number by step key."""
    return {step["id"]: int(step["span"], 16) for step in graph["steps"]}


def parents(graph, number):
    """Span numbers that the steps of a span depend on."""
    names = named(graph)
    return sorted(
        names[edge["source"]]
        for edge in graph["edges"]
        if names[edge["target"]] == number
    )


def kinds(graph):
    return [repair["kind"] for repair in graph["repairs"]]
