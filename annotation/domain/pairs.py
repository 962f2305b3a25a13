"""Pairs of ratings of the same step: judge and expert, or expert and expert."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from annotation.domain.bootstrap import tables_by_trace
from annotation.domain.ratings import Rating, RatingError, find_faults
from annotation.domain.scale import SCORES, Array, Scale, rounded

Item = tuple[str, str]


@dataclass(frozen=True)
class Pairs:
    """Columns of pairs, sorted by trace, step, first and second rater.

    Attributes:
        firsts: The first rating of each pair (the expert's).
        seconds: The second (the judge's, or another expert's).
        scale: Scale of the scores.
    """

    firsts: tuple[Rating, ...]
    seconds: tuple[Rating, ...]
    scale: Scale = SCORES

    def __len__(self) -> int:
        return len(self.firsts)

    @cached_property
    def traces(self) -> tuple[str, ...]:
        """Traces with at least one pair, sorted."""
        return tuple(sorted({rating.trace for rating in self.firsts}))

    @cached_property
    def trace(self) -> Array:
        """Position of the trace of each pair."""
        at = {trace: at for at, trace in enumerate(self.traces)}
        return _numbers((at[rating.trace] for rating in self.firsts), int)

    @cached_property
    def steps(self) -> int:
        """Number of different steps."""
        return len({rating.item for rating in self.firsts})

    @cached_property
    def x(self) -> Array:
        """Score of the first rater as given."""
        return _numbers((rating.score for rating in self.firsts), float)

    @cached_property
    def y(self) -> Array:
        """Score of the second rater as given: a judge's mean is not rounded."""
        return _numbers((rating.score for rating in self.seconds), float)

    @cached_property
    def a(self) -> Array:
        """First score on the scale, by position."""
        return codes(self.x, self.scale)

    @cached_property
    def b(self) -> Array:
        """Second score on the scale, by position."""
        return codes(self.y, self.scale)

    @cached_property
    def first_fails(self) -> Array:
        """Whether the first rater sees a failure."""
        return _numbers((rating.fails for rating in self.firsts), bool)

    @cached_property
    def second_fails(self) -> Array:
        """Whether the second rater sees a failure."""
        return _numbers((rating.fails for rating in self.seconds), bool)

    @cached_property
    def tables(self) -> Array:
        """Table of scores of each trace, (traces, q, q)."""
        q = self.scale.q
        return tables_by_trace(self.trace, len(self.traces), self.a, self.b, q)

    @cached_property
    def fail_tables(self) -> Array:
        """Table of fail (first) and ok of each trace, (traces, 2, 2)."""
        rows, columns = 1 - self.first_fails * 1, 1 - self.second_fails * 1
        return tables_by_trace(self.trace, len(self.traces), rows, columns, 2)

    def where(self, chosen: Iterable[bool]) -> Pairs:
        """Only some of the pairs, with only their traces."""
        kept = [at for at, yes in enumerate(chosen) if yes]
        return replace(
            self,
            firsts=tuple(self.firsts[at] for at in kept),
            seconds=tuple(self.seconds[at] for at in kept),
        )

    def by(self, key: Callable[[Rating], str]) -> Mapping[str, Pairs]:
        """Pairs by a name that the first rating has, sorted; nameless left out."""
        positions: dict[str, list[int]] = {}
        for at, rating in enumerate(self.firsts):
            if name := key(rating):
                positions.setdefault(name, []).append(at)
        return {
            name: replace(
                self,
                firsts=tuple(self.firsts[at] for at in positions[name]),
                seconds=tuple(self.seconds[at] for at in positions[name]),
            )
            for name in sorted(positions)
        }


def _numbers(values: Iterable[float | None], kind: type) -> Array:
    return np.array(list(values), dtype=kind)


def codes(scores: Array, scale: Scale) -> Array:
    """Positions on the scale of scores, means rounded as ``rounded`` does.

    Raises:
        ValueError: A score lies outside the scale.
    """
    different, back = np.unique(scores, return_inverse=True)
    at = [scale.code[rounded(float(score), scale)] for score in different]
    return np.array(at, dtype=np.int64)[back] if at else np.zeros(0, dtype=np.int64)


def _checked(ratings: Sequence[Rating]) -> None:
    faults = find_faults(ratings, value=lambda _: SCORES.labels[0])
    if faults:
        raise RatingError(faults)


def with_judge(experts: Sequence[Rating], judge: Sequence[Rating]) -> Pairs:
    """Each expert's rating beside the judge's of the same step.

    Raises:
        RatingError: An expert or the judge rated a step twice.
    """
    _checked(experts)
    _checked(judge)
    by_item = {rating.item: rating for rating in judge if rating.score is not None}
    rows = sorted(
        (r for r in experts if r.score is not None and r.item in by_item),
        key=lambda r: (r.trace, r.step, r.rater),
    )
    return Pairs(tuple(rows), tuple(by_item[r.item] for r in rows))


def among(experts: Sequence[Rating]) -> Pairs:
    """Every two experts' ratings of the same step, the earlier name first.

    Raises:
        RatingError: An expert rated a step twice.
    """
    _checked(experts)
    by_item: dict[Item, list[Rating]] = {}
    for rating in sorted(experts, key=lambda r: (r.trace, r.step, r.rater)):
        if rating.score is not None:
            by_item.setdefault(rating.item, []).append(rating)
    both = [
        (one, other)
        for rows in by_item.values()
        for at, one in enumerate(rows)
        for other in rows[at + 1 :]
    ]
    both.sort(key=lambda two: (two[0].trace, two[0].step, two[0].rater, two[1].rater))
    return Pairs(tuple(one for one, _ in both), tuple(other for _, other in both))
