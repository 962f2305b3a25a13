"""What operators ask, and unknown addresses."""

import pytest
from django.db import OperationalError

from agenteval_web import views


def test_alive(client):
    assert client.get("/healthz").json() == {"status": "ok"}


@pytest.mark.django_db
def test_ready(client):
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "ready")


@pytest.mark.django_db
def test_not_ready_without_database_or_queue(client, monkeypatch, settings):
    def broken():
        raise OperationalError

    monkeypatch.setattr(views.connection, "cursor", broken)
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["problems"] == [
        "database: OperationalError",
        "queue: ConnectionError",
    ]


@pytest.mark.redis
@pytest.mark.django_db
def test_ready_with_redis(client, settings, redis_url):
    settings.REDIS_URL = redis_url
    assert client.get("/readyz").status_code == 200


@pytest.mark.django_db
def test_numbers_for_prometheus(client):
    answer = client.get("/metrics")
    assert answer["Content-Type"].startswith("text/plain; version=0.0.4")
    assert "agenteval_spans 0.0" in answer.text
    assert "agenteval_traces_waiting 0.0" in answer.text


@pytest.mark.parametrize("path", ["/api/nothing", "/v1/nothing"])
def test_programs_get_a_problem_for_an_unknown_address(client, path):
    answer = client.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (
        404,
        "application/problem+json",
    )
    assert answer.json()["error"]["code"] == "not_found"


@pytest.mark.django_db
def test_people_get_a_page_for_an_unknown_address(client):
    answer = client.get("/nothing/")
    assert answer.status_code == 404
    assert answer["Content-Type"].startswith("text/html")


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/api/v1/x", "application/problem+json"), ("/p/x/", "text/html; charset=utf-8")],
)
def test_a_breakdown_is_told_to_programs_and_to_people(rf, path, kind):
    answer = views.server_error(rf.get(path))
    assert (answer.status_code, answer["Content-Type"]) == (500, kind)


def test_a_policy_keeps_foreign_scripts_and_styles_out(client):
    policy = client.get("/healthz")["Content-Security-Policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["form-action"] == "'self'"
    assert rules["frame-ancestors"] == rules["base-uri"] == "'none'"
