"""Several people, senders and workers at once: one is told, none is hurt."""

import io
import json
import logging
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from judging.services.digesting import digest_batch
from judging.services.packing import work
from tests.cases.conftest import LATER, TRACE, agent, request, tool
from traces.models import ApiToken, Project, Span, Step, Trace
from traces.services import imports
from traces.services.deletion import delete_traces
from traces.services.imports import import_file
from traces.services.projects import create_project
from traces.services.tokens import issue_token
from traces.services.writer import WRITER

LINE = json.dumps(request(agent(1), tool(2, 1, start=1))).encode()


@pytest.fixture
def shop(transactional_db):
    """A project that other threads see, and a secret of it."""
    now = timezone.now()
    made = create_project(name="Shop", slug="shop", actor=None, now=now)
    admin = ApiToken.Scope.ADMIN
    secret = issue_token(project=made, name="t", scope=admin, actor=None, now=now)[1]
    yield made, secret
    WRITER.stop()


def send(client, secret, url, body=LINE):
    headers = {"Authorization": f"Bearer {secret}"}
    return client.post(url, body, "application/json", headers=headers)


def test_spans_for_a_project_deleted_a_moment_ago_are_refused_as_unknown(
    client, shop, caplog
):
    project, secret = shop
    assert send(client, secret, "/v1/traces").status_code == 200
    Trace.objects.all().delete()
    Project.objects.filter(pk=project.pk).delete()
    with caplog.at_level(logging.CRITICAL):
        answers = [send(client, secret, "/v1/traces") for _turn in range(2)]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert "unknown" in answers[0].json()["message"]


def test_a_file_for_a_project_deleted_meanwhile_finds_no_project(
    client, shop, monkeypatch
):
    _project, secret = shop
    store = imports._store_one

    def deleted_first(project, *given):
        Project.objects.filter(pk=project.pk).delete()
        store(project, *given)

    monkeypatch.setattr(imports, "_store_one", deleted_first)
    assert send(client, secret, "/api/v1/traces/import").status_code == 404


def test_a_trace_deleted_while_it_is_digested_stays_away(take):
    take(request(agent(1), tool(2, 1)))

    def deletes(traces):
        Trace.objects.all().delete()
        return work(traces)

    digest_batch(now=LATER, quiet_before=LATER, worker=deletes)
    assert not Trace.objects.exists()
    assert not Step.objects.exists()


def test_spans_that_come_while_a_trace_is_digested_make_it_wait_again(take, opened):
    take(request(agent(1), tool(2, 1)))

    def meanwhile(traces):
        take(request(tool(3, 1, start=30)))
        return work(traces)

    digest_batch(now=LATER, quiet_before=LATER, worker=meanwhile)
    assert {step["span"] for step in opened()["steps"]} == {
        f"{number:016x}" for number in (2, 3)
    }


def test_deleting_twice_deletes_once(take, project):
    take(request(agent(1), tool(2, 1)))
    pks = list(Trace.objects.values_list("pk", flat=True))
    done = [
        delete_traces(project=project, traces=pks, actor=None, now=LATER)
        for _turn in range(2)
    ]
    project.refresh_from_db()
    assert done == [1, 0]
    assert (project.trace_count, project.span_count) == (0, 0)


def test_a_deleted_trace_that_is_sent_again_is_new(take, project, opened):
    take(request(agent(1), tool(2, 1)))
    opened()
    pks = list(Trace.objects.values_list("pk", flat=True))
    delete_traces(project=project, traces=pks, actor=None, now=LATER)
    take(request(agent(1), tool(2, 1)))
    assert len(opened()["steps"]) == 1
    project.refresh_from_db()
    assert (project.trace_count, project.span_count, project.step_count) == (1, 2, 1)


def test_an_open_page_of_a_trace_that_went_is_a_404_everywhere(take, opened, reader):
    take(request(agent(1), tool(2, 1)))
    step = opened()["steps"][0]["id"]
    Trace.objects.all().delete()
    address = {"project": "shop", "trace_id": TRACE}
    for name in ("trace", "trace-diagnosis", "trace-outline", "trace-svg"):
        assert reader.get(reverse(name, kwargs=address)).status_code == 404, name
    for name, key in (("api-trace", TRACE), ("api-step", step)):
        answer = reader.get(reverse(name, args=[key]), {"project": "shop"})
        assert answer.status_code == 404, name


def test_the_same_file_from_several_people_is_stored_once(shop):
    project, _secret = shop

    def upload(person):
        file = {"name": f"{person}.json", "format": "auto", "now": LATER}
        try:
            return import_file(project=project, stream=io.BytesIO(LINE), **file)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as people:
        reports = list(people.map(upload, range(4)))
    project.refresh_from_db()
    assert sorted(report.imported for report in reports) == [0, 0, 0, 1]
    assert (Span.objects.count(), project.span_count, project.trace_count) == (2, 2, 1)
