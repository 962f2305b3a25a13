"""Starting, pausing, cancelling and repeating evaluations by models."""

from datetime import UTC, datetime

import pytest

from judging.models import Batch, Evaluation, Profile, ProfileVersion, StepOutcome
from judging.services import evaluating
from judging.services.evaluating import NotPossibleError, Order
from traces.models import AuditEvent, Project, Trace

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return Project.objects.create(slug="shop", name="Shop", created_at=NOW)


@pytest.fixture
def version(project):
    return version_of(project, {"judge": "model"})


def version_of(project, content):
    profile = Profile.objects.create(project=project, slug=str(len(content)), name="P")
    return ProfileVersion.objects.create(
        profile=profile, number=1, content=content, digest="d", created_at=NOW
    )


def trace(project, name, **columns):
    return Trace.objects.create(
        project=project, trace_id=name, received_at=NOW, updated_at=NOW, **columns
    )


def start(project, version, traces, **order):
    return evaluating.start_batch(
        project=project,
        version=version,
        traces=traces,
        order=Order("All", **order),
        actor=None,
        now=NOW,
    )


def test_one_that_is_open_already_comes_back(project, version):
    one = trace(project, "a")
    first = evaluating.start_evaluation(trace=one, version=version, now=NOW)
    again = evaluating.start_evaluation(trace=one, version=version, now=NOW)
    assert (first.pk, first.state) == (again.pk, "pending")


@pytest.mark.parametrize("content", [{}, {"judge": "rules", "x": 1}])
def test_a_profile_of_checks_starts_nothing(project, content):
    version = version_of(project, content)
    with pytest.raises(NotPossibleError, match="asks no model"):
        start(project, version, [trace(project, "a")])


def test_a_judges_own_calls_are_left_out(project, version):
    own = trace(project, "own", judge_calls=True)
    with pytest.raises(NotPossibleError, match="own calls"):
        evaluating.start_evaluation(trace=own, version=version, now=NOW)
    batch = start(project, version, [own, trace(project, "a")], budget_usd=2.5)
    assert [e.trace.trace_id for e in batch.evaluations.all()] == ["a"]
    assert AuditEvent.objects.get().detail["budget"] == 2.5


def test_a_batch_without_traces_is_none(project, version):
    with pytest.raises(NotPossibleError, match="No trace"):
        start(project, version, [])
    assert not Batch.objects.exists()


def test_a_batch_pauses_goes_on_and_is_cancelled(project, version):
    batch = start(project, version, [trace(project, "a"), trace(project, "b")])
    states = []
    for turn in (
        evaluating.pause_batch,
        evaluating.resume_batch,
        evaluating.cancel_batch,
    ):
        turn(batch=batch, actor=None, now=NOW)
        batch.refresh_from_db()
        states.append((batch.state, batch.evaluations.first().state))
    assert states == [
        ("paused", "paused"),
        ("running", "pending"),
        ("cancelled", "cancelled"),
    ]
    with pytest.raises(NotPossibleError, match="not running"):
        evaluating.pause_batch(batch=batch, actor=None, now=NOW)


def test_only_what_had_no_answer_is_judged_again(project, version):
    batch = start(project, version, [trace(project, "a"), trace(project, "b")])
    with pytest.raises(NotPossibleError, match="not finished"):
        evaluating.retry_batch(batch=batch, actor=None, now=NOW)
    Batch.objects.update(state="done")
    Evaluation.objects.update(state="done")
    batch.refresh_from_db()
    first = batch.evaluations.get(trace__trace_id="a")
    StepOutcome.objects.create(
        evaluation=first, step_key="k", index=0, type="EXEC", state="unscored"
    )
    again = evaluating.retry_batch(batch=batch, actor=None, now=NOW)
    assert again.name == "All: again"
    assert [e.trace.trace_id for e in again.evaluations.all()] == ["a"]
