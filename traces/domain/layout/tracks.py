"""Parallel lines that share a gap or a gutter, each on a track of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

CAREFUL = 48
"""Largest bundle whose order is chosen for few crossings."""
PASSES = 4
"""How often the lines of a bundle may change places."""
OVERLAP = 8
"""What a pair of lines that would run into each other weighs, in crossings."""


@dataclass(slots=True)
class Line:
    """A horizontal in a gap, or a vertical in a gutter seen from the side.

    Attributes:
        low: Left (or upper) end.
        high: Right (or lower) end.
        before: Where legs come in from the side of track 0 (from above, or
            from the left).
        after: Where legs leave to the other side.
    """

    low: float
    high: float
    before: set[float] = field(default_factory=set)
    after: set[float] = field(default_factory=set)

    def widen(self, *ends: float) -> None:
        """Make the line reach the ends."""
        self.low = min(self.low, *ends)
        self.high = max(self.high, *ends)


def tracks(lines: Sequence[Line]) -> list[tuple[int, int]]:
    """Track of each line and the number of tracks of its bundle.

    A bundle is a set of lines linked by overlap. Lines of one track never
    touch.
    """
    placed = [(0, 1)] * len(lines)
    for bundle in _bundles(lines):
        found = [lines[i] for i in bundle]
        levels = _levels(found) if len(found) <= CAREFUL else _first_free(found)
        count = 1 + max(levels)
        for i, level in zip(bundle, levels, strict=True):
            placed[i] = (level, count)
    return placed


def _bundles(lines: Sequence[Line]) -> list[list[int]]:
    bundles: list[list[int]] = []
    end = float("-inf")
    for i in sorted(range(len(lines)), key=lambda i: (lines[i].low, lines[i].high, i)):
        if lines[i].low > end:
            bundles.append([])
        bundles[-1].append(i)
        end = max(end, lines[i].high)
    return bundles


def _levels(lines: Sequence[Line]) -> list[int]:
    """Tracks in an order with few crossings, as few as the order allows."""
    levels = [0] * len(lines)
    order = _order(lines)
    for k, i in enumerate(order):
        above = (levels[j] + 1 for j in order[:k] if _touch(lines[i], lines[j]))
        levels[i] = max(above, default=0)
    return levels


def _order(lines: Sequence[Line]) -> list[int]:
    """An order with few crossings: each line where it crosses the fewest others."""
    price = [[_price(one, other) for other in lines] for one in lines]
    order: list[int] = []
    for i in range(len(lines)):
        order.insert(_place(i, order, price), i)
    for _ in range(PASSES):
        before = list(order)
        for i in range(len(lines)):
            order.remove(i)
            order.insert(_place(i, order, price), i)
        if order == before:
            break
    return order


def _place(i: int, order: Sequence[int], price: Sequence[Sequence[int]]) -> int:
    """Where line i crosses the fewest of the others, the first of equals."""
    now = sum(price[i][j] for j in order)
    best, at = now, 0
    for k, j in enumerate(order):
        now += price[j][i] - price[i][j]
        if now < best:
            best, at = now, k + 1
    return at


def _price(first: Line, second: Line) -> int:
    """Crossings of two lines if the first has the lower track."""
    if not _touch(first, second):
        return 0
    count = sum(1 for x in second.before if first.low < x < first.high)
    count += sum(1 for x in first.after if second.low < x < second.high)
    return count + OVERLAP * len(first.after & second.before)


def _touch(one: Line, other: Line) -> bool:
    return one.low <= other.high and other.low <= one.high


def _first_free(lines: Sequence[Line]) -> list[int]:
    """Fewest tracks, in order of the left ends; for bundles too big to weigh."""
    levels = [0] * len(lines)
    ends: list[tuple[float, int]] = []
    free: list[int] = []
    for i in sorted(range(len(lines)), key=lambda i: (lines[i].low, lines[i].high, i)):
        while ends and ends[0][0] < lines[i].low:
            free.append(heappop(ends)[1])
            heapify(free)
        levels[i] = heappop(free) if free else len(ends)
        heappush(ends, (lines[i].high, levels[i]))
    return levels
