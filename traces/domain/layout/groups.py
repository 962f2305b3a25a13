"""Sub-agents and loops drawn as one box each, where nothing in them failed.

A group becomes one box. Groups that wait for each other would make the drawing run
in circles: they are cut into the parts between their waits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from traces.domain.layout.contract import REGION
from traces.domain.layout.fold import Fold, Folding, ordered
from traces.domain.layout.model import LayoutNode

FEWEST = 4
"""Fewest steps that are worth a box."""


def fold_groups(
    nodes: Sequence[LayoutNode],
    groups: Iterable[Collection[int]],
    keep: Collection[int],
    opened: Collection[int] = (),
) -> Folding:
    """Fold the outermost groups that hold none of the steps to keep.

    Linear in steps, edges and members of groups.

    Args:
        nodes: In topological order; ``nodes[i].index == i``.
        groups: Steps of each sub-agent or loop, outer ones first.
        keep: Steps drawn by themselves: failed ones and attribution paths.
        opened: Steps whose groups are unfolded.
    """
    box = _boxes(len(nodes), groups, {*keep, *opened})
    _cut(nodes, box, _in_circles(nodes, box))
    members: dict[int, list[int]] = {}
    parents: dict[int, set[int]] = {}
    for node, own in zip(nodes, box, strict=True):
        members.setdefault(own, []).append(node.index)
        parents.setdefault(own, set()).update(box[p] for p in node.parents)
        parents[own].discard(own)
    return ordered(members, parents)


def then(first: Folding, second: Folding) -> Folding:
    """Two foldings one after the other: ``second`` folds the boxes of ``first``."""
    folds = tuple(
        Fold(
            tuple(sorted(i for at in fold.members for i in first.folds[at].members)),
            fold.parents,
            fold.fan,
        )
        for fold in second.folds
    )
    return Folding(folds, tuple(second.of[place] for place in first.of))


def _boxes(size: int, groups: Iterable[Collection[int]], single: set[int]) -> list[int]:
    """Number of the box of each step: of its first member, else its own."""
    box = list(range(size))
    for group in groups:
        if FEWEST <= len(group) <= REGION and single.isdisjoint(group):
            first = min(group)
            if all(box[i] == i for i in group):
                for i in group:
                    box[i] = first
    return box


def _in_circles(nodes: Sequence[LayoutNode], box: Sequence[int]) -> set[int]:
    """Boxes on a circle, or between two circles: what is left from both ends.

    Cutting them is enough: a circle of the new drawing would have been one before,
    through these boxes only.
    """
    kids: dict[int, set[int]] = {own: set() for own in box}
    parents: dict[int, set[int]] = {own: set() for own in box}
    for node in nodes:
        own = box[node.index]
        for parent in node.parents:
            if box[parent] != own:
                kids[box[parent]].add(own)
                parents[own].add(box[parent])
    left = set(kids)
    for before, after in ((parents, kids), (kids, parents)):
        _peel(left, before, after)
    return left


def _cut(nodes: Sequence[LayoutNode], box: list[int], caught: set[int]) -> None:
    """Cut boxes by depth: how often what a step depends on has changed boxes.

    Edges between parts lead to greater depth, so that there is no circle.
    """
    whole = tuple(box)
    depth = [0] * len(nodes)
    parts: dict[tuple[int, int], list[int]] = {}
    for node in nodes if caught else ():
        i, own = node.index, whole[node.index]
        depth[i] = max(
            (depth[p] + (whole[p] != own or own not in caught) for p in node.parents),
            default=0,
        )
        if own in caught:
            parts.setdefault((own, depth[i]), []).append(i)
    for members in parts.values():
        for i in members:
            box[i] = members[0] if len(members) >= FEWEST else i


def _peel(
    left: set[int], before: dict[int, set[int]], after: dict[int, set[int]]
) -> None:
    """Take away what has nothing before it, again and again."""
    waits = {own: len(before[own] & left) for own in left}
    ready = [own for own, count in waits.items() if not count]
    while ready:
        own = ready.pop()
        left.discard(own)
        for next_ in after[own]:
            if next_ in left:
                waits[next_] -= 1
                if not waits[next_]:
                    ready.append(next_)
