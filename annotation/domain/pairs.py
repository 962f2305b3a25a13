"""Pairs of ratings of the same step: judge and expert, or expert and expert."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from operator import attrgetter

import numpy as np

from annotation.domain.bootstrap import tables_by_trace
from annotation.domain.ratings import Rating, RatingError, find_faults
from annotation.domain.scale import SCORES, Array, Label, Scale, rounded

Item = tuple[str, str]
COLUMNS = ("item", "x", "y", "a", "b", "first_fails", "second_fails")
BY_STEP_AND_RATER = attrgetter("trace", "step", "rater")


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
        return len(np.unique(self.item))

    @cached_property
    def item(self) -> Array:
        """A number for the step of each pair, equal for equal steps."""
        at: dict[Item, int] = {}
        found = (at.setdefault(one.item, len(at)) for one in self.firsts)
        return _numbers(found, int)

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

    @cached_property
    def by_raters(self) -> Mapping[tuple[str, str], Array]:
        """Positions of the pairs of each two raters, sorted by name."""
        if not self.firsts:
            return {}
        two = zip(self.firsts, self.seconds, strict=True)
        names = [(one.rater, other.rater) for one, other in two]
        different = sorted(set(names))
        place = {pair: at for at, pair in enumerate(different)}
        own = np.fromiter((place[pair] for pair in names), np.int64, len(names))
        order = np.argsort(own, kind="stable")
        cuts = np.searchsorted(own[order], np.arange(1, len(different)))
        return dict(zip(different, np.split(order, cuts), strict=True))

    def where(self, chosen: Iterable[bool]) -> Pairs:
        """Only some of the pairs, with only their traces."""
        return self._part(np.flatnonzero(np.asarray(chosen, dtype=bool)))

    def by(self, key: Callable[[Rating], str]) -> Mapping[str, Pairs]:
        """Pairs by a name that the first rating has, sorted; nameless left out."""
        positions: dict[str, list[int]] = {}
        for at, rating in enumerate(self.firsts):
            if name := key(rating):
                positions.setdefault(name, []).append(at)
        return {
            name: self._part(np.array(positions[name])) for name in sorted(positions)
        }

    def _part(self, kept: Array) -> Pairs:
        """Pairs at some positions; columns are cut, not made again from ratings."""
        places = kept.tolist()
        part = replace(
            self,
            firsts=tuple(self.firsts[at] for at in places),
            seconds=tuple(self.seconds[at] for at in places),
        )
        used, trace = np.unique(self.trace[kept], return_inverse=True)
        columns = {name: getattr(self, name)[kept] for name in COLUMNS}
        columns["trace"] = trace
        columns["traces"] = tuple(self.traces[at] for at in used.tolist())
        # A cached property reads the instance's dictionary first.
        part.__dict__.update(columns)
        return part


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
    """Means are allowed, numbers outside the scale are not."""
    faults = find_faults(ratings, value=_any_score)
    if faults:
        raise RatingError(faults)


def _any_score(rating: Rating) -> Label:
    inside = rating.score is None or SCORES.spans(rating.score)
    return SCORES.labels[0] if inside else None


def with_judge(experts: Sequence[Rating], judge: Sequence[Rating]) -> Pairs:
    """Each expert's rating beside the judge's of the same step.

    Raises:
        RatingError: An expert or the judge rated a step twice.
    """
    _checked(experts)
    _checked(judge)
    judged = {rating.item: rating for rating in judge if rating.score is not None}
    rows = sorted(
        (r for r in experts if r.score is not None and r.item in judged),
        key=BY_STEP_AND_RATER,
    )
    return Pairs(tuple(rows), tuple(judged[r.item] for r in rows))


def among(experts: Sequence[Rating]) -> Pairs:
    """Every two experts' ratings of the same step, the earlier name first.

    Raises:
        RatingError: An expert rated a step twice.
    """
    _checked(experts)
    firsts: list[Rating] = []
    seconds: list[Rating] = []
    for rows in by_item(experts).values():
        for one, other in combinations(rows, 2):
            firsts.append(one)
            seconds.append(other)
    return Pairs(tuple(firsts), tuple(seconds))


def by_item(ratings: Iterable[Rating]) -> dict[Item, list[Rating]]:
    """Scored ratings by trace and step, sorted, with raters sorted in each."""
    found: dict[Item, list[Rating]] = {}
    for rating in sorted(ratings, key=BY_STEP_AND_RATER):
        if rating.score is not None:
            found.setdefault((rating.trace, rating.step), []).append(rating)
    return found
