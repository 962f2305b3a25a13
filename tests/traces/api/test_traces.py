from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework.exceptions import ValidationError

from tests.traces.api.conftest import NOW
from traces.api import TraceDetailOut, TraceOut
from traces.domain.records import SpanRecord, TraceRecord
from traces.importers.agenteval import write
from traces.models import Membership, Project, Step, Trace
from traces.selectors import (
    project_for,
    project_of,
    projects_for,
    role_in,
    step_for,
    trace_for,
)
from traces.services.ingest import store_spans
from traces.services.tokens import authenticate


@pytest.fixture
def other(db):
    return Project.objects.create(slug="other", name="Other", created_at=NOW)


@pytest.fixture
def get(client, token):
    """Read with a token of a scope."""
    secrets = {}

    def call(url, scope="read"):
        secrets[scope] = secrets.get(scope) or token(scope)
        return client.get(url, headers={"authorization": f"Bearer {secrets[scope]}"})

    return call


@pytest.fixture
def make(project):
    """Make traces, each a second newer than the one before."""

    def call(count, **columns):
        have = Trace.objects.count()
        return [
            Trace.objects.create(
                project=project,
                trace_id=f"{number:032x}",
                received_at=NOW + timedelta(seconds=number),
                updated_at=NOW,
                **columns,
            )
            for number in range(have, have + count)
        ]

    return call


def ids(response):
    assert response.status_code == 200, response.content
    return [int(row["id"], 16) for row in response.json()["results"]]


def person(name, project=None, role="viewer"):
    user = User.objects.create_user(name)
    if project:
        Membership.objects.create(project=project, user=user, role=role, created_at=NOW)
    return user


def test_stats(get, project):
    spans = [SpanRecord("t", str(n)) for n in range(3)]
    store_spans(project_id=project.pk, spans=spans, source="otlp", now=NOW)
    url = "/api/v1/projects/shop/stats"
    assert get(url).json() == {"traces": 1, "spans": 3, "steps": 0}
    assert get(url, "ingest").status_code == 200


def test_stats_of_another_project_are_not_there(get, other):
    assert get("/api/v1/projects/other/stats").status_code == 404


def test_newest_first_in_pages(get, make):
    make(5)
    first = get("/api/v1/traces?limit=2")
    second = get(first.json()["next"])
    third = get(second.json()["next"])
    assert [ids(page) for page in (first, second, third)] == [[4, 3], [2, 1], [0]]
    assert third.json()["next"] is None


def test_a_page_that_is_just_full_is_the_last(get, make):
    make(2)
    assert get("/api/v1/traces?limit=2").json()["next"] is None


def test_pages_larger_than_the_list_of_the_site(get, make):
    make(120)
    page = get("/api/v1/traces?limit=110")
    assert ids(page) == list(range(119, 9, -1))
    assert ids(get(page.json()["next"])) == list(range(9, -1, -1))


def test_new_traces_move_no_page(get, make):
    make(4)
    first = get("/api/v1/traces?limit=2")
    make(2)
    assert ids(get(first.json()["next"])) == [1, 0]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("workflow=refund desk", [0]),
        ('workflow=refund "desk', []),
        ("failed=yes", [0]),
        ("q=failed:no", [1]),
        ("q=score:<3&failed=>1", [0]),
        ("tag=vip", [0]),
        ("session=none", []),
    ],
)
def test_filters(get, make, query, found):
    make(1, workflow="refund desk", failed_count=2, score=2.0, tags=["vip"])
    make(1, workflow="other", failed_count=0, score=5.0)
    assert ids(get(f"/api/v1/traces?{query}")) == found


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("limit=0", "limit"),
        ("limit=1001", "limit"),
        ("limit=²", "limit"),
        ("cursor=x", "cursor"),
        ("q=score:abc", "q"),
        ("structure=round", "q"),
    ],
)
def test_what_makes_no_sense_is_named(get, project, query, field):
    response = get(f"/api/v1/traces?{query}")
    assert response.status_code == 400
    assert response.json()["error"]["details"][0]["field"].startswith(field)


def test_the_list_costs_the_same_at_any_length(get, make, django_assert_num_queries):
    make(60)
    get("/api/v1/traces")
    with django_assert_num_queries(2):
        assert len(ids(get("/api/v1/traces?limit=50"))) == 50


def test_one_trace(get, make, other):
    make(1, workflow="refund", attributes={"k": "v"}, root_category="value-error")
    found = get(f"/api/v1/traces/{0:032x}").json()
    assert (found["id"], found["workflow"]) == (f"{0:032x}", "refund")
    assert (found["attributes"], found["root_category"]) == ({"k": "v"}, "value-error")
    assert get("/api/v1/traces/unknown").status_code == 404
    Trace.objects.update(project=other)
    assert get(f"/api/v1/traces/{0:032x}").status_code == 404


def test_answers_have_the_documented_fields_and_values(get, make):
    (trace,) = make(1, score=2.5, duration_ms=7, tags=["vip"], started_at=NOW)
    (row,) = get("/api/v1/traces").json()["results"]
    assert row == TraceOut(trace).data
    assert get(f"/api/v1/traces/{0:032x}").json() == TraceDetailOut(trace).data
    assert (row["started_at"], row["duration_ms"]) == ("2026-03-04T12:00:00Z", 7)


@pytest.mark.parametrize("url", ["/api/v1/traces", f"/api/v1/traces/{0:032x}"])
def test_an_ingest_token_reads_nothing(get, make, url):
    make(1)
    assert get(url, "ingest").status_code == 403


