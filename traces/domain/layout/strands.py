"""Edges as strands through the gaps between rows, and how often they cross.

An edge to the next row is one segment in one gap. An edge that skips rows goes
down in a half column of its choice (see ``Layout.via``): the free middle of a
column or a gutter. Coordinates here are half columns: column c is ``2 * c``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from traces.domain.layout.model import Dag

Segment = tuple[int, int, int, int]
"""Half column above, half column below, source, target."""
Edge = tuple[int, int]

THOROUGH = 1_000
"""Largest graph in which an edge may look at every gutter."""
PASSES = 4
"""How often crossing edges may choose their gutter again."""
LONG = 64
"""Rows beyond which candidates for an edge's column are no longer compared."""
EFFORT = 600_000
"""Segments looked at while columns are chosen; after that edges run left of their
target. Only graphs far denser than those of runs come to that."""


def crossed(segments: Iterable[Segment], segment: Segment) -> Iterator[Segment]:
    """Segments of one gap that the segment must cross; never one that shares an end."""
    top, bottom, source, target = segment
    for other in segments:
        if (top - other[0]) * (bottom - other[1]) < 0 and not (
            source == other[2] or target == other[3]
        ):
            yield other


def _crossed_count(segments: Iterable[Segment], segment: Segment) -> int:
    top, bottom, source, target = segment
    count = 0
    for other_top, other_bottom, other_source, other_target in segments:
        if (top - other_top) * (bottom - other_bottom) < 0 and not (
            source == other_source or target == other_target
        ):
            count += 1
    return count


Price = tuple[int, int, int, int]
"""Crossings, sideways way, whether in a gutter, half column."""
FAR = 1 << 60

Vertical = tuple[int, int, bool, bool, int, int]
"""First gap, last gap, whether it comes from and goes to the left, source, target."""


def tangled(one: Vertical, other: Vertical) -> bool:
    """Whether two verticals of one gutter must cross, whichever is on the left."""
    if one[:2] > other[:2]:
        one, other = other, one
    if other[0] > one[1] or one[4] == other[4] or one[5] == other[5]:
        return False
    inner_end = other[3] if other[1] <= one[1] else one[3]
    return (other[2] == inner_end) != (other[1] <= one[1])


