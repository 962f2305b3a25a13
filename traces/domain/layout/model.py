"""What the step graph is laid out from and what a layout is.

All lengths are in SVG user units. The drawing is a grid: columns of pitch
``PITCH``, rows of height ``ROW``; a column's gutter lies left of its nodes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

NODE_WIDTH = 208
NODE_HEIGHT = 40
GUTTER = 28
GAP = 30
PITCH = NODE_WIDTH + GUTTER
ROW = NODE_HEIGHT + GAP


@dataclass(frozen=True, slots=True)
class LayoutNode:
    """One step as the layout sees it.

    Attributes:
        index: 0-based place in topological order, equal to its place in the
            sequence given to the layout.
        parents: Indices of the steps it depends on, all smaller than its own.
        lane: Agent who acted; "" joins the lane of its first parent.
        label: Name of the step; equal names of one parent can be folded.
    """

    index: int
    parents: tuple[int, ...] = ()
    lane: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Lane:
    """The rectangle of one agent's steps; no other agent's step is inside.

    Attributes:
        name: The agent.
        x: Left edge.
        y: Top edge.
        width: Width.
        height: Height.
        trunk: True for the lane the drawing hangs on, which has a label but
            no rectangle of its own: other lanes may lie beside its steps.
    """

    name: str
    x: int
    y: int
    width: int
    height: int
    trunk: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything stands.

    Attributes:
        positions: Left top corner of each node.
        lanes: In order of first appearance.
        size: Width and height of the drawing.
        ranks: Row of each node, 0 at the top.
        columns: Column of each node, 0 at the left.
        via: For each edge (parent, child) that skips rows: the half column its
            vertical runs in. Even ``2 * c`` is the middle of column ``c``
            (free of nodes on the way), odd ``2 * c - 1`` the gutter left of it.
        pinned: First column of each lane; give it back to keep lanes in place.
        foldable: Groups of at least ``FAN`` parallel steps with one name, one
            lane and the same parents, which may be drawn as one.
    """

    positions: tuple[tuple[int, int], ...]
    lanes: tuple[Lane, ...]
    size: tuple[int, int]
    ranks: tuple[int, ...]
    columns: tuple[int, ...]
    via: Mapping[tuple[int, int], int]
    pinned: Mapping[str, int]
    foldable: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Dag:
    """The input in arrays, checked.

    Attributes:
        parents: Parents of each node, without repeats, as given.
        kids: Children of each node, ascending.
        rank: Row of each node.
        lane: Lane of each node, none empty unless no lane is known at all.
    """

    parents: Sequence[tuple[int, ...]]
    kids: Sequence[Sequence[int]]
    rank: Sequence[int]
    lane: Sequence[str]

    def __len__(self) -> int:
        """Number of nodes."""
        return len(self.rank)


def position(column: int, rank: int) -> tuple[int, int]:
    """Left top corner of the cell (column, rank)."""
    return column * PITCH, rank * ROW
