"""Judged graphs and steps over HTTP: what they hold and who gets them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.urls import reverse

from judging.services.digesting import digest_trace
from tests.judging.test_digest import spans
from traces.domain.records import ReferenceLabel, TraceRecord
from traces.models import ApiToken, Project, Trace
from traces.services.imports import store_trace_record
from traces.services.tokens import issue_token

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
ID = "t" * 32

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return Project.objects.create(slug="shop", name="Shop", created_at=NOW)


@pytest.fixture
def trace(project):
    label = ReferenceLabel("root_step", "PARAMGEN", "test", "a")
    record = TraceRecord(ID, spans(), labels=(label,))
    store_trace_record(project=project, record=record, source="test", now=NOW)
    found = Trace.objects.get()
    digest_trace(trace=found, now=NOW)
    found.refresh_from_db()
    return found


@pytest.fixture
def get(client, project):
    def fetch(url, scope=ApiToken.Scope.READ, owner=project):
        _, raw = issue_token(project=owner, name="t", scope=scope, actor=None, now=NOW)
        return client.get(url, headers={"Authorization": f"Bearer {raw}"})

    return fetch


def test_the_graph_has_every_field_of_the_interface(get, trace):
    found = get(f"/api/v1/traces/{ID}/graph").json()
    assert found["trace"] == ID
    assert found["structure"] == "inferred"
    assert set(found) >= {
        "repairs",
        "conformance",
        "steps",
        "edges",
        "attribution",
        "score",
    }
    step = next(one for one in found["steps"] if one["role"] == "root")
    assert (step["type"], step["state"], step["failed"]) == ("PARAMGEN", "scored", True)
    assert step["category"]["path"] == ["Execution", "Parameter errors", "Value error"]
    assert found["attribution"]["primary_root"] == step["id"]
    assert found["score"]["bound"] == "upper"
    states = {one["state"] for one in found["steps"]}
    assert states == {"scored", "no_finding", "boundary"}


def test_paths_lead_from_the_root_to_the_failure(get, trace):
    found = get(f"/api/v1/traces/{ID}/graph").json()["attribution"]
    assert all(
        path[0] in found["roots"] and path[-1] == key
        for key, path in found["paths"].items()
    )


@pytest.mark.parametrize(
    "query", ["strategy=guess", "shift=9", "shift=x", "scores=mine"]
)
def test_wrong_parameters_are_named(get, trace, query):
    response = get(f"/api/v1/traces/{ID}/graph?{query}")
    assert response.status_code == 400
    assert response.json()["error"]["message"]


def test_a_shift_moves_failures(get, trace):
    lenient = get(f"/api/v1/traces/{ID}/graph?shift=-2").json()["score"]["failed"]
    strict = get(f"/api/v1/traces/{ID}/graph?shift=2").json()["score"]["failed"]
    assert lenient < 3 <= strict


def test_a_step_has_content_findings_and_labels(get, trace):
    graph = get(f"/api/v1/traces/{ID}/graph").json()
    root = graph["attribution"]["primary_root"]
    step = get(f"/api/v1/steps/{root}").json()
    assert step["output"] == {"id": "TB-99999"}
    assert step["findings"][0]["evidence"][0]["text"] == "TB-99999"
    assert step["labels"] == [
        {"kind": "root_step", "value": "PARAMGEN", "source": "test", "note": ""}
    ]
    assert {one["strategy"] for one in step["opinions"]} >= {"greedy_lowest_parent"}


def test_others_get_nothing(client, get, trace):
    other = Project.objects.create(slug="other", name="Other", created_at=NOW)
    for url in (f"/api/v1/traces/{ID}/graph", f"/api/v1/steps/{trace.root_step}"):
        assert client.get(url).status_code in {401, 403}
        assert get(url, owner=other).status_code == 404
        assert get(url, scope=ApiToken.Scope.INGEST).status_code == 403


def test_before_the_digest_there_is_no_graph(get, project):
    record = TraceRecord(ID, spans())
    store_trace_record(project=project, record=record, source="test", now=NOW)
    assert get(f"/api/v1/traces/{ID}/graph").status_code == 404


def test_an_id_with_a_slash_can_be_opened(get, project):
    odd = [replace(span, trace_id="run/7") for span in spans()]
    record = TraceRecord("run/7", tuple(odd))
    store_trace_record(project=project, record=record, source="test", now=NOW)
    digest_trace(trace=Trace.objects.get(), now=NOW)
    url = reverse("api-trace-graph", args=["run/7"])
    assert get(url).json()["trace"] == "run/7"
