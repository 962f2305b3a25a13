"""Agreement on where a run went wrong, exactly and within some hops."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from annotation.domain.ratings import Rating
from traces.domain.trend import wilson

Distance = Callable[[str, str, str], int | None]
"""Hops between two steps of a trace: (trace, step, step), None if unconnected."""
FARTHEST = 10


@dataclass(frozen=True)
class RootAgreement:
    """How near two sides' roots are, one pair of marks a trace and expert.

    Attributes:
        n: Pairs in which both sides mark a root.
        within: Number of pairs at most 0, 1, 2 … hops apart.
        unconnected: Pairs without a path between the two steps; never within.
        mean_hops: Mean over connected pairs, None without any.
        only_first: Traces in which only the first side marks a root.
        only_second: Traces in which only the second side does.
    """

    n: int
    within: tuple[int, ...]
    unconnected: int
    mean_hops: float | None
    only_first: int
    only_second: int

    def share(self, hops: int) -> float | None:
        """Share of pairs at most so many hops apart; None without pairs."""
        return self.within[hops] / self.n if self.n else None

    @property
    def accuracy(self) -> float | None:
        """RCA: equal roots of all traces in which the first side marks one.

        A trace in which the second side sees no root counts as wrong.
        """
        whole = self.n + self.only_first
        return self.within[0] / whole if whole else None

    def as_json(self) -> dict[str, Any]:
        """Plain data; intervals are Wilson's, as traces are independent."""
        whole = self.n + self.only_first
        low, high = wilson(self.within[0], whole)
        return {
            "n": self.n,
            "accuracy": {
                "value": self.accuracy,
                "n": whole,
                "low": low if whole else None,
                "high": high if whole else None,
                "reason": None if whole else "no_cases",
            },
            "within": [
                {
                    "hops": hops,
                    "count": count,
                    "share": self.share(hops),
                    "low": wilson(count, self.n)[0] if self.n else None,
                    "high": wilson(count, self.n)[1] if self.n else None,
                }
                for hops, count in enumerate(self.within)
            ],
            "unconnected": self.unconnected,
            "mean_hops": self.mean_hops,
            "only_first": self.only_first,
            "only_second": self.only_second,
            "reason": None if self.n else "no_overlap",
        }


Marks = Mapping[str, Mapping[str, tuple[str, ...]]]


def marks(ratings: Iterable[Rating]) -> dict[str, dict[str, tuple[str, ...]]]:
    """Steps marked as roots, by trace and rater, sorted.

    A rater of a trace without a mark is there with (): looked, named none.
    """
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for rating in ratings:
        own = found.setdefault(rating.trace, {})
        before = own.setdefault(rating.rater, ())
        if rating.root and rating.step not in before:
            own[rating.rater] = (*before, rating.step)
    return {
        trace: {rater: tuple(sorted(by_rater[rater])) for rater in sorted(by_rater)}
        for trace, by_rater in sorted(found.items())
    }


def nearest(
    trace: str, one: Iterable[str], other: Iterable[str], distance: Distance
) -> int | None:
    """Fewest hops between any two marks; equal steps are 0 apart."""
    others = tuple(other)
    hops = [
        0 if step == second else distance(trace, step, second)
        for step in one
        for second in others
    ]
    known = [hop for hop in hops if hop is not None]
    return min(known) if known else None


def judge_roots(
    experts: Iterable[Rating],
    judge: Iterable[Rating],
    distance: Distance,
    farthest: int = 2,
) -> RootAgreement:
    """Each expert's roots of a trace beside the judge's.

    Args:
        experts: Ratings with root marks.
        judge: The judge's or a strategy's ratings with root marks.
        distance: Hops between two steps of a trace.
        farthest: Largest number of hops to count, at most 10.
    """
    own = marks(judge)
    compared = [
        (trace, steps, next(iter(own[trace].values())))
        for trace, by_rater in marks(experts).items()
        if trace in own
        for steps in by_rater.values()
    ]
    return _agreement(compared, distance, farthest)


def expert_roots(
    experts: Iterable[Rating], distance: Distance, farthest: int = 2
) -> RootAgreement:
    """Every two experts' roots of a trace: the ceiling."""
    compared = [
        (trace, rows[at], rows[later])
        for trace, by_rater in marks(experts).items()
        for rows in [list(by_rater.values())]
        for at in range(len(rows))
        for later in range(at + 1, len(rows))
    ]
    return _agreement(compared, distance, farthest)


def _agreement(
    compared: list[tuple[str, tuple[str, ...], tuple[str, ...]]],
    distance: Distance,
    farthest: int,
) -> RootAgreement:
    both = [row for row in compared if row[1] and row[2]]
    hops = [nearest(trace, one, other, distance) for trace, one, other in both]
    known = [hop for hop in hops if hop is not None]
    limit = min(farthest, FARTHEST)
    return RootAgreement(
        n=len(both),
        within=tuple(sum(hop <= most for hop in known) for most in range(limit + 1)),
        unconnected=len(hops) - len(known),
        mean_hops=sum(known) / len(known) if known else None,
        only_first=sum(bool(one) and not other for _, one, other in compared),
        only_second=sum(bool(other) and not one for _, one, other in compared),
    )
