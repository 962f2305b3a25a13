"""From verdicts on metrics to one state a step.

A metric without an answer is unscored with a reason; it never becomes a number
and never enters a mean (METHOD section 2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from statistics import fmean

from judging.domain.findings import Finding
from judging.domain.settings import HIGHEST, LOWEST
from judging.domain.taxonomy import UNCLASSIFIED


class State(StrEnum):
    """What is known about the quality of a step."""

    SCORED = "scored"
    NO_FINDING = "no_finding"
    """The checks looked and none fired: weaker than a judged pass."""
    UNSCORED = "unscored"
    PENDING = "pending"
    BOUNDARY = "boundary"


@dataclass(frozen=True, slots=True)
class MetricVerdict:
    """One judge's answer for one metric of one step.

    Attributes:
        metric: Metric name.
        state: scored, unscored or pending.
        score: 1 to 5 where scored, else None.
        reason: Why there is no score, "" where there is one.
        rationale: The judge's words.
    """

    metric: str
    state: State
    score: float | None = None
    reason: str = ""
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class StepScore:
    """What a judge says about one step.

    Attributes:
        state: See ``State``.
        score: Mean of the scored metrics, None where there is none.
        metrics: Score by metric, scored ones only.
        reason: Why there is no score.
        category: Taxonomy id of the failure should the step fail.
        source: ``rules``, ``model``, ``panel``, ``expert`` or ``consensus``.
    """

    state: State
    score: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    reason: str = ""
    category: str = ""
    source: str = "rules"


LEAST_TELLING = frozenset({"error-response", UNCLASSIFIED, ""})
"""Categories that give way to any other with the same cap."""
NO_FINDING = StepScore(State.NO_FINDING)


def combine(
    verdicts: Iterable[MetricVerdict], *, category: str = "", source: str = "rules"
) -> StepScore:
    """Put the metrics of one step together: q is the mean of what is scored.

    Pending wins over unscored; a step with at least one scored metric is
    scored. Without verdicts there is no finding.

    Raises:
        ValueError: A score lies outside 1 to 5 (it is never clamped).
    """
    verdicts = list(verdicts)
    metrics = {v.metric: v.score for v in verdicts if v.score is not None}
    for metric, score in metrics.items():
        if not LOWEST <= score <= HIGHEST:
            raise ValueError(f"score {score} of {metric} is outside 1 to 5")
    if any(v.state is State.PENDING for v in verdicts):
        return StepScore(State.PENDING, source=source)
    if metrics:
        mean = fmean(metrics[metric] for metric in sorted(metrics))
        return StepScore(State.SCORED, mean, metrics, "", category, source)
    if verdicts:
        return StepScore(State.UNSCORED, reason=verdicts[0].reason, source=source)
    return StepScore(State.NO_FINDING, source=source)


def from_findings(findings: Iterable[Finding]) -> Mapping[str, StepScore]:
    """Scores by step key from what the checks found.

    Each metric gets the lowest cap among its findings; a metric without
    findings stays without a score. The step gets the lowest of these caps, not
    their mean: a further finding must never raise a score. Its category is that
    of the finding with the lowest cap; of several, the first that says more than
    that there was an error.
    """
    by_step: dict[str, list[Finding]] = {}
    for finding in findings:
        by_step.setdefault(finding.step, []).append(finding)
    return {step: _capped(found) for step, found in by_step.items()}


def _capped(findings: list[Finding]) -> StepScore:
    caps: dict[str, Finding] = {}
    for finding in findings:
        if finding.metric not in caps or finding.cap < caps[finding.metric].cap:
            caps[finding.metric] = finding
    verdicts = [
        MetricVerdict(metric, State.SCORED, finding.cap, "", finding.message)
        for metric, finding in caps.items()
    ]
    worst = min(findings, key=lambda one: (one.cap, one.category in LEAST_TELLING))
    step = combine(verdicts, category=worst.category or UNCLASSIFIED)
    return replace(step, score=worst.cap)
