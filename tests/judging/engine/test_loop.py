"""Judging by models: nothing is asked twice, nothing is lost, nothing invented."""

import asyncio
import threading
from datetime import timedelta

import pytest

from judging.domain.asking import NoReply, Reason
from judging.models import Batch, Evaluation, Spend, StepOutcome, Verdict
from judging.services import evaluating
from judging.services.engine.loop import ATTEMPTS, waiting_time
from judging.services.profiles import save_profile
from tests.judging.engine.fakes import NOW, STEPS, FakeDesk, good
from traces.models import Trace

pytestmark = pytest.mark.django_db


def test_every_step_is_judged_and_the_trace_shows_it(make_trace, version, engine):
    trace = make_trace()
    started = evaluating.start_evaluation(trace=trace, version=version, now=NOW)
    tally = engine(lambda key, time: good(2)).run()
    assert (tally.evaluations, tally.calls) == (1, STEPS)
    started.refresh_from_db()
    assert (started.state, started.is_current) == ("done", True)
    assert (started.scored, started.failed, started.answered) == (STEPS, STEPS, STEPS)
    assert started.cost_usd == pytest.approx(0.05)
    assert Spend.objects.get().calls == STEPS
    trace.refresh_from_db()
    assert (trace.failed_count, trace.root_category) == (STEPS, "timeout")
    assert set(StepOutcome.objects.filter(evaluation=started).values_list(
        "score", "source")) == {(2.0, "model")}  # fmt: skip


def test_a_reply_that_is_there_is_not_asked_for_again(make_trace, version, engine):
    trace = make_trace()
    for _ in range(2):
        evaluating.start_evaluation(trace=trace, version=version, now=NOW)
        last = engine(lambda key, time: good(3))
        last.run()
    assert (last.tally.calls, last.tally.kept) == (0, STEPS)
    newest = Evaluation.objects.filter(judge="model").latest("pk")
    assert (newest.cost_usd, newest.cached, newest.scored) == (0, STEPS, STEPS)


def test_no_answer_stays_no_answer(make_trace, version, engine):
    evaluating.start_evaluation(trace=make_trace(), version=version, now=NOW)
    engine(lambda key, time: NoReply(Reason.REFUSED, model="small")).run()
    done = Evaluation.objects.get(judge="model")
    assert (done.scored, done.unscored, done.failed) == (0, STEPS, 0)
    outcomes = StepOutcome.objects.filter(evaluation=done)
    assert set(outcomes.values_list("score", "reason")) == {(None, "refused")}
    assert Trace.objects.get().score is None


def test_what_fails_for_now_is_asked_again_later(make_trace, version, engine, clock):
    evaluating.start_evaluation(trace=make_trace(), version=version, now=NOW)
    late = NoReply(Reason.RATE_LIMITED, transient=True, retry_after=30)
    made = engine(lambda key, time: late if time == 1 else good(4))
    made.run()
    waiting = Evaluation.objects.get(judge="model")
    assert (waiting.state, waiting.attempts) == ("pending", 1)
    assert waiting.due_at >= NOW + timedelta(seconds=30)
    assert engine(made.desk).run().calls == 0
    clock.pass_(seconds=31)
    assert engine(made.desk).run().evaluations == 1
    assert Evaluation.objects.get(judge="model").scored == STEPS


def test_what_never_works_ends_unscored(make_trace, version, engine, clock):
    evaluating.start_evaluation(trace=make_trace(), version=version, now=NOW)
    away = NoReply(Reason.TIMEOUT, transient=True)
    for _ in range(ATTEMPTS + 1):
        engine(lambda key, time: away).run()
        clock.pass_(hours=1)
    done = Evaluation.objects.get(judge="model")
    assert (done.state, done.unscored) == ("done", STEPS)


def test_who_takes_over_asks_only_what_has_no_verdict(
    make_trace, version, engine, clock
):
    evaluating.start_evaluation(trace=make_trace(), version=version, now=NOW)
    desk = FakeDesk(lambda key, time: good(4))
    first = engine(desk, most=2)

    def died_after_two():
        return Verdict.objects.filter(source="model").count() >= 2

    first._give_back = lambda: None  # as if killed: nothing is given back
    first.run(stop=died_after_two)
    assert engine(desk, lease="two").run().calls == 0
    clock.pass_(minutes=2)
    assert engine(desk, lease="two").run().evaluations == 1
    verdicts = Verdict.objects.filter(source="model")
    assert verdicts.count() == STEPS
    assert Evaluation.objects.get(judge="model").answered == STEPS


