"""Judging when traces grow, graphs break, questions repeat and outputs are corrected."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from judging.domain.asking import Mode, Reply, Usage
from judging.models import Evaluation, JudgeAnswer, StepOutcome, Verdict
from judging.services import evaluating
from judging.services.digesting import digest_trace
from judging.services.engine.work import OutgrownError, UnbuildableError
from tests.judging.engine.fakes import NOW, STEPS, FakeDesk, good
from traces.models import Trace

pytestmark = pytest.mark.django_db


def models():
    return Evaluation.objects.filter(judge="model").order_by("pk")


def test_an_outgrown_evaluation_ends_and_another_takes_its_place(
    make_trace, version, engine
):
    evaluating.start_evaluation(trace=make_trace(), version=version, now=NOW)

    class Grown(FakeDesk):
        def plan(self, evaluation):
            if evaluation == models().first():
                raise OutgrownError
            return super().plan(evaluation)

    tally = engine(Grown(lambda key, time: good(4))).run()
    first, second = models()
    assert (first.state, first.error) == ("cancelled", evaluating.GREW)
    assert (second.state, second.is_current) == ("done", True)
    assert (tally.evaluations, tally.failed) == (1, 0)


def test_a_graph_that_can_not_be_built_fails_with_its_reason(
    make_trace, version, engine, caplog
):
    evaluating.start_evaluation(trace=make_trace(), version=version, now=NOW)

    class Flat(FakeDesk):
        def plan(self, evaluation):
            raise UnbuildableError("The spans name a parent twice.")

    engine(Flat(None)).run()
    found = models().get()
    assert (found.state, found.error) == ("failed", "The spans name a parent twice.")
    assert not caplog.records


def test_a_question_on_its_way_is_not_asked_a_second_time(make_trace, version, engine):
    for trace_id in ("a", "b"):
        evaluating.start_evaluation(
            trace=make_trace(trace_id), version=version, now=NOW
        )

    class Alike(FakeDesk):
        """The steps of both traces have the same prompts."""

        async def call(self, prompt, member):
            await asyncio.sleep(0.02)
            return await super().call(prompt, member)

        def next_asks(self, work, most):
            steps = [one.key for one in work.run.graph.steps]
            keys = {slot.step_key: steps.index(slot.step_key) for slot in work.waiting}
            asks, done = super().next_asks(work, most)
            asks = [replace(ask, key=f"same{keys[ask.slot.step_key]}") for ask in asks]
            kept = dict(JudgeAnswer.objects.values_list("key", "pk"))
            done += [
                replace(self.read(ask, good(3)), kept=kept[ask.key])
                for ask in asks
                if ask.key in kept
            ]
            return [ask for ask in asks if ask.key not in kept], done

    tally = engine(Alike(lambda key, time: good(3))).run()
    assert (tally.calls, tally.kept, tally.evaluations) == (STEPS, STEPS, 2)
    assert Verdict.objects.filter(source="model", is_cached=True).count() == STEPS


@pytest.fixture
def judged(make_trace, version, engine):
    """An evaluation in which every step failed; a chain has one root."""
    trace = make_trace()
    started = evaluating.start_evaluation(trace=trace, version=version, now=NOW)
    engine(lambda key, time: good(2)).run()
    started.refresh_from_db()
    return started


def test_a_counterfactual_judges_again_and_leaves_the_trace_as_it_was(judged, engine):
    root = StepOutcome.objects.filter(evaluation=judged, role="root").first()
    made = evaluating.start_counterfactual(
        root=judged,
        step=root.step_key,
        output="better",
        source="typed",
        actor=None,
        now=NOW,
    )
    desk = FakeDesk(lambda key, time: Reply("5", "small", Mode.JSON_SCHEMA, Usage(), 1))
    engine(desk).run()
    made.refresh_from_db()
    assert (made.state, made.is_current) == ("done", False)
    assert made.replacement == {
        "step": root.step_key,
        "output": "better",
        "source": "typed",
    }
    own = StepOutcome.objects.get(evaluation=made, step_key=root.step_key)
    assert (own.state, own.reason) == ("unscored", "corrected")
    judged.refresh_from_db()
    assert judged.is_current
    assert Trace.objects.get().failed_count == STEPS


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"state": "running"}, "finished evaluation"),
        ({"judge": "rules"}, "by a model"),
        ({"revision": 0}, "has grown"),
    ],
)
def test_what_can_not_be_compared_is_refused(judged, change, reason):
    Evaluation.objects.filter(pk=judged.pk).update(**change)
    judged.refresh_from_db()
    root = StepOutcome.objects.filter(evaluation=judged, role="root").first()
    with pytest.raises(evaluating.NotPossibleError, match=reason):
        evaluating.start_counterfactual(
            root=judged,
            step=root.step_key,
            output="",
            source="typed",
            actor=None,
            now=NOW,
        )


def test_only_a_root_is_corrected(judged):
    with pytest.raises(evaluating.NotPossibleError, match="no root cause"):
        evaluating.start_counterfactual(
            root=judged, step="nowhere", output="", source="typed", actor=None, now=NOW
        )


def test_another_digest_of_the_same_state_takes_nothing_back(judged):
    trace = Trace.objects.get()
    assert trace.failed_count == STEPS
    Trace.objects.update(digested_revision=0)
    trace.refresh_from_db()
    digest_trace(trace=trace, now=NOW)
    judged.refresh_from_db()
    trace.refresh_from_db()
    assert judged.is_current
    assert trace.failed_count == STEPS


def test_the_digest_of_a_trace_that_grew_is_current_again(judged):
    trace = Trace.objects.get()
    Trace.objects.update(revision=trace.revision + 1)
    trace.refresh_from_db()
    digest_trace(trace=trace, now=NOW)
    judged.refresh_from_db()
    trace.refresh_from_db()
    assert not judged.is_current
    assert trace.failed_count == 0
