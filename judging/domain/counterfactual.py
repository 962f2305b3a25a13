"""What if a root step had given something else?

A counterfactual puts a corrected output in the place of a step's own and has
what lies downstream judged again under it. The later steps themselves are not
run again: they are what they were, seen in another light. So the result is
evidence for a root cause, never a proof.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from judging.domain.diagnosis import Diagnosis
from judging.domain.findings import Finding, Run
from judging.domain.scores import State, StepScore
from traces.domain.records import Graph, Json

CORRECTED = "corrected"
"""Reason of the step whose output was replaced: nobody judges the correction."""


class Effect(StrEnum):
    """What a corrected output did to the failures it is blamed for."""

    CONFIRMED = "confirmed"
    """All of them pass."""
    PARTLY = "partly"
    NOT_CONFIRMED = "not_confirmed"
    """All of them still fail."""
    UNDECIDED = "undecided"
    """There were none, or none has a score now."""


@dataclass(frozen=True, slots=True)
class Change:
    """One failure before and after.

    Attributes:
        step: Step key.
        before: Score before.
        after: Score after, None if unscored.
        failed: Whether it still fails; None if unscored.
    """

    step: str
    before: float | None
    after: float | None
    failed: bool | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Before and after of one counterfactual.

    Attributes:
        effect: What became of the failures attributed to the step.
        changes: One a failure that was attributed to it, in step order.
        score_before: Workflow score before, None if there was none.
        score_after: Workflow score after, None if there is none.
    """

    effect: Effect
    changes: tuple[Change, ...]
    score_before: float | None
    score_after: float | None


def corrected(run: Run, step: str, output: Json) -> Run:
    """The run as it would read had the step given this output.

    An error of the step goes with its output. Whatever the checks shared about
    the old run is left behind.

    Raises:
        KeyError: The run has no such step.
    """
    if step not in run.steps:
        raise KeyError(step)
    content = replace(run.content(step), output=output, error="")
    return replace(run, contents={**run.contents, step: content}, shared={})


def downstream(graph: Graph, step: str) -> frozenset[str]:
    """Keys of all steps that depend on a step, itself not among them."""
    children: dict[str, list[str]] = {}
    for edge in graph.edges:
        children.setdefault(edge.source, []).append(edge.target)
    found: set[str] = set()
    waiting = [step]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return frozenset(found - {step})


def findings_under(
    findings: Collection[Finding], step: str, below: Collection[str]
) -> tuple[Finding, ...]:
    """Of the findings on a corrected run those that count: on what was judged again."""
    return tuple(one for one in findings if one.step in below and one.step != step)


def scores_under(
    before: Mapping[str, StepScore],
    again: Mapping[str, StepScore],
    step: str,
    below: Collection[str],
) -> Mapping[str, StepScore]:
    """Scores of a counterfactual: new downstream, old elsewhere, none on the step.

    A step downstream without a new score keeps none: its old one was given in
    another light.
    """
    kept = {key: one for key, one in before.items() if key not in below}
    fresh = {key: one for key, one in again.items() if key in below}
    return {**kept, **fresh, step: StepScore(State.UNSCORED, reason=CORRECTED)}


def compare(before: Diagnosis, after: Diagnosis, step: str) -> Comparison:
    """What became of the failures that were attributed to a step.

    Args:
        before: As it was.
        after: Under the corrected output, the same graph.
        step: The step whose output was corrected.
    """
    blamed = [
        key
        for key, outcome in before.outcomes.items()
        if outcome.failed and outcome.root == step and key != step
    ]
    changes = tuple(_change(before, after, key) for key in blamed)
    return Comparison(
        _effect(changes), changes, before.workflow.value, after.workflow.value
    )


def _change(before: Diagnosis, after: Diagnosis, key: str) -> Change:
    was, now = before.outcomes[key], after.outcomes[key]
    score = now.score.score
    known = score is not None or now.score.state is State.NO_FINDING
    return Change(key, was.score.score, score, now.failed if known else None)


def _effect(changes: Collection[Change]) -> Effect:
    known = [change.failed for change in changes if change.failed is not None]
    if not known:
        return Effect.UNDECIDED
    if not any(known):
        # What could not be judged again may still fail.
        return Effect.CONFIRMED if len(known) == len(changes) else Effect.PARTLY
    return Effect.NOT_CONFIRMED if all(known) else Effect.PARTLY
