"""Which steps need a decision, the worst first, and what to propose.

The original ratings stay as they are; agreement is always computed on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.domain.consensus import consensus
from annotation.domain.pairs import by_item
from annotation.domain.ratings import Rating

FAR = 2


class Cause(StrEnum):
    """Why a step is disputed, the gravest first."""

    FAIL_SPLIT = "fail_split"
    FAR_APART = "far_apart"
    GROUP = "group"

    @property
    def words(self) -> str:
        """The cause as it is shown."""
        return _WORDS[self]


_WORDS = {
    Cause.FAIL_SPLIT: "some see a failure, others don't",
    Cause.FAR_APART: "scores are two or more apart",
    Cause.GROUP: "failures of different groups (level 1)",
}
_GRAVITY = {Cause.FAIL_SPLIT: 4, Cause.FAR_APART: 2, Cause.GROUP: 1}


class Basis(StrEnum):
    """What a proposal rests on."""

    UNANIMOUS = "unanimous"
    MAJORITY = "majority"
    MEDIAN = "median"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the rule would decide; a person decides.

    Attributes:
        score: Median; of an even number the lower of the middle two.
        category: As deep as more than half of the raters go together.
        basis: Whether all, most or neither gave that score.
        support: Share of raters who gave that score.
    """

    score: float
    category: tuple[str, ...]
    basis: Basis
    support: float


@dataclass(frozen=True, slots=True)
class Dispute:
    """A step that its raters see differently.

    Attributes:
        trace: Trace id.
        step: Step key.
        causes: Gravest first.
        spread: Highest − lowest score.
        severity: Sum over causes: fail split 4, far apart 2, group 1.
        ratings: All scored ratings, by rater.
        proposal: See ``Proposal``.
    """

    trace: str
    step: str
    causes: tuple[Cause, ...]
    spread: float
    severity: int
    ratings: tuple[Rating, ...]
    proposal: Proposal


def causes(ratings: Sequence[Rating]) -> tuple[Cause, ...]:
    """Why these ratings of one step need a decision; () if they don't."""
    scores = [rating.score for rating in ratings if rating.score is not None]
    groups = {r.category[0] for r in ratings if r.fails and r.category}
    found = {
        Cause.FAIL_SPLIT: len({rating.fails for rating in ratings}) > 1,
        Cause.FAR_APART: bool(scores) and max(scores) - min(scores) >= FAR,
        Cause.GROUP: len(groups) > 1,
    }
    return tuple(cause for cause in Cause if found[cause])


def propose(ratings: Sequence[Rating]) -> Proposal:
    """What the consensus rule makes of ratings of one step.

    Raises:
        ValueError: No rating has a score.
    """
    agreed = consensus(ratings)
    scores = [rating.score for rating in ratings if rating.score is not None]
    same = sum(score == agreed.score for score in scores)
    support = same / len(scores)
    basis = Basis.MEDIAN
    if support > 0.5:
        basis = Basis.UNANIMOUS if same == len(scores) else Basis.MAJORITY
    return Proposal(agreed.score or 0.0, agreed.category, basis, support)


def disputes(ratings: Iterable[Rating]) -> tuple[Dispute, ...]:
    """Every disputed step, the gravest first; ties by spread, trace and step."""
    found = []
    for (trace, step), rows in by_item(ratings).items():
        why = causes(rows)
        if why:
            scores = [rating.score or 0.0 for rating in rows]
            spread = max(scores) - min(scores)
            severity = sum(_GRAVITY[cause] for cause in why)
            own = (trace, step, why, spread, severity, tuple(rows), propose(rows))
            found.append(Dispute(*own))
    found.sort(key=lambda one: (-one.severity, -one.spread, one.trace, one.step))
    return tuple(found)
