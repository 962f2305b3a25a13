"""Where a failure began: three strategies over the same graph.

Algorithm 1 and appendix F of the paper. Every strategy is a greedy heuristic
over recorded dependencies, evidence and not proof of cause.

A failed step with failed parents is *propagated*; its source is one of them. A
failed step without is a *root*. An unscored parent is stepped over: its own
parents stand in for it, and the link says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from judging.domain.settings import LOWEST, Settings
from traces.domain.records import EdgeKind


@dataclass(frozen=True, slots=True)
class Link:
    """A failed step upstream of another failed step.

    Attributes:
        key: The upstream step.
        confidence: Of the edge; the product along stepped-over steps.
        kind: Kind of the edge into the failed step.
        over: Unscored steps between the two, nearest first.
    """

    key: str
    confidence: float
    kind: EdgeKind
    over: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failures:
    """The failed part of a judged graph: all that a strategy may read.

    Attributes:
        scores: Score of each failed step.
        thresholds: Threshold of each failed step.
        index: Topological index of every step.
        links: Failed parents of each failed step, by topological index.
        parents: All direct parents of every step with edge confidence.
    """

    scores: Mapping[str, float]
    thresholds: Mapping[str, float]
    index: Mapping[str, int]
    links: Mapping[str, tuple[Link, ...]]
    parents: Mapping[str, tuple[tuple[str, float], ...]]


@dataclass(frozen=True)
class Attribution:
    """Source and root of every failed step.

    Attributes:
        strategy: Name of the strategy.
        source: Next failed step upstream, by failed step; roots are absent.
        root: Root of every failed step; a root's root is itself.
        between: Steps between a failed step and its source that didn't fail
            (unscored or passed), nearest to the failed step first.
        hops: Number of edges from the root, by failed step.
    """

    strategy: str
    source: Mapping[str, str]
    root: Mapping[str, str]
    between: Mapping[str, tuple[str, ...]]
    hops: Mapping[str, int]

    def path(self, key: str, limit: int = 2_000) -> tuple[str, ...]:
        """Steps from the root to a failed step, both included.

        Of a path longer than ``limit`` the end nearest the failure.
        """
        found = [key]
        while key in self.source and len(found) < limit:
            found.extend(self.between.get(key, ()))
            key = self.source[key]
            found.append(key)
        return tuple(reversed(found))


Strategy = Callable[[Failures, Settings], Attribution]


def greedy_lowest_parent(failures: Failures, settings: Settings) -> Attribution:
    """Follow the lowest-scoring failed parent (the paper's default).

    Ties: the earlier step in topological order. Linear but for the paths.
    """
    del settings
    source = {
        key: min(
            links,
            key=lambda link: (failures.scores[link.key], failures.index[link.key]),
        ).key
        for key, links in failures.links.items()
        if links
    }
    return _along(failures, source, "greedy_lowest_parent")


def weighted_propagation(failures: Failures, settings: Settings) -> Attribution:
    """Follow the parent with the most weight: edge confidence × shortfall.

    The shortfall of a step is (θ − q) / (θ − 1), from 0 at the threshold to 1
    at the lowest score. A link below ``settings.weak_link`` is not followed:
    the step is taken as a root. Ties: the earlier step.
    """
    source: dict[str, str] = {}
    for key, links in failures.links.items():
        best = max(
            links,
            key=lambda link: (_weight(failures, link), -failures.index[link.key]),
            default=None,
        )
        if best is not None and _weight(failures, best) >= settings.weak_link:
            source[key] = best.key
    return _along(failures, source, "weighted_propagation")


def _weight(failures: Failures, link: Link) -> float:
    return link.confidence * shortfall(
        failures.scores[link.key], failures.thresholds[link.key]
    )


def shortfall(score: float, threshold: float) -> float:
    """How far below its threshold a score lies, 0 to 1."""
    if threshold <= LOWEST:
        return 0.0
    return max(0.0, min(1.0, (threshold - score) / (threshold - LOWEST)))


def full_path_minimum(failures: Failures, settings: Settings) -> Attribution:
    """Blame the lowest score anywhere upstream, through passed steps as well.

    The root of a failed step is the lowest-scoring failed step among itself
    and all its ancestors (ties: the earlier one); the path is a shortest one.
    Finds more roots and blames more wrongly (appendix F: +3 points, .14 false).
    """
    del settings
    order = sorted(failures.index, key=lambda key: failures.index[key])
    best: dict[str, tuple[float, int, str, int]] = {}
    via: dict[str, str] = {}
    for key in order:
        found = _own(failures, key)
        for parent, _ in failures.parents.get(key, ()):
            if parent in best:
                score, at, root, hops = best[parent]
                candidate = (score, at, root, hops + 1)
                if found is None or _before(candidate, found):
                    found = candidate
                    via[key] = parent
        if found is not None:
            best[key] = found
            if found[2] == key:
                via.pop(key, None)
    return _through(failures, best, via)


def _own(failures: Failures, key: str) -> tuple[float, int, str, int] | None:
    score = failures.scores.get(key)
    return None if score is None else (score, failures.index[key], key, 0)


def _before(
    one: tuple[float, int, str, int], other: tuple[float, int, str, int]
) -> bool:
    return (one[0], one[1], one[3]) < (other[0], other[1], other[3])


def _through(
    failures: Failures,
    best: Mapping[str, tuple[float, int, str, int]],
    via: Mapping[str, str],
) -> Attribution:
    source: dict[str, str] = {}
    between: dict[str, tuple[str, ...]] = {}
    next_failed: dict[str, tuple[str, ...]] = {}
    for key in sorted(best, key=lambda one: failures.index[one]):
        above = via.get(key)
        if above is None:
            continue
        stop = above in failures.scores
        next_failed[key] = (above,) if stop else (above, *next_failed[above])
        if key in failures.scores:
            *passed, source[key] = next_failed[key]
            between[key] = tuple(passed)
    return _rooted(failures, source, between, "full_path_minimum")


def _along(failures: Failures, source: Mapping[str, str], strategy: str) -> Attribution:
    between = {
        key: link.over
        for key, links in failures.links.items()
        for link in links
        if link.over and source.get(key) == link.key
    }
    return _rooted(failures, source, between, strategy)


def _rooted(
    failures: Failures,
    source: Mapping[str, str],
    between: Mapping[str, tuple[str, ...]],
    strategy: str,
) -> Attribution:
    """Follow sources to the roots; a source always has a lower index."""
    root: dict[str, str] = {}
    hops: dict[str, int] = {}
    for key in sorted(failures.scores, key=lambda one: failures.index[one]):
        upstream = source.get(key)
        root[key] = key if upstream is None else root[upstream]
        step = 0 if upstream is None else 1 + len(between.get(key, ()))
        hops[key] = step + (0 if upstream is None else hops[upstream])
    return Attribution(strategy, dict(source), root, between, hops)


STRATEGIES: Mapping[str, Strategy] = {
    "greedy_lowest_parent": greedy_lowest_parent,
    "full_path_minimum": full_path_minimum,
    "weighted_propagation": weighted_propagation,
}