class Strands:
    """All edges as segments, gap by gap, for a given choice of columns."""

    def __init__(self, dag: Dag, columns: Sequence[int]) -> None:
        """Start without any edge; ``columns`` has the column of each node."""
        self.dag = dag
        self.columns = columns
        self._effort = EFFORT
        self._thorough = len(dag) <= THOROUGH
        self.via: dict[Edge, int] = {}
        self.gaps: list[list[Segment]] = [
            [] for _ in range(1 + max(dag.rank, default=0))
        ]
        self._gutters: dict[int, list[Vertical]] = {}
        self._rows = self._taken()
        self._total = -1
        self._held: dict[tuple[int, int], int] = {}

    def _taken(self) -> dict[int, list[int]]:
        rows: dict[int, list[int]] = {}
        for i, column in enumerate(self.columns):
            rows.setdefault(column, []).append(self.dag.rank[i])
        for found in rows.values():
            found.sort()
        return rows

    def route(self) -> None:
        """Choose a half column for every edge, short edges first."""
        rank = self.dag.rank
        long: list[tuple[int, int, int]] = []
        for v, parents in enumerate(self.dag.parents):
            for u in parents:
                if rank[v] == rank[u] + 1:
                    ends = 2 * self.columns[u], 2 * self.columns[v]
                    self.gaps[rank[u]].append((*ends, u, v))
                else:
                    long.append((rank[v] - rank[u], u, v))
        for _, u, v in sorted(long):
            self._put(u, v, self._best(u, v))
        if self._thorough:
            self._reconsider()

    def _reconsider(self) -> None:
        """Take crossing edges out of their gutters and choose again, with all there."""
        for _ in range(PASSES):
            self._effort -= self._pairs()
            if self._effort < 0:
                break
            count = Counter(edge for pair in self.crossing() for edge in pair)
            changed = False
            for u, v in sorted(count, key=lambda edge: (-count[edge], edge)):
                half = self.via.get((u, v), 0)
                if half % 2 and self._effort > 0:
                    self._lift(u, v, half)
                    better = self._best(u, v)
                    self._put(u, v, better)
                    changed |= better != half
            if not changed:
                break

    def _lift(self, u: int, v: int, half: int) -> None:
        self._gutters[half].remove(self._vertical(u, v, half))
        for gap, segment in self._segments(u, v, half):
            self.gaps[gap].remove(segment)

    def _put(self, u: int, v: int, half: int) -> None:
        self.via[u, v] = half
        if half % 2 == 0:
            self._hold(u, v, half)
        elif self._thorough:
            self._gutters.setdefault(half, []).append(self._vertical(u, v, half))
        for gap, segment in self._segments(u, v, half):
            self.gaps[gap].append(segment)

    def _best(self, u: int, v: int) -> int:
        """Near columns and gutters first; every gutter if those cross something."""
        if self.dag.rank[v] - self.dag.rank[u] > LONG or self._effort < 0:
            return 2 * self.columns[v] - 1
        best = self._cheapest(u, v, self._candidates(u, v), (FAR, 0, 0, 0))
        if best[0] and self._thorough:
            gutters = range(-1, 2 * max(self.columns) + 2, 2)
            best = self._cheapest(u, v, gutters, best)
        return best[-1]

    def _cheapest(self, u: int, v: int, halves: Iterable[int], best: Price) -> Price:
        for half in halves:
            price = self._price(u, v, half, best[0])
            best = min(best, price)
        return best

    def _candidates(self, u: int, v: int) -> Iterable[int]:
        near = {self.columns[u], self.columns[v]}
        for column in sorted(near):
            if self._free(u, v, column):
                yield 2 * column
        for column in sorted(near):
            yield 2 * column - 1
            yield 2 * column + 1

    def _price(self, u: int, v: int, half: int, most: int) -> Price:
        """Crossings, then sideways way, then keep to the middle of a column.

        No more is counted than what is known to be too much.
        """
        count = 0
        for gap, segment in self._segments(u, v, half):
            self._effort -= len(self.gaps[gap])
            count += _crossed_count(self.gaps[gap], segment)
            if count > most:
                return count, 0, 0, half
        if half % 2 and half in self._gutters:
            own = self._vertical(u, v, half)
            self._effort -= len(self._gutters[half])
            count += sum(1 for other in self._gutters[half] if tangled(own, other))
        way = abs(half - 2 * self.columns[u]) + abs(half - 2 * self.columns[v])
        return count, way, half % 2, half

    def _segments(self, u: int, v: int, half: int) -> Iterable[tuple[int, Segment]]:
        first, last = self.dag.rank[u], self.dag.rank[v] - 1
        yield first, (2 * self.columns[u], half, u, v)
        for gap in range(first + 1, last):
            yield gap, (half, half, u, v)
        yield last, (half, 2 * self.columns[v], u, v)

    def _vertical(self, u: int, v: int, half: int) -> Vertical:
        left = 2 * self.columns[u] < half, 2 * self.columns[v] < half
        return self.dag.rank[u], self.dag.rank[v] - 1, *left, u, v

    def _free(self, u: int, v: int, column: int) -> bool:
        """Whether the column has no node, and no foreign edge, between u and v."""
        low, high = self.dag.rank[u], self.dag.rank[v]
        rows = self._rows.get(column, [])
        at = bisect_right(rows, low)
        if at < len(rows) and rows[at] < high:
            return False
        end = u if column == self.columns[u] else -1 - v
        return all(
            self._held.get((column, row), end) == end for row in range(low + 1, high)
        )

    def _hold(self, u: int, v: int, half: int) -> None:
        column = half // 2
        end = u if column == self.columns[u] else -1 - v
        for row in range(self.dag.rank[u] + 1, self.dag.rank[v]):
            self._held[column, row] = end

    def crossing(self) -> Iterator[tuple[Edge, Edge]]:
        """Pairs of edges that cross, once for each crossing."""
        for segments in self.gaps:
            for k, segment in enumerate(segments):
                for other in crossed(segments[:k], segment):
                    yield segment[2:], other[2:]
        for verticals in self._gutters.values():
            for k, own in enumerate(verticals):
                for known in verticals[:k]:
                    if tangled(own, known):
                        yield own[4:], known[4:]

    @property
    def effort(self) -> int:
        """Segments looked at so far, counting the crossings included."""
        return EFFORT - self._effort + self._pairs()

    def _pairs(self) -> int:
        return sum(len(segments) ** 2 // 2 for segments in self.gaps)

    def total(self) -> int:
        """Crossings of the whole drawing."""
        if self._total < 0:
            self._total = sum(1 for _ in self.crossing())
        return self._total
