"""How raters do on known answers and against themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from annotation.domain.pairs import Pairs, by_item
from annotation.domain.ratings import Purpose, Rating
from traces.domain.trend import Rate


@dataclass(frozen=True, slots=True)
class GoldAccuracy:
    """One rater on gold items.

    Attributes:
        rater: Pseudonym.
        exact: Same score as the known answer.
        within_1: At most one apart.
        failure: Same side of the failure threshold.
    """

    rater: str
    exact: Rate
    within_1: Rate
    failure: Rate


def gold_accuracy(
    ratings: Iterable[Rating], answers: Mapping[tuple[str, str], Rating]
) -> tuple[GoldAccuracy, ...]:
    """Each rater's share of right answers on gold items, by name.

    Args:
        ratings: Ratings of any purpose; only scored gold ones count.
        answers: The known answer by trace and step.
    """
    found: dict[str, list[tuple[Rating, Rating]]] = {}
    for rating in ratings:
        known = answers.get(rating.item)
        scored = rating.score is not None
        if rating.purpose is Purpose.GOLD and scored and known is not None:
            found.setdefault(rating.rater, []).append((rating, known))
    return tuple(_accuracy(rater, found[rater]) for rater in sorted(found))


def _accuracy(rater: str, rows: list[tuple[Rating, Rating]]) -> GoldAccuracy:
    apart = [abs((own.score or 0.0) - (known.score or 0.0)) for own, known in rows]
    return GoldAccuracy(
        rater,
        Rate(sum(gap == 0 for gap in apart), len(rows)),
        Rate(sum(gap <= 1 for gap in apart), len(rows)),
        Rate(sum(own.fails == known.fails for own, known in rows), len(rows)),
    )


def repeats(ratings: Iterable[Rating]) -> Pairs:
    """Each rater's first rating of a step beside the repeat of it."""
    ratings = list(ratings)
    planned = [r for r in ratings if r.purpose is Purpose.PLANNED]
    first = {
        (rating.item, rating.rater): rating
        for rows in by_item(planned).values()
        for rating in rows
    }
    again = [r for r in ratings if r.purpose is Purpose.REPEAT]
    both = [
        (first[rating.item, rating.rater], rating)
        for rows in by_item(again).values()
        for rating in rows
        if (rating.item, rating.rater) in first
    ]
    return Pairs(tuple(one for one, _ in both), tuple(two for _, two in both))
