"""The paper's measures against people: FDRec, FPR and RCA (section 4).

FDRec is the share of failed steps, in the eyes of people, that the method flags; FPR
the share of passed steps that it flags; RCA the share of failed traces whose
attributed root is the person's. What the method left unscored is in none of them
and is counted beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from annotation.domain.bootstrap import shares, sums_by_trace
from annotation.domain.consensus import consensus_of_all
from annotation.domain.draws import Draws
from annotation.domain.estimate import Estimate, Totals, Wanted, estimates, share
from annotation.domain.ratings import Rating
from annotation.domain.roots import Distance, RootAgreement, judge_roots
from annotation.domain.scale import Array
from traces.domain.trend import wilson

UNSCORED = -1


@dataclass(frozen=True)
class Cases:
    """Steps in the eyes of a person and of the method, as columns.

    Attributes:
        traces: Trace ids, sorted.
        trace: Position of the trace of each case.
        failed: Whether the person fails the step.
        flagged: 1 where the method fails it, 0 where it doesn't, −1 where it has
            no answer.
    """

    traces: tuple[str, ...]
    trace: Array
    failed: Array
    flagged: Array


@dataclass(frozen=True)
class Detection:
    """How well a method finds the failures that people see.

    Attributes:
        recall: FDRec.
        false_positives: FPR.
        failed: Failed steps with an answer of the method.
        passed: Passed steps with an answer.
        unscored_failed: Failed steps without an answer.
        unscored_passed: Passed steps without an answer.
    """

    recall: Estimate
    false_positives: Estimate
    failed: int
    passed: int
    unscored_failed: int
    unscored_passed: int

    def as_json(self) -> dict[str, Any]:
        """Plain data; ``wilson`` takes steps as independent, which they aren't."""
        return {
            "fdrec": _with_wilson(self.recall),
            "fpr": _with_wilson(self.false_positives),
            "failed": self.failed,
            "passed": self.passed,
            "unscored": {
                "failed": self.unscored_failed,
                "passed": self.unscored_passed,
            },
        }


def _with_wilson(estimate: Estimate) -> dict[str, Any]:
    found, whole = estimate.as_json(), estimate.coefficient.n
    if estimate.value is not None:
        low, high = wilson(round(estimate.value * whole), whole)
        found["wilson"] = {"low": low, "high": high, "level": 0.95}
    return found


def cases(people: Iterable[Rating], method: Iterable[Rating]) -> Cases:
    """Every person's rating beside the method's of the same step.

    A step that the method never looked at is unscored, like one that it looked
    at without a score.
    """
    own = {rating.item: _flag(rating) for rating in method}
    rows = [rating for rating in people if rating.score is not None]
    traces = sorted({rating.trace for rating in rows})
    at = {trace: place for place, trace in enumerate(traces)}
    n = len(rows)
    return Cases(
        tuple(traces),
        np.fromiter((at[rating.trace] for rating in rows), np.int64, n),
        np.fromiter((rating.fails for rating in rows), bool, n),
        np.fromiter((own.get(rating.item, UNSCORED) for rating in rows), np.int8, n),
    )


def _flag(rating: Rating) -> int:
    if rating.score is None and rating.failed is None:
        return UNSCORED
    return int(rating.fails)


def detection(found: Cases, draws: Draws) -> Detection:
    """FDRec and FPR with intervals by resampling traces with an answer."""
    known = found.flagged != UNSCORED
    failed, flagged = found.failed[known], found.flagged[known] == 1
    used, trace = np.unique(found.trace[known], return_inverse=True)
    columns = (failed & flagged, failed, ~failed & flagged, ~failed)
    sums = sums_by_trace(trace, len(used), np.stack(columns, axis=1))
    hits, all_failed, alarms, all_passed = (int(column.sum()) for column in columns)
    wanted = [
        Wanted("recall", share("FDRec", hits, all_failed), _draws(0)),
        Wanted("false", share("FPR", alarms, all_passed), _draws(2)),
    ]
    values = estimates(wanted, {"cases": sums}, len(used), draws)
    missing = found.failed[~known]
    return Detection(
        *(values["recall"], values["false"], all_failed, all_passed),
        *(int(missing.sum()), int((~missing).sum())),
    )


def _draws(at: int) -> partial[Array]:
    return partial(_share_of_cases, at)


def _share_of_cases(at: int, totals: Totals) -> Array:
    sums = totals["cases"]
    return shares(sums[:, at], sums[:, at + 1])


@dataclass(frozen=True)
class Measures:
    """A method against each expert and against their consensus.

    Attributes:
        experts: One case for each expert's rating.
        consensus: One case for each step that two or more experts rated.
        roots: Root against each expert; within 0 hops is RCA.
        consensus_roots: Root against the consensus.
    """

    experts: Detection
    consensus: Detection
    roots: RootAgreement
    consensus_roots: RootAgreement

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "experts": self.experts.as_json(),
            "consensus": self.consensus.as_json(),
            "rca": self.roots.as_json(),
            "consensus_rca": self.consensus_roots.as_json(),
        }


def measures(
    experts: Iterable[Rating],
    method: Iterable[Rating],
    distance: Distance,
    draws: Draws,
) -> Measures:
    """FDRec, FPR, RCA and hops of a method, judged by people.

    Args:
        experts: Independent ratings with root marks.
        method: The method's ratings, at most one a step, with root marks.
        distance: Hops between two steps of a trace.
        draws: Draws of traces.
    """
    experts, method = list(experts), list(method)
    agreed = consensus_of_all(experts)
    return Measures(
        detection(cases(experts, method), draws),
        detection(cases(agreed, method), draws),
        judge_roots(experts, method, distance),
        judge_roots(agreed, method, distance),
    )


def by_method(
    experts: Iterable[Rating],
    methods: Mapping[str, Iterable[Rating]],
    distance: Distance,
    draws: Draws,
) -> dict[str, Measures]:
    """The same for several methods or strategies, by name."""
    people = list(experts)
    return {
        name: measures(people, methods[name], distance, draws)
        for name in sorted(methods)
    }
