"""Lane layout of a step graph: row = longest path, column = agent and branch.

Linear in steps and edges. Up to ``order.STEPS`` steps, chains and lanes are
moved until fewer edges cross. Every x and y lies on the grid of ``model``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from traces.domain.layout.live import Piece, live_columns
from traces.domain.layout.model import (
    GAP,
    GUTTER,
    NODE_HEIGHT,
    NODE_WIDTH,
    ROW,
    Dag,
    Lane,
    Layout,
    LayoutNode,
    position,
)
from traces.domain.layout.order import arrange, swept
from traces.domain.layout.ranks import dag_of

FAN = 3
"""Fewest parallel steps of one name that may be drawn as one."""
LANE_TOP, LANE_BOTTOM = 12, 7
"""How far a lane reaches beyond its steps: below the last track of the gap above."""


def layout(
    nodes: Sequence[LayoutNode], pinned: Mapping[str, int] | None = None
) -> Layout:
    """Place the steps of one run.

    Args:
        nodes: In topological order; ``nodes[i].index == i``.
        pinned: None for a run that has ended. For a run that may still grow,
            the ``pinned`` of its last layout ({} the first time): steps placed
            before stay where they are when more are appended.

    Raises:
        ValueError: A node's index is not its place, or a parent comes later.
    """
    dag = dag_of(nodes)
    if not nodes:
        return Layout((), (), (0, 0), (), (), {}, dict(pinned or {}))
    if pinned is None:
        columns, via, pieces = _settled(dag)
    else:
        columns, pieces = live_columns(dag, pinned)
        via = _beside_targets(dag, columns)
    return Layout(
        positions=tuple(map(position, columns, dag.rank)),
        lanes=tuple(map(_lane, pieces)),
        size=(_width(columns), (1 + max(dag.rank)) * ROW - GAP),
        ranks=tuple(dag.rank),
        columns=tuple(columns),
        via=via,
        pinned={**(pinned or {}), **_first_columns(pieces)},
        foldable=_fans(nodes, dag),
    )


def _settled(
    dag: Dag,
) -> tuple[Sequence[int], Mapping[tuple[int, int], int], list[Piece]]:
    arrangement = arrange(dag)
    strands = swept(arrangement)
    pieces = []
    for lane in arrangement.lanes.values():
        slots = [arrangement.chains[number].slot for number in lane.chains]
        columns = [lane.column + min(slots), lane.column + max(slots)]
        trunk = lane is arrangement.trunk
        pieces.append(Piece(lane.name, columns, lane.low, lane.high, trunk=trunk))
    return strands.columns, strands.via, pieces


def _beside_targets(dag: Dag, columns: Sequence[int]) -> dict[tuple[int, int], int]:
    """Every edge that skips rows left of its target, whatever comes later."""
    return {
        (u, v): 2 * columns[v] - 1
        for v, parents in enumerate(dag.parents)
        for u in parents
        if dag.rank[v] > dag.rank[u] + 1
    }


def _lane(piece: Piece) -> Lane:
    first, last = piece.columns[0], piece.columns[-1]
    x, y = position(first, piece.low)
    return Lane(
        name=piece.name,
        x=x - GUTTER // 4,
        y=y - LANE_TOP,
        width=position(last - first, 0)[0] + NODE_WIDTH + GUTTER // 2,
        height=position(0, piece.high - piece.low)[1]
        + NODE_HEIGHT
        + LANE_TOP
        + LANE_BOTTOM,
        trunk=piece.trunk,
    )


def _first_columns(pieces: Iterable[Piece]) -> dict[str, int]:
    first: dict[str, int] = {}
    for piece in pieces:
        first.setdefault(piece.name, piece.columns[0])
    return first


def _width(columns: Iterable[int]) -> int:
    return position(max(columns), 0)[0] + NODE_WIDTH


def _fans(nodes: Sequence[LayoutNode], dag: Dag) -> tuple[tuple[int, ...], ...]:
    """Children that are alike, each looked at under its first parent."""
    found: list[tuple[int, ...]] = []
    for parent, kids in enumerate(dag.kids):
        if len(kids) >= FAN:
            fans: dict[tuple[tuple[int, ...], str, str], list[int]] = {}
            for kid in kids:
                if nodes[kid].label and dag.parents[kid][0] == parent:
                    alike = tuple(sorted(dag.parents[kid])), dag.lane[kid]
                    fans.setdefault((*alike, nodes[kid].label), []).append(kid)
            found += [tuple(fan) for fan in fans.values() if len(fan) >= FAN]
    return tuple(found)
