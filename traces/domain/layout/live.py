"""Columns for a run that is still growing: each depends on earlier steps only.

Lanes lie in pieces: where an idle lane's columns went to another lane, its next
step opens a new piece elsewhere. Once the run has ended, the ordinary layout
draws it tighter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from traces.domain.layout.model import Dag

SCAN = 256
"""Columns looked at for one step before a new one is opened."""


@dataclass(slots=True)
class Piece:
    """Neighbouring columns one lane holds from some row on.

    Attributes:
        name: Agent.
        columns: Ascending.
        low: First row.
        high: Last row with a step.
        roof: Last row that an earlier owner used in any of the columns.
        closed: Whether a column went to another lane; no step is added then.
        trunk: Whether this is the lane of the first step, never closed.
    """

    name: str
    columns: list[int]
    low: int
    high: int
    roof: int = -1
    closed: bool = False
    trunk: bool = False


@dataclass(slots=True)
class Grid:
    """Which cells are taken, and by which piece each column is held."""

    cells: set[tuple[int, int]] = field(default_factory=set)
    bottom: list[int] = field(default_factory=list)
    owner: list[Piece | None] = field(default_factory=list)

    def free(self, column: int, row: int, piece: Piece) -> bool:
        """Whether the piece may use the cell."""
        return self.owner[column] is piece and (column, row) not in self.cells

    def idle(self, column: int, row: int) -> bool:
        """Whether the column ends early enough above the row to change hands."""
        if column >= len(self.bottom):
            return True
        return column > 0 and self._end(column) < row - 1

    def give(self, column: int, piece: Piece) -> None:
        """Hand the column to the piece."""
        while column >= len(self.bottom):
            self.bottom.append(-1)
            self.owner.append(None)
        before = self.owner[column]
        if before is not None and before is not piece:
            piece.roof = max(piece.roof, self._end(column))
            before.closed = not before.trunk
            if before.trunk:
                before.columns.remove(column)
        self.owner[column] = piece

    def _end(self, column: int) -> int:
        """Last row the column's owner keeps others out of."""
        owner = self.owner[column]
        if owner is None or owner.trunk:
            return self.bottom[column]
        return owner.high

    def first_idle(self, row: int, wanted: int = 0) -> int:
        """The wanted column if it is idle, else the first that is."""
        if wanted and self.idle(wanted, row):
            return wanted
        end = len(self.bottom)
        return next((c for c in range(1, min(end, SCAN)) if self.idle(c, row)), end)


def live_columns(dag: Dag, pinned: Mapping[str, int]) -> tuple[list[int], list[Piece]]:
    """Column of each step and the pieces of all lanes, in order of appearance.

    Args:
        dag: The run so far.
        pinned: First columns of lanes in an earlier drawing of this run; used
            where the column is idle.
    """
    grid = Grid()
    columns: list[int] = []
    pieces: list[Piece] = []
    current: dict[str, Piece] = {}
    tried: dict[tuple[int, int], int] = {}
    for i, row in enumerate(dag.rank):
        name = dag.lane[i]
        piece = current.get(name)
        column = -1 if piece is None else _within(i, dag, columns, piece, grid, tried)
        if piece is None or column < 0:
            wanted = pinned.get(name, 0) if piece is None else 0
            opened, column = _opened(piece, name, row, wanted, grid)
            if opened is not piece:
                pieces.append(opened)
            piece = current[name] = opened
        grid.cells.add((column, row))
        grid.bottom[column] = max(grid.bottom[column], row)
        piece.low, piece.high = min(piece.low, row), max(piece.high, row)
        columns.append(column)
    return columns, pieces


def _within(
    i: int,
    dag: Dag,
    columns: list[int],
    piece: Piece,
    grid: Grid,
    tried: dict[tuple[int, int], int],
) -> int:
    """A column of the piece for step i, -1 if it has none."""
    row = dag.rank[i]
    if piece.closed or (row <= piece.roof and not piece.trunk):
        return -1
    parents = sorted(columns[p] for p in dag.parents[i] if dag.lane[p] == dag.lane[i])
    for column in (*parents, *_untried(piece, row, tried)):
        if grid.free(column, row, piece):
            return column
    beside = piece.columns[-1] + 1
    if piece.trunk or not grid.idle(beside, piece.low + 1):
        return -1
    grid.give(beside, piece)
    piece.columns.append(beside)
    return beside


def _untried(
    piece: Piece, row: int, tried: dict[tuple[int, int], int]
) -> Iterator[int]:
    """Columns of the piece not yet looked at for this row: a wide row stays linear."""
    key = (id(piece), row)
    for k in range(tried.get(key, 0), len(piece.columns)):
        tried[key] = k
        yield piece.columns[k]


def _opened(
    piece: Piece | None, name: str, row: int, wanted: int, grid: Grid
) -> tuple[Piece, int]:
    """A column for a lane that has none free: a new piece, or one more for the trunk."""
    if not grid.bottom:
        piece = Piece(name, [0], row, row, trunk=True)
        grid.give(0, piece)
        return piece, 0
    column = grid.first_idle(row, wanted)
    if piece is None or not piece.trunk:
        piece = Piece(name, [], row, row)
    grid.give(column, piece)
    if column not in piece.columns:
        piece.columns.append(column)
    return piece, column
