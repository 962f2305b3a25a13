"""The digest: what is stored of a trace, and that doing it again changes nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.forms.models import model_to_dict

from judging.models import Evaluation, Finding, StepOutcome
from judging.services.digesting import (
    count_waiting,
    digest_batch,
    digest_trace,
    mark_behind,
)
from judging.services.packing import Packed
from tests.traces.graph.spans import answered, llm, said, tool
from traces.domain.records import TraceRecord
from traces.models import Project, Step, Trace, TraceGraph
from traces.services.imports import store_trace_record

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
LATER = NOW + timedelta(minutes=1)

pytestmark = pytest.mark.django_db


def spans(order: str = "TB-99999"):
    return (
        llm("a", 1, 2, text="I cancel it.", calls=[("c", "cancel_order", {"id": order})],
            given=[said("user", "Cancel TB-48211")]),
        tool("b", 3, 4, run="cancel_order", call_id="c", arguments={"id": order},
             result="Error: order not found"),
        llm("d", 5, 6, text="I've cancelled your order.", given=[answered("c", "Error: order not found")]),
    )  # fmt: skip


@pytest.fixture
def trace():
    project = Project.objects.create(slug="shop", name="Shop", created_at=NOW)
    record = TraceRecord("t" * 32, spans())
    store_trace_record(project=project, record=record, source="test", now=NOW)
    return Trace.objects.get()


def test_a_stored_trace_waits_and_is_digested(trace):
    assert count_waiting(quiet_before=LATER) == 1
    progress = digest_batch(now=LATER, quiet_before=LATER)
    assert (progress.done, progress.failed) == (1, 0)
    assert count_waiting(quiet_before=LATER) == 0
    trace.refresh_from_db()
    assert trace.digest_state == Trace.DigestState.DONE
    assert trace.root_category == "value-error"
    assert trace.failed_count == 3
    assert trace.step_count == Step.objects.exclude(type="BOUNDARY").count()
    assert trace.project.step_count in {0, Step.objects.count()}


def test_a_trace_that_still_grows_is_left_alone(trace):
    before = NOW - timedelta(seconds=1)
    assert digest_batch(now=LATER, quiet_before=before).done == 0


def test_outcomes_name_root_and_source(trace):
    digest_trace(trace=trace, now=LATER)
    evaluation = Evaluation.objects.get()
    assert (evaluation.judge, evaluation.state) == ("rules", "done")
    roles = {o.type: o.role for o in StepOutcome.objects.filter(failed=True)}
    assert roles == {"PARAMGEN": "root", "EXEC": "propagated", "SYNTH": "propagated"}
    assert Finding.objects.filter(check_id__startswith="synth.").exists()


def test_again_adds_an_evaluation_and_changes_no_graph(trace):
    digest_trace(trace=trace, now=LATER)
    first = TraceGraph.objects.get().digest
    steps = list(Step.objects.values_list("key", flat=True))
    mark_behind(project=trace.project)
    digest_batch(now=LATER, quiet_before=LATER)
    assert TraceGraph.objects.get().digest == first
    assert list(Step.objects.values_list("key", flat=True)) == steps
    assert Evaluation.objects.count() == 2
    assert Evaluation.objects.filter(is_current=True).count() == 1


def test_late_spans_build_the_graph_anew(trace):
    digest_trace(trace=trace, now=LATER)
    more = TraceRecord("t" * 32, (*spans(), tool("e", 7, 8, run="log", result="ok")))
    store_trace_record(project=trace.project, record=more, source="test", now=LATER)
    assert count_waiting(quiet_before=LATER) == 1
    digest_batch(now=LATER, quiet_before=LATER)
    assert Step.objects.filter(tool="log").exists()


def grow(trace, name):
    """One more span arrives and the trace is digested again."""
    more = TraceRecord("t" * 32, (*spans(), tool(name, 7, 8, run=name, result="ok")))
    store_trace_record(project=trace.project, record=more, source="test", now=LATER)
    digest_batch(now=LATER, quiet_before=LATER)


def test_a_growing_trace_keeps_one_evaluation_by_checks(trace):
    digest_trace(trace=trace, now=LATER)
    for name in ("e", "f", "g"):
        grow(trace, name)
    evaluation = Evaluation.objects.get()
    assert (evaluation.revision, evaluation.is_current) == (4, True)
    assert set(StepOutcome.objects.values_list("evaluation", flat=True)) == {
        evaluation.pk
    }


@pytest.mark.parametrize(
    "other",
    [
        {"judge": "model"},
        {"judge_version": "0"},
        {"graph_version": 0},
        {"revision": 2},
    ],
    ids=["of a model", "by other checks", "of another graph", "of the same spans"],
)
def test_what_else_was_said_of_a_growing_trace_stays(trace, other):
    digest_trace(trace=trace, now=LATER)
    before = Evaluation.objects.get()
    Evaluation.objects.filter(pk=before.pk).update(**other)
    grow(trace, "e")
    assert Evaluation.objects.filter(pk=before.pk, is_current=False).exists()


def test_an_evaluation_that_a_row_points_at_stays(trace):
    digest_trace(trace=trace, now=LATER)
    before = Evaluation.objects.get()
    told = model_to_dict(before, exclude=("id", "trace", "profile_version"))
    told |= {"taxonomy_version": before.taxonomy_version, "is_current": False}
    told |= {"judge": "model", "created_at": NOW, "compared_with": before}
    told |= {"trace": trace, "profile_version": before.profile_version, "batch": None}
    Evaluation.objects.create(**told)
    grow(trace, "e")
    assert Evaluation.objects.filter(pk=before.pk).exists()


def test_nothing_points_at_evaluations_that_dropping_them_forgets():
    """A model that comes to this list has to be told to ``_drop_superseded``."""
    pointing = {r.related_model.__name__ for r in Evaluation._meta.related_objects}
    assert pointing == {"Evaluation", "Finding", "StepOutcome", "Verdict"}


@pytest.mark.parametrize(
    "words", ["tb-99999", "order not found", "cancel tb-48211", "cancel_order"]
)
def test_the_lists_search_looks_in_names_requests_arguments_and_results(trace, words):
    digest_trace(trace=trace, now=LATER)
    assert Trace.objects.filter(search__contains=words).exists()


def test_a_digest_that_fails_says_why_and_keeps_the_spans(trace):
    def broken(traces):
        return [Packed(error="ValueError: no") for _ in traces]

    digest_trace(trace=trace, now=LATER, worker=broken)
    trace.refresh_from_db()
    assert (trace.digest_state, trace.digest_error) == ("failed", "ValueError: no")
    assert trace.spans.count() == 3
    assert count_waiting(quiet_before=LATER) == 0


def test_of_two_workers_the_first_to_store_wins(trace):
    second = Trace.objects.get()
    digest_trace(trace=trace, now=LATER)
    digest_trace(trace=second, now=LATER)
    assert Evaluation.objects.count() == 1


def test_a_judges_own_calls_are_not_judged(trace):
    judged = tool(
        "j", 1, 2, run="x", result="Error: no", attributes={"agenteval.judge": True}
    )
    record = TraceRecord("j" * 32, (replace(judged, trace_id="j" * 32),))
    store_trace_record(project=trace.project, record=record, source="test", now=NOW)
    own = Trace.objects.get(trace_id="j" * 32)
    digest_trace(trace=own, now=LATER)
    own.refresh_from_db()
    assert own.judge_calls
    assert own.failed_count == 0