def test_who_lost_the_lease_finishes_nothing(make_trace, version, engine):
    evaluating.start_evaluation(trace=make_trace(), version=version, now=NOW)

    class Stolen(FakeDesk):
        def read(self, ask, reply):
            Evaluation.objects.filter(judge="model").update(lease="thief")
            return super().read(ask, reply)

    assert engine(Stolen(lambda key, time: good(4))).run().evaluations == 0
    assert Evaluation.objects.get(judge="model").state == "running"


@pytest.mark.parametrize("act", [evaluating.pause, evaluating.cancel])
def test_nothing_is_begun_that_was_paused_or_cancelled(
    make_trace, version, engine, act
):
    evaluating.start_evaluation(trace=make_trace(), version=version, now=NOW)
    act(Evaluation.objects.filter(judge="model"), now=NOW)
    assert engine(lambda key, time: good(4)).run().calls == 0


def test_a_budget_ends_with_unscored_steps(make_trace, project, engine):
    content = {"judge": "model", "tiers": [{"model": "s"}], "budget_usd": 0.02}
    version = save_profile(
        project=project, slug="b", name="B", content=content, actor=None, now=NOW
    )
    evaluating.start_evaluation(trace=make_trace(), version=version, now=NOW)
    engine(lambda key, time: good(4), most=1).run()
    done = Evaluation.objects.get(judge="model")
    assert (done.scored, done.unscored) == (2, 3)
    reasons = StepOutcome.objects.filter(evaluation=done, state="unscored")
    assert set(reasons.values_list("reason", flat=True)) == {"budget"}


def test_a_batch_closes_with_its_last_trace(make_trace, project, version, engine):
    made = [make_trace("a"), make_trace("b")]
    batch = evaluating.start_batch(
        project=project,
        version=version,
        traces=made,
        order=evaluating.Order("all"),
        actor=None,
        now=NOW,
    )
    tally = engine(lambda key, time: good(4)).run()
    assert tally.evaluations == 2
    assert Batch.objects.get(pk=batch.pk).state == "done"


def test_a_trace_that_still_grows_has_to_wait(make_trace, version, engine, clock):
    evaluating.start_evaluation(trace=make_trace(), version=version, now=NOW)
    desk = FakeDesk(lambda key, time: good(4))
    desk.ready = False
    assert engine(desk).run().evaluations == 0
    desk.ready = True
    clock.pass_(seconds=3)
    assert engine(desk).run().evaluations == 1


def test_an_evaluation_that_can_not_be_planned_fails_alone(make_trace, version, engine):
    for trace_id in ("a", "b"):
        evaluating.start_evaluation(
            trace=make_trace(trace_id), version=version, now=NOW
        )

    class Broken(FakeDesk):
        def plan(self, evaluation):
            if evaluation.trace.trace_id == "a":
                raise KeyError("metrics")
            return super().plan(evaluation)

    tally = engine(Broken(lambda key, time: good(4))).run()
    assert (tally.failed, tally.evaluations) == (1, 1)
    failed = Evaluation.objects.get(judge="model", trace__trace_id="a")
    assert (failed.state, failed.error) == ("failed", "KeyError: 'metrics'")


def test_a_judge_that_breaks_costs_no_verdict(make_trace, version, engine, clock):
    evaluating.start_evaluation(trace=make_trace(), version=version, now=NOW)

    def broken(key, time):
        if time == 1:
            raise RuntimeError("bug")
        return good(4)

    made = engine(broken)
    made.run()
    clock.pass_(minutes=1)
    assert engine(made.desk).run().evaluations == 1


def test_many_calls_are_open_at_once_but_no_more_than_allowed(
    make_trace, version, engine
):
    evaluating.start_evaluation(trace=make_trace(), version=version, now=NOW)
    open_now, most, lock = 0, 0, threading.Lock()

    class Slow(FakeDesk):
        async def call(self, prompt, member):
            nonlocal open_now, most
            with lock:
                open_now += 1
                most = max(most, open_now)
            await asyncio.sleep(0.02)
            with lock:
                open_now -= 1
            return good(4)

    engine(Slow(None), most=3).run()
    assert most == 3


@pytest.mark.parametrize(("attempts", "most"), [(0, 2), (3, 16), (40, 600)])
def test_waits_grow_and_are_spread(attempts, most):
    assert waiting_time(attempts, 0.0) == most / 2
    assert waiting_time(attempts, 1.0) == most
