"""What a corrected output changes, on small graphs worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.counterfactual import (
    CORRECTED,
    Effect,
    compare,
    corrected,
    downstream,
    findings_under,
    scores_under,
)
from judging.domain.diagnosis import diagnose
from judging.domain.findings import Finding, Run
from judging.domain.scores import State, StepScore
from judging.domain.settings import DEFAULT
from tests.judging.test_diagnosis import CHAIN, DIAMOND, graph, scored
from tests.traces.graph.spans import tool
from traces.domain.graph.build import build_graph


def test_downstream_is_everything_that_depends_on_the_step() -> None:
    assert downstream(CHAIN, "b") == {"c", "d"}
    assert downstream(DIAMOND, "a") == {"c", "d"}
    assert downstream(DIAMOND, "d") == frozenset()


def after(below, before, again, made=CHAIN, step="a"):
    under = scores_under(before, again, step, below)
    return compare(
        diagnose(made, before, DEFAULT), diagnose(made, under, DEFAULT), step
    )


@pytest.mark.parametrize(
    ("again", "effect"),
    [
        ({"b": 4.0, "c": 5.0}, Effect.CONFIRMED),
        ({"b": 4.0, "c": 2.0}, Effect.PARTLY),
        ({"b": 1.0, "c": 2.0}, Effect.NOT_CONFIRMED),
        ({"b": 4.0}, Effect.PARTLY),
        ({}, Effect.UNDECIDED),
    ],
)
def test_the_effect_is_what_became_of_the_failures_blamed_on_it(again, effect) -> None:
    before = scored(a=1.0, b=2.0, c=2.0, d=5.0)
    fresh = {
        key: StepScore(State.SCORED, again[key])
        if key in again
        else StepScore(State.UNSCORED, reason="timeout")
        for key in "bcd"
    }
    found = after(downstream(CHAIN, "a"), before, fresh)
    assert found.effect is effect
    assert [one.step for one in found.changes] == ["b", "c"]
    assert [one.failed for one in found.changes] == [
        again[key] < 3 if key in again else None for key in "bc"
    ]


def test_without_failures_downstream_nothing_is_decided() -> None:
    found = after(downstream(CHAIN, "a"), scored(a=1.0), {})
    assert (found.effect, found.changes) == (Effect.UNDECIDED, ())


def test_failures_of_other_roots_say_nothing_about_this_one() -> None:
    made = graph([("a", "b"), ("c", "d")])
    before = scored(a=1.0, b=2.0, c=1.0, d=2.0)
    found = after({"b"}, before, scored(b=5.0), made)
    assert found.effect is Effect.CONFIRMED
    assert [one.step for one in found.changes] == ["b"]


def test_the_corrected_step_has_no_score_and_steps_elsewhere_keep_theirs() -> None:
    before = scored(a=1.0, b=2.0, c=4.0)
    found = scores_under(before, scored(a=5.0, c=3.0), "b", {"c", "d"})
    assert found == {
        "a": before["a"],
        "b": StepScore(State.UNSCORED, reason=CORRECTED),
        "c": StepScore(State.SCORED, 3.0),
    }


@given(st.dictionaries(st.sampled_from("abcd"), st.integers(1, 5)))
def test_nothing_outside_the_downstream_ever_changes(given_scores) -> None:
    before = scored(a=1.0, b=2.0, c=2.0, d=2.0)
    again = scored(**{key: float(score) for key, score in given_scores.items()})
    found = scores_under(before, again, "b", downstream(CHAIN, "b"))
    assert found["a"] == before["a"]
    assert all(found.get(key) == again.get(key) for key in "cd")


def run_of(*results: str) -> Run:
    spans = [
        tool(f"s{n}", n, n + 1, run="find", result=text)
        for n, text in enumerate(results)
    ]
    built = build_graph(spans)
    return Run(built.graph, built.contents)


def test_a_corrected_run_reads_the_new_output_and_no_error() -> None:
    run = run_of("broken", "fine")
    step = next(one.key for one in run.graph.steps if not one.boundary)
    failed = replace(
        run,
        contents={**run.contents, step: replace(run.content(step), error="Boom")},
        shared={"words": 1},
    )
    found = corrected(failed, step, {"status": "ok"})
    assert found.content(step).output == {"status": "ok"}
    assert found.content(step).error == ""
    assert found.shared == {}
    assert failed.content(step).error == "Boom"


def test_a_step_that_is_not_there_can_not_be_corrected() -> None:
    with pytest.raises(KeyError):
        corrected(run_of("fine"), "nowhere", "")


def test_only_findings_on_what_is_judged_again_count() -> None:
    found = [Finding("check", key, "success", 2.0, "timeout", "m", ()) for key in "abc"]
    assert findings_under(found, "b", {"b", "c"}) == (found[2],)
