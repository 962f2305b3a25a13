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


@dataclass(frozen=True, slots=True)
class Case:
    """One step in the eyes of a person and of the method.

    Attributes:
        trace: Trace id.
        failed: The person fails it.
        flagged: The method fails it; None where it has no answer.
    """

    trace: str
    failed: bool
    flagged: bool | None


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


def cases(people: Iterable[Rating], method: Iterable[Rating]) -> list[Case]:
    """Every person's rating beside the method's of the same step.

    A step that the method never looked at is unscored, like one that it looked
    at without a score.
    """
    own = {rating.item: rating for rating in method}
    rows = sorted(people, key=lambda r: (r.trace, r.step, r.rater))
    return [
        Case(rating.trace, rating.fails, _flag(own.get(rating.item)))
        for rating in rows
        if rating.score is not None
    ]


def _flag(rating: Rating | None) -> bool | None:
    if rating is None or (rating.score is None and rating.failed is None):
        return None
    return rating.fails


def detection(found: Iterable[Case], draws: Draws) -> Detection:
    """FDRec and FPR with intervals by resampling traces."""
    everything = list(found)
    known = [case for case in everything if case.flagged is not None]
    traces = sorted({case.trace for case in known})
    counted = {
        (failed, flagged): sum(
            case.failed is failed and case.flagged is flagged for case in known
        )
        for failed in (True, False)
        for flagged in (True, False)
    }
    failed = counted[True, True] + counted[True, False]
    passed = counted[False, True] + counted[False, False]
    wanted = [
        Wanted("recall", share("FDRec", counted[True, True], failed), _draws(0)),
        Wanted("false", share("FPR", counted[False, True], passed), _draws(2)),
    ]
    blocks = {"cases": _sums(known, traces)}
    values = estimates(wanted, blocks, len(traces), draws)
    missing = [case.failed for case in everything if case.flagged is None]
    return Detection(
        *(values["recall"], values["false"], failed, passed),
        *(sum(missing), len(missing) - sum(missing)),
    )


def _sums(known: list[Case], traces: list[str]) -> Array:
    """Flagged failed, failed, flagged passed, passed, by trace."""
    at = {trace: place for place, trace in enumerate(traces)}
    trace = np.array([at[case.trace] for case in known], dtype=np.int64)
    rows = np.array(
        [
            (c.failed and c.flagged, c.failed, not c.failed and c.flagged, not c.failed)
            for c in known
        ],
        dtype=float,
    ).reshape(len(known), 4)
    return sums_by_trace(trace, len(traces), rows)


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