@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer ae_wrong"}])
def test_nobody_reads_nothing(client, project, headers):
    response = client.get("/api/v1/traces", headers=headers)
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_people_read_their_own_projects(client, make, project, other):
    make(1)
    ada = person("ada", project)
    client.force_login(ada)
    assert ids(client.get("/api/v1/traces")) == [0]
    assert client.get("/api/v1/traces?project=other").status_code == 404
    Membership.objects.create(project=other, user=ada, role="viewer", created_at=NOW)
    response = client.get("/api/v1/traces")
    assert response.status_code == 400
    assert response.json()["error"]["details"][0]["field"] == "project"
    assert ids(client.get("/api/v1/traces?project=other")) == []


RUN = TraceRecord("run-1", (SpanRecord("run-1", "1", name="chat", position=0),))


def test_import_of_a_raw_body(client, token, project):
    headers = {"authorization": f"Bearer {token()}"}
    for outcome in ("imported", "unchanged"):
        response = client.post(
            "/api/v1/traces/import?format=auto&name=runs.jsonl",
            write(RUN),
            "application/x-ndjson",
            headers=headers,
        )
        assert response.status_code == 200, response.content
        assert (response.json()[outcome], response.json()["name"]) == (1, "runs.jsonl")


def test_import_of_a_form(client, project, tmp_path):
    path = tmp_path / "runs.jsonl"
    path.write_bytes(write(RUN) + b"{broken\n")
    client.force_login(person("ada", project, "engineer"))
    with path.open("rb") as file:
        response = client.post("/api/v1/traces/import", {"file": file})
    found = response.json()
    assert (found["imported"], found["rejected"], found["name"]) == (1, 1, "runs.jsonl")
    assert found["rejects"][0]["level"]


def test_a_form_without_a_file(client, token):
    headers = {"authorization": f"Bearer {token()}"}
    response = client.post("/api/v1/traces/import", {"a": "b"}, headers=headers)
    assert response.status_code == 400


def test_an_unknown_format_names_the_known(client, token):
    response = client.post(
        "/api/v1/traces/import?format=csv",
        b"x",
        "text/plain",
        headers={"authorization": f"Bearer {token()}"},
    )
    assert response.status_code == 400
    assert "openai_chat" in response.json()["error"]["message"]


@pytest.mark.parametrize("form", [True, False])
def test_a_file_too_large_names_limit_and_variable(
    client, token, settings, form, tmp_path
):
    settings.AGENTEVAL_MAX_BODY = 1_000
    headers = {"authorization": f"Bearer {token()}"}
    path = tmp_path / "big.json"
    path.write_bytes(b"[" + b" " * 1_000 + b"]")
    if form:
        with path.open("rb") as file:
            response = client.post(
                "/api/v1/traces/import", {"file": file}, headers=headers
            )
    else:
        response = client.post(
            "/api/v1/traces/import", path.read_bytes(), "text/plain", headers=headers
        )
    assert response.status_code == 413
    assert response.json()["error"]["message"] == (
        "The file is larger than 1,000 bytes (AGENTEVAL_MAX_BODY)."
    )


@pytest.mark.parametrize("role", ["viewer", "expert", "steward"])
def test_people_who_do_not_add_may_not_import(client, project, role):
    client.force_login(person("ada", project, role))
    response = client.post("/api/v1/traces/import", write(RUN), "text/plain")
    assert response.status_code == 403


def test_a_read_token_imports_nothing(client, token):
    response = client.post(
        "/api/v1/traces/import",
        write(RUN),
        "text/plain",
        headers={"authorization": f"Bearer {token('read')}"},
    )
    assert response.status_code == 403


def request_of(user=None, auth=None):
    return SimpleNamespace(user=user, auth=auth)


def test_who_sees_which_projects(project, other, token):
    ada, root = person("ada", project), person("root")
    User.objects.filter(pk=root.pk).update(is_superuser=True)
    root.refresh_from_db()
    program = authenticate(token(), NOW)
    assert list(projects_for(ada)) == [project]
    assert list(projects_for(root)) == [other, project]
    assert list(projects_for(program)) == [project]
    assert list(projects_for(AnonymousUser())) == []
    ada.is_active = False
    assert list(projects_for(ada)) == []
    assert project_for(root, "nowhere") is None


def test_roles(project, other):
    ada, root = person("ada", project, "expert"), person("root")
    root.is_superuser = True
    assert role_in(ada, project) is Membership.Role.EXPERT
    assert role_in(ada, other) is None
    assert role_in(root, other) is Membership.Role.ADMIN
    assert role_in(AnonymousUser(), project) is None


def test_reads_for_an_api_request(project, other, make, token):
    (trace,) = make(1)
    Step.objects.create(trace=trace, key="abc", index=0, type="PLAN", name="p")
    reader = request_of(auth=authenticate(token("read"), NOW))
    assert project_of(reader, None) == project
    assert trace_for(reader, "shop", trace.trace_id) == trace
    assert step_for(reader, None, "abc") == trace
    for call in (
        lambda: project_of(reader, "other"),
        lambda: trace_for(reader, None, "unknown"),
        lambda: step_for(reader, None, "unknown"),
    ):
        with pytest.raises(Http404):
            call()
    with pytest.raises(PermissionDenied):
        project_of(request_of(auth=authenticate(token("ingest"), NOW)), None)
    root = person("root")
    root.is_superuser = True
    with pytest.raises(ValidationError):
        project_of(request_of(user=root), None)
