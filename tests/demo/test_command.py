"""``manage.py demo`` loads the project once, and again after ``--reset``."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from agenteval_web.demo import schemas
from agenteval_web.management.commands import demo as command
from traces.models import Project, ReferenceLabel, Span, Trace, WorkflowSchema

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def few(monkeypatch, demo):
    """Ten short traces in place of all, so that the database has little to do."""
    short = [trace for trace in demo.values() if len(trace.record.spans) < 20][:10]
    monkeypatch.setattr(command, "build_demo", lambda *, now: tuple(short))
    return short


def load(*arguments):
    out = StringIO()
    call_command("demo", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_stores_and_judges_every_trace(few):
    lines = load()
    project = Project.objects.get(slug="demo")
    traces = Trace.objects.filter(project=project)
    assert lines == ["Stored 10 traces, 0 were there.", "Judged 10 of 10 traces."]
    assert project.is_demo
    assert set(traces.values_list("digest_state", flat=True)) == {"done"}
    assert Span.objects.count() == sum(len(trace.record.spans) for trace in few)
    labels = sum(len(trace.record.labels) for trace in few)
    assert ReferenceLabel.objects.count() == labels


def test_stores_one_schema_a_workflow():
    load()
    rows = WorkflowSchema.objects.order_by("workflow").values_list(
        "workflow", "content"
    )
    expected = sorted((schema["workflow"], schema) for schema in schemas())
    assert list(rows) == expected


def test_second_run_changes_nothing():
    load()
    before = list(Trace.objects.order_by("pk").values())
    assert load() == ["Stored 0 traces, 10 were there."]
    assert list(Trace.objects.order_by("pk").values()) == before
    assert WorkflowSchema.objects.count() == 3


def test_interrupted_load_is_completed():
    load()
    Trace.objects.order_by("pk").first().delete()
    assert load()[0] == "Stored 1 traces, 9 were there."


def test_changed_schema_becomes_a_new_version(monkeypatch):
    load()
    changed = [{**schemas()[0], "edges": []}]
    monkeypatch.setattr(command, "schemas", lambda: changed)
    load()
    rows = WorkflowSchema.objects.filter(workflow=changed[0]["workflow"])
    assert list(rows.values_list("number", flat=True)) == [2, 1]


def test_reset_begins_afresh():
    load()
    first = Project.objects.get(slug="demo").pk
    assert load("--reset")[0] == "Deleted the demo project."
    assert Project.objects.get(slug="demo").pk != first
    assert Trace.objects.count() == 10


def test_reset_without_demo_loads_it():
    assert load("--reset")[0] == "Stored 10 traces, 0 were there."


def test_local_administrator_becomes_a_member():
    load()
    admin = User.objects.create_superuser("local")
    load()
    member = Project.objects.get(slug="demo").memberships.get()
    assert (member.user, member.role) == (admin, "admin")


def test_administrator_of_the_start_owns_the_project():
    admin = User.objects.create_superuser("local")
    load()
    assert Project.objects.get(slug="demo").memberships.get().user == admin
