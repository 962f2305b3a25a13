"""Checks and models put together: one score a step.

Deterministic checks stay a floor under every model (METHOD section 2: an
unhandled tool error caps at 2): a model can't talk a finding away, and a model
that gave no answer leaves what the checks found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from judging.domain.findings import Finding
from judging.domain.scores import MetricVerdict, State, StepScore, from_findings
from judging.domain.settings import HIGHEST, LOWEST
from judging.domain.taxonomy import UNCLASSIFIED

COMBINATIONS = ("mean", "lowest")
"""How the metrics of a step become its score; the paper's is the mean."""


@dataclass(frozen=True, slots=True)
class Vote:
    """What one judge (or one sample of it) says about one step.

    Attributes:
        verdicts: One a metric.
        category: Taxonomy id it names, "" if none.
    """

    verdicts: tuple[MetricVerdict, ...]
    category: str = ""


def fuse(
    findings: Iterable[Finding],
    votes: Mapping[str, Sequence[Vote]],
    *,
    combination: str = "mean",
) -> Mapping[str, StepScore]:
    """Scores by step key from checks and models.

    A metric's score is the median of the valid votes, at most the lowest cap of
    the findings on it. The step's score combines its metrics and is at most the
    lowest cap of all its findings. A step that no model was asked about has what
    the checks say.

    Args:
        findings: What the checks found in the whole run.
        votes: By step key, one a judge or sample, in any order.
        combination: One of ``COMBINATIONS``.

    Raises:
        ValueError: Unknown combination, or a score outside 1 to 5.
    """
    if combination not in COMBINATIONS:
        raise ValueError(f"combination: one of {', '.join(COMBINATIONS)}")
    by_step: dict[str, list[Finding]] = {}
    for finding in findings:
        by_step.setdefault(finding.step, []).append(finding)
    checked = from_findings(one for found in by_step.values() for one in found)
    judged = {
        key: _fused(cast, by_step.get(key, []), checked.get(key), combination)
        for key, cast in votes.items()
        if cast
    }
    return {**checked, **judged}


def _fused(
    votes: Sequence[Vote],
    findings: Sequence[Finding],
    checked: StepScore | None,
    combination: str,
) -> StepScore:
    verdicts = [verdict for vote in votes for verdict in vote.verdicts]
    source = "panel" if len(votes) > 1 else "model"
    if any(verdict.state is State.PENDING for verdict in verdicts):
        return StepScore(State.PENDING, source=source)
    metrics = _medians(verdicts)
    reason = next((v.reason for v in verdicts if v.score is None), "")
    if not metrics:
        unscored = StepScore(State.UNSCORED, reason=reason, source=source)
        return replace(checked, reason=reason) if checked else unscored
    capped = {m: min([q, *_caps(findings, m)]) for m, q in metrics.items()}
    whole = min(capped.values()) if combination == "lowest" else fmean(capped.values())
    lowest = min((found.cap for found in findings), default=HIGHEST)
    if checked and lowest <= whole:
        return StepScore(State.SCORED, lowest, capped, reason, checked.category, source)
    category = _category(votes)
    return StepScore(State.SCORED, whole, capped, reason, category, source)


def _medians(verdicts: Iterable[MetricVerdict]) -> dict[str, float]:
    given: dict[str, list[float]] = {}
    for verdict in verdicts:
        if verdict.score is None:
            continue
        if not LOWEST <= verdict.score <= HIGHEST:
            raise ValueError(
                f"score {verdict.score} of {verdict.metric} is outside 1 to 5"
            )
        given.setdefault(verdict.metric, []).append(verdict.score)
    return {metric: median(given[metric]) for metric in sorted(given)}


def _caps(findings: Iterable[Finding], metric: str) -> list[float]:
    return [found.cap for found in findings if found.metric == metric]


def _category(votes: Sequence[Vote]) -> str:
    """The category most judges name; of several, the first in the alphabet."""
    named = [vote.category for vote in votes if vote.category]
    if not named:
        return UNCLASSIFIED
    return min(named, key=lambda one: (-named.count(one), one))


def spread(votes: Sequence[Vote]) -> float | None:
    """Widest gap between two judges on one metric; None for fewer than two."""
    given: dict[str, list[float]] = {}
    for vote in votes:
        for verdict in vote.verdicts:
            if verdict.score is not None:
                given.setdefault(verdict.metric, []).append(verdict.score)
    gaps = [max(found) - min(found) for found in given.values() if len(found) > 1]
    return max(gaps, default=None)
