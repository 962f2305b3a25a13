"""Rows: a step stands below everything it depends on."""

from __future__ import annotations

from collections.abc import Sequence

from traces.domain.layout.model import Dag, LayoutNode

ORPHANS_A_ROW = 4


def dag_of(nodes: Sequence[LayoutNode]) -> Dag:
    """Check the nodes and derive rows, lanes and children.

    Raises:
        ValueError: A node's index is not its place, or a parent comes later.
    """
    parents = [_parents(i, node) for i, node in enumerate(nodes)]
    kids: list[list[int]] = [[] for _ in nodes]
    for i, found in enumerate(parents):
        for parent in found:
            kids[parent].append(i)
    return Dag(parents, kids, _ranks(parents), _lanes(nodes, parents))


def _parents(place: int, node: LayoutNode) -> tuple[int, ...]:
    if node.index != place:
        raise ValueError(f"node {node.index} stands at place {place}")
    found = node.parents
    if found and not 0 <= min(found) <= max(found) < place:
        raise ValueError(f"node {place} has a parent that does not precede it")
    return tuple(dict.fromkeys(found)) if len(found) > 1 else tuple(found)


def _ranks(parents: Sequence[tuple[int, ...]]) -> list[int]:
    """Longest path from the top.

    A step without parents stands beside the step before it, so that late user
    turns are not drawn at the top; steps without any edge fill rows of
    ``ORPHANS_A_ROW``. Each row depends on earlier steps only.
    """
    rank: list[int] = []
    alone = 0
    for i, found in enumerate(parents):
        if found:
            rank.append(1 + max([rank[p] for p in found]))
            alone = 0
            continue
        wrap = alone > 0 and alone % ORPHANS_A_ROW == 0
        rank.append((rank[i - 1] + wrap) if i else 0)
        alone += 1
    return rank


def _lanes(
    nodes: Sequence[LayoutNode], parents: Sequence[tuple[int, ...]]
) -> list[str]:
    first = next((node.lane for node in nodes if node.lane), "")
    lanes: list[str] = []
    for node, found in zip(nodes, parents, strict=True):
        inherited = lanes[found[0]] if found else first
        lanes.append(node.lane or inherited)
    return lanes


def heights(dag: Dag) -> list[int]:
    """Steps on the longest way down from each node, 0 at the ends."""
    height = [0] * len(dag)
    for i in range(len(dag) - 1, -1, -1):
        for parent in dag.parents[i]:
            if height[parent] <= height[i]:
                height[parent] = height[i] + 1
    return height
