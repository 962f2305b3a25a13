"""What several experts say together, without asking them again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from annotation.domain.pairs import Pairs, by_item
from annotation.domain.ratings import Rating

CONSENSUS = "consensus"


def middle(scores: Iterable[float]) -> float:
    """The median; of an even number of scores the lower of the middle two.

    The severer side wins a tie, so that a split over a failure is looked at.

    Raises:
        ValueError: There are no scores.
    """
    ordered = sorted(scores)
    if not ordered:
        raise ValueError("no scores, no median")
    return ordered[(len(ordered) - 1) // 2]


def most_named(paths: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """The category path that most raters share, as deep as a majority goes.

    Level by level the most frequent id among those who agree so far; it ends
    where no more than half of the raters name one and the same.
    """
    paths = list(paths)
    found: tuple[str, ...] = ()
    while True:
        deeper = Counter(
            path[: len(found) + 1]
            for path in paths
            if len(path) > len(found) and path[: len(found)] == found
        )
        if not deeper:
            return found
        path, count = min(deeper.items(), key=lambda one: (-one[1], one[0]))
        if 2 * count <= len(paths):
            return found
        found = path


def consensus(ratings: Sequence[Rating]) -> Rating:
    """One rating for all ratings of one step.

    The score is the median; it fails if that is 2 or less, whatever rules the
    raters had; it is a root if more than half marked it.
    """
    first = ratings[0]
    scores = [rating.score for rating in ratings if rating.score is not None]
    failing = [rating.category for rating in ratings if rating.fails]
    return Rating(
        first.trace,
        first.step,
        CONSENSUS,
        middle(scores),
        category=most_named(failing) if any(failing) else (),
        root=2 * sum(rating.root for rating in ratings) > len(ratings),
        kind=first.kind,
        group=first.group,
        period=first.period,
    )


def consensus_of_all(ratings: Iterable[Rating], at_least: int = 2) -> list[Rating]:
    """The consensus of every step with enough ratings, sorted."""
    return [
        consensus(rows) for rows in by_item(ratings).values() if len(rows) >= at_least
    ]


def left_out(experts: Iterable[Rating], judge: Iterable[Rating]) -> tuple[Pairs, Pairs]:
    """Each expert and the judge against the consensus of the other experts.

    Both answers have the same rows: the consensus without that expert comes
    first in each pair, so that the two can be compared on equal terms.

    Returns:
        Pairs with the expert, pairs with the judge.
    """
    judged = {rating.item: rating for rating in judge if rating.score is not None}
    others: list[Rating] = []
    own: list[Rating] = []
    for item, rows in by_item(experts).items():
        if len(rows) < 2 or item not in judged:
            continue
        for rating in rows:
            others.append(consensus([one for one in rows if one is not rating]))
            own.append(rating)
    judges = tuple(judged[rating.item] for rating in own)
    first = tuple(others)
    return Pairs(first, tuple(own)), Pairs(first, judges)
