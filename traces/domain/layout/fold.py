"""Fewer boxes for long runs: healthy regions and parallel calls drawn as one.

Both foldings keep every step exactly once, never touch a step of the keep set
and give an acyclic graph. Linear in steps and edges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import heapify, heappop, heappush

from traces.domain.layout.contract import REGION, Contraction
from traces.domain.layout.lanes import FAN
from traces.domain.layout.model import LayoutNode

OPENED = 200
"""Most regions that can be open at a time."""
BRANCH = 8
"""Longest branch that is compared with its neighbours, in steps."""


@dataclass(frozen=True, slots=True)
class Fold:
    """One box of a folded graph.

    Attributes:
        members: Indices of its steps, ascending.
        parents: Places of the boxes it depends on, ascending.
        fan: True if its steps are parallel calls of one name ("×5").
    """

    members: tuple[int, ...]
    parents: tuple[int, ...]
    fan: bool = False


@dataclass(frozen=True, slots=True)
class Folding:
    """A graph of boxes.

    Attributes:
        folds: In topological order, by first member where that leaves a choice.
        of: Place of the box of each step.
    """

    folds: tuple[Fold, ...]
    of: tuple[int, ...]


def fold_regions(
    nodes: Sequence[LayoutNode],
    keep: Collection[int],
    opened: Iterable[int] = (),
    most: int = 1_500,
) -> Folding:
    """Fold what lies between the steps to keep.

    Series, parallel and dangling steps are contracted until nothing changes. If
    more than ``most`` boxes are left, boxes that follow each other in
    topological order are joined too.

    Args:
        nodes: In topological order; ``nodes[i].index == i``.
        keep: Steps drawn by themselves: failed ones and attribution paths.
        opened: Steps whose regions are unfolded, in the order they were opened.
        most: Boxes wanted at most; kept steps may exceed it.
    """
    kept = set(keep)
    folding = _folded(nodes, kept, most)
    for step in list(opened)[:OPENED]:
        if 0 <= step < len(nodes) and step not in kept:
            kept.update(folding.folds[folding.of[step]].members)
            folding = _folded(nodes, kept, most)
    return folding


def _folded(nodes: Sequence[LayoutNode], kept: set[int], most: int) -> Folding:
    contraction = Contraction(nodes, kept)
    contraction.run()
    boxes = contraction.boxes()
    folding = ordered(boxes, {i: contraction.parents[i] for i in boxes})
    return folding if len(folding.folds) <= most else _joined(folding, kept)


def _joined(folding: Folding, kept: set[int]) -> Folding:
    """Join boxes that follow each other in topological order: always acyclic."""
    block: list[int] = []
    boxes: dict[int, list[int]] = {}
    room = 0
    for fold in folding.folds:
        alone = fold.members[0] in kept
        if alone or len(fold.members) > room:
            room = REGION
            boxes[len(boxes)] = []
        boxes[len(boxes) - 1] += fold.members
        room = 0 if alone else room - len(fold.members)
        block.append(len(boxes) - 1)
    parents: dict[int, set[int]] = {i: set() for i in boxes}
    for place, fold in enumerate(folding.folds):
        parents[block[place]] |= {block[p] for p in fold.parents} - {block[place]}
    return ordered({i: sorted(found) for i, found in boxes.items()}, parents)


def fold_fans(
    nodes: Sequence[LayoutNode], keep: Collection[int], opened: Collection[int] = ()
) -> Folding:
    """Fold parallel branches of one lane with the same names into one branch.

    At least ``FAN`` branches that hang on the same steps, lead to the same steps
    and have the same names, step by step, become one branch of "×n" boxes.

    Args:
        nodes: In topological order; ``nodes[i].index == i``.
        keep: Steps whose branches are drawn by themselves.
        opened: Steps whose fans are unfolded.
    """
    boxes = {node.index: [node.index] for node in nodes}
    for branches in _fans(nodes, set(keep)).values():
        members = {i for branch in branches for i in branch}
        if len(branches) >= FAN and members.isdisjoint(opened):
            for first, *others in zip(*branches, strict=True):
                boxes[first] += others
                for i in others:
                    del boxes[i]
    into = {i: box for box, found in boxes.items() for i in found}
    parents = {
        box: {into[p] for i in found for p in nodes[i].parents}
        for box, found in boxes.items()
    }
    folding = ordered(boxes, parents)
    return Folding(
        tuple(replace(f, fan=len(f.members) > 1) for f in folding.folds), folding.of
    )


Signature = tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[str, str], ...]]


def _fans(
    nodes: Sequence[LayoutNode], kept: set[int]
) -> dict[Signature, list[list[int]]]:
    """Branches without kept steps by what they hang on, lead to and are called."""
    kids: list[list[int]] = [[] for _ in nodes]
    for node in nodes:
        for parent in set(node.parents):
            kids[parent].append(node.index)
    fans: dict[Signature, list[list[int]]] = {}
    for node in nodes:
        if node.parents and not _follows(node, nodes, kids):
            branch = _branch(node.index, nodes, kids)
            names = tuple((nodes[i].lane, nodes[i].label) for i in branch)
            if kept.isdisjoint(branch) and all(label for _, label in names):
                signature = (
                    tuple(sorted(set(node.parents))),
                    tuple(kids[branch[-1]]),
                    names,
                )
                fans.setdefault(signature, []).append(branch)
    return fans


def _follows(
    node: LayoutNode, nodes: Sequence[LayoutNode], kids: list[list[int]]
) -> bool:
    """Whether the step only continues the branch of its parent."""
    return len(set(node.parents)) == 1 and len(kids[node.parents[0]]) == 1


def _branch(head: int, nodes: Sequence[LayoutNode], kids: list[list[int]]) -> list[int]:
    branch = [head]
    while len(kids[branch[-1]]) == 1 and len(branch) < BRANCH:
        (kid,) = kids[branch[-1]]
        if len(set(nodes[kid].parents)) != 1:
            break
        branch.append(kid)
    return branch


def ordered(boxes: dict[int, list[int]], parents: dict[int, set[int]]) -> Folding:
    """Number the boxes in topological order, by first member where that is free.

    Args:
        boxes: Steps of each box, ascending.
        parents: Boxes each box depends on; acyclic.
    """
    kids: dict[int, list[int]] = {i: [] for i in boxes}
    for i, found in parents.items():
        for parent in sorted(found):
            kids[parent].append(i)
    left = {i: len(found) for i, found in parents.items()}
    first = {i: found[0] for i, found in boxes.items()}
    ready = [(first[i], i) for i in boxes if not left[i]]
    heapify(ready)
    place: dict[int, int] = {}
    while ready:
        _, i = heappop(ready)
        place[i] = len(place)
        for kid in kids[i]:
            left[kid] -= 1
            if not left[kid]:
                heappush(ready, (first[kid], kid))
    folds = tuple(
        Fold(tuple(boxes[i]), tuple(sorted(place[p] for p in parents[i])))
        for i in place
    )
    return Folding(folds, _places(folds))


def _places(folds: Sequence[Fold]) -> tuple[int, ...]:
    of = [0] * sum(len(fold.members) for fold in folds)
    for place, fold in enumerate(folds):
        for member in fold.members:
            of[member] = place
    return tuple(of)
