"""One number for a run: the weighted harmonic mean of its steps.

Appendix P of the paper: a step's weight grows with its descendants. Q = Σw /
Σ(w/q) with w = 1 + |desc(v)| (the weight is our decision).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judging.domain.scores import State, StepScore
from judging.domain.settings import HIGHEST
from traces.domain.records import Graph

BLOCK = 4096
"""Bits of the reachability rows that are held at once: memory stays linear."""


@dataclass(frozen=True, slots=True)
class WorkflowScore:
    """The score of a run.

    Attributes:
        value: 1 to 5, None where nothing was judged.
        upper_bound: True where steps without finding entered as 5, so that
            the value can only be an upper bound (offline checks cap scores,
            they don't give them).
    """

    value: float | None
    upper_bound: bool


def descendants(graph: Graph) -> list[int]:
    """Number of distinct steps that depend on each step, by index.

    Rows of bits, a block of columns at a time: time V·E/word, memory linear.
    """
    index = {step.key: step.index for step in graph.steps}
    children: list[list[int]] = [[] for _ in graph.steps]
    for edge in graph.edges:
        children[index[edge.source]].append(index[edge.target])
    counts = [0] * len(children)
    for first in range(0, len(children), BLOCK):
        _count_block(children, counts, first)
    return counts


def _count_block(children: Sequence[list[int]], counts: list[int], first: int) -> None:
    last = min(first + BLOCK, len(children))
    rows = [0] * last
    for node in range(last - 1, -1, -1):
        row = 0
        for child in children[node]:
            if child < last:
                row |= rows[child]
            if first <= child < last:
                row |= 1 << (child - first)
        rows[node] = row
        counts[node] += row.bit_count()


def workflow_score(
    graph: Graph, scores: Mapping[str, StepScore], weights: Sequence[int]
) -> WorkflowScore:
    """Weighted harmonic mean over the judged steps.

    Steps without finding enter with the highest score, which makes the value
    an upper bound; unscored, pending and boundary steps stay out. Where no
    step has a score there is nothing to average.

    Args:
        graph: The evaluation graph.
        scores: State of every step by key.
        weights: Descendants by index, see ``descendants``.
    """
    total, parts, bound = 0.0, 0.0, False
    if all(judged.score is None for judged in scores.values()):
        return WorkflowScore(None, upper_bound=False)
    for step in graph.steps:
        judged = scores[step.key]
        quality = judged.score
        if judged.state is State.NO_FINDING:
            quality, bound = HIGHEST, True
        if quality is not None:
            weight = 1 + weights[step.index]
            total += weight
            parts += weight / quality
    return WorkflowScore(total / parts, bound)
