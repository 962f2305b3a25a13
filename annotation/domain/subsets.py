"""Agreement on failures only, with the rule that made the subset.

Choosing steps by one side's scores restricts their range: the coefficient of
the subset says more about the rule than about the judge. So the rule and n are
part of the answer, and fail against ok over all steps comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from annotation.domain.agreement import pair_agreement
from annotation.domain.draws import Draws
from annotation.domain.estimate import Estimate
from annotation.domain.pairs import Pairs
from annotation.domain.scale import Array

RESTRICTED = (
    "choosing steps by a score restricts the range, which lowers κ whatever the "
    "judge does: compare subsets only if they have the same rule"
)


class Rule(StrEnum):
    """Which steps count as failures."""

    EXPERT = "expert"
    JUDGE = "judge"
    EITHER = "either"
    BOTH = "both"

    @property
    def words(self) -> str:
        """The rule as it is printed beside every number."""
        return _WORDS[self]


_WORDS = {
    Rule.EXPERT: "steps that the expert fails (score ≤ 2)",
    Rule.JUDGE: "steps that the judge fails",
    Rule.EITHER: "steps that the expert or the judge fails",
    Rule.BOTH: "steps that both the expert and the judge fail",
}
_CHOICES: dict[Rule, Callable[[Pairs], Array]] = {
    Rule.EXPERT: lambda pairs: pairs.first_fails,
    Rule.JUDGE: lambda pairs: pairs.second_fails,
    Rule.EITHER: lambda pairs: pairs.first_fails | pairs.second_fails,
    Rule.BOTH: lambda pairs: pairs.first_fails & pairs.second_fails,
}


@dataclass(frozen=True)
class Subset:
    """Agreement within the steps that a rule chose.

    Attributes:
        rule: The rule.
        n: Number of pairs.
        steps: Number of steps.
        agreement: κ unweighted, linear and quadratic, exact and within 1.
    """

    rule: Rule
    n: int
    steps: int
    agreement: dict[str, Estimate]

    def as_json(self) -> dict[str, Any]:
        """Plain data, the rule and the warning included."""
        return {
            "rule": self.rule.value,
            "words": self.rule.words,
            "warning": RESTRICTED,
            "n": self.n,
            "steps": self.steps,
            "agreement": {key: one.as_json() for key, one in self.agreement.items()},
        }


KEPT = ("kappa", "kappa_linear", "kappa_quadratic", "exact", "within_1", "ac1")


def chosen(pairs: Pairs, rule: Rule) -> Pairs:
    """The pairs that a rule chooses."""
    return pairs.where(_CHOICES[rule](pairs))


def failures(pairs: Pairs, rule: Rule, draws: Draws) -> Subset:
    """Agreement on failures by one rule.

    Args:
        pairs: Expert first, judge second.
        rule: Which steps count.
        draws: Draws of traces.
    """
    kept = chosen(pairs, rule)
    found = pair_agreement(kept, draws)
    agreement = {key: found[key] for key in KEPT}
    return Subset(rule, len(kept), kept.steps, agreement)
