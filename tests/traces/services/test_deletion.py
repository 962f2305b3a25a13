import pytest
from django.contrib.auth.models import User

from tests.traces.services.conftest import NOW, span
from traces.models import AuditEvent, Project, Span, Step, Trace
from traces.services import deletion
from traces.services.deletion import delete_traces


@pytest.fixture
def traces(store):
    """Three traces with three spans and a step each."""
    made = []
    for name in "abc":
        receipt = store(*(span(n, trace_id=name * 32) for n in range(1, 4)))
        made += receipt.traces
        Step.objects.create(
            trace_id=receipt.traces[0], key=name, index=0, type="PLAN", name="p"
        )
    Project.objects.update(step_count=3)
    return made


@pytest.fixture
def delete(project):
    ada = User.objects.create_user("ada")

    def call(*pks):
        return delete_traces(project=project, traces=pks, actor=ada, now=NOW)

    return call


def test_all_of_a_trace_goes_and_the_rest_stays(delete, traces, project):
    assert delete(*traces[:2]) == 2
    assert set(Span.objects.values_list("trace_id", flat=True)) == {traces[2]}
    assert Step.objects.count() == 1
    project.refresh_from_db()
    counts = (project.trace_count, project.span_count, project.step_count)
    assert counts == (1, 3, 1)


def test_who_deleted_what_is_logged(delete, traces):
    delete(traces[0])
    event = AuditEvent.objects.get()
    assert (event.actor_name, event.verb) == ("ada", "delete_traces")
    assert event.detail == {"traces": ["a" * 32], "spans": 3}


def test_gone_already_is_no_fault(delete, traces, project):
    delete(*traces)
    assert delete(*traces) == 0
    project.refresh_from_db()
    assert project.span_count == 0


def test_traces_of_another_project_stay(traces, project):
    other = Project.objects.create(slug="o", name="O", created_at=NOW)
    assert delete_traces(project=other, traces=traces, actor=None, now=NOW) == 0
    assert Trace.objects.count() == 3


@pytest.mark.parametrize(("name", "value"), [("BATCH_TRACES", 2), ("BATCH_SPANS", 6)])
def test_many_go_in_several_transactions(delete, traces, monkeypatch, name, value):
    monkeypatch.setattr(deletion, name, value)
    assert delete(*traces) == 3
    assert AuditEvent.objects.count() == 2


def test_a_deleted_trace_may_come_again(delete, traces, store, project):
    delete(*traces)
    assert store(span(1, trace_id="a" * 32)).stored == 1
    project.refresh_from_db()
    assert (project.trace_count, project.span_count) == (1, 1)
