"""Edges as orthogonal paths that never run behind a node.

Between two rows an edge is a vertical, a horizontal on a track of its own in
the gap, and a vertical. An edge that skips rows has two horizontals, joined in
the column or gutter that the layout chose. Edges of one source, or into one
target, share a track and so form one bracket.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from traces.domain.layout.model import (
    GUTTER,
    NODE_HEIGHT,
    NODE_WIDTH,
    PITCH,
    ROW,
    Layout,
)
from traces.domain.layout.tracks import Line, tracks

CORNER = 6
"""Radius of a bend."""
SPACE = 4
"""Usual distance of two tracks."""
FIRST, LAST = 8, 20
"""First and last track in a gap: room for the bend above, the arrow below."""
DOOR = 10
"""How far a side door lies from the middle of a node."""
Point = tuple[float, float]
Bracket = tuple[bool, int]
"""(True, target) or (False, source): whose bracket a line belongs to."""


@dataclass(frozen=True, slots=True)
class Route:
    """The way of one edge.

    Attributes:
        source: Index of the parent.
        target: Index of the child.
        start: Bottom middle of the parent.
        end: Top of the child: its middle, or a side door ``DOOR`` beside it
            where the line of another edge ends in the middle of the gap.
        upper: y of the first or only horizontal, None if straight.
        gutter: x of the long vertical, None if there is just one horizontal.
        lower: y of the second horizontal, None if there is just one.
    """

    source: int
    target: int
    start: Point
    end: Point
    upper: float | None = None
    gutter: float | None = None
    lower: float | None = None

    def points(self) -> list[Point]:
        """Corners from start to end, none twice."""
        (x1, y1), (x2, y2) = self.start, self.end
        corners: list[Point] = [(x1, y1)]
        if (
            self.gutter is not None
            and self.upper is not None
            and self.lower is not None
        ):
            corners += [(x1, self.upper), (self.gutter, self.upper)]
            corners += [(self.gutter, self.lower), (x2, self.lower)]
        elif self.upper is not None:
            corners += [(x1, self.upper), (x2, self.upper)]
        return list(dict.fromkeys([*corners, (x2, y2)]))

    def path(self) -> str:
        """SVG path data with round bends."""
        corners = self.points()
        first = corners[0]
        parts = [f"M{_number(first[0])} {_number(first[1])}"]
        for before, corner, after in zip(
            corners, corners[1:], corners[2:], strict=False
        ):
            parts.append(_bend(before, corner, after))
        parts.append(_to(corners[-2], corners[-1]))
        return "".join(parts)


def _bend(before: Point, corner: Point, after: Point) -> str:
    """Straight on to the bend, then round it."""
    radius = min(
        CORNER, int(_distance(before, corner) / 2), int(_distance(corner, after) / 2)
    )
    enter = _towards(corner, before, radius)
    leave = _towards(corner, after, radius)
    curve = f"Q{_number(corner[0])} {_number(corner[1])} {_number(leave[0])} {_number(leave[1])}"
    return _to(before, enter) + curve


def _distance(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def _towards(start: Point, end: Point, length: int) -> Point:
    if start[0] == end[0]:
        return start[0], start[1] + (length if end[1] > start[1] else -length)
    return start[0] + (length if end[0] > start[0] else -length), start[1]


def _to(start: Point, end: Point) -> str:
    return f"V{_number(end[1])}" if start[0] == end[0] else f"H{_number(end[0])}"


def _number(value: float) -> str:
    rounded = round(value, 1)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


@dataclass(frozen=True, slots=True)
class Way:
    """An edge before its tracks are known.

    Attributes:
        source: Index of the parent.
        target: Index of the child.
        row: Row above the gap of the first or only horizontal, -1 if straight.
        bracket: Bracket of that horizontal.
        half: Gutter (odd half column), None if there is just one horizontal.
    """

    source: int
    target: int
    row: int = -1
    bracket: Bracket = (False, -1)
    half: int | None = None


def route(layout: Layout, edges: Iterable[tuple[int, int]]) -> tuple[Route, ...]:
    """Route the edges (parent, child), in the order given.

    Every edge must be one the layout knew. Linear in the edges but for the
    sorting of the lines of each gap and gutter.
    """
    ways = _ways(layout, list(edges))
    xs = _gutter_places(layout, ways)
    gaps = _gap_lines(layout, ways, xs)
    ys = {
        (row, bracket): row * ROW + NODE_HEIGHT + depth
        for row, lines in gaps.items()
        for bracket, depth in _depths(lines)
    }
    doors = {
        (row, *door)
        for row, lines in gaps.items()
        for door in _side_doors(lines, {b: ys[row, b] for b in lines})
    }
    return tuple(_route(layout, way, xs, ys, doors) for way in ways)


def _ways(layout: Layout, edges: Sequence[tuple[int, int]]) -> list[Way]:
    bent = [(u, v) for u, v in edges if layout.columns[u] != layout.columns[v]]
    leaving = Counter(u for u, _ in bent)
    entering = Counter(v for _, v in bent)
    ways: list[Way] = []
    for u, v in edges:
        half = layout.via.get((u, v))
        if half is not None and half % 2:
            ways.append(Way(u, v, layout.ranks[u], (False, u), half))
        elif layout.columns[u] == layout.columns[v]:
            ways.append(Way(u, v))
        else:
            into = (
                entering[v] > leaving[u]
                if half is None
                else half == 2 * layout.columns[u]
            )
            row = layout.ranks[v] - 1 if into else layout.ranks[u]
            ways.append(Way(u, v, row, (into, v if into else u)))
    return ways


def _gutter_places(layout: Layout, ways: Iterable[Way]) -> dict[tuple[int, int], float]:
    """X of the vertical of each edge that runs in a gutter."""
    long = [way for way in ways if way.half is not None]
    out = Counter((way.half, way.source) for way in long)
    into = Counter((way.half, way.target) for way in long)
    gutters: dict[int, dict[Bracket, Line]] = {}
    keys: dict[tuple[int, int], tuple[int, Bracket]] = {}
    for way in long:
        half = way.half or 0
        merged = into[half, way.target] > out[half, way.source]
        bracket = (merged, way.target if merged else way.source)
        keys[way.source, way.target] = half, bracket
        _add_vertical(gutters.setdefault(half, {}), bracket, way, layout)
    placed = {
        (half, bracket): (half + 1) // 2 * PITCH - GUTTER / 2 + offset
        for half, lines in gutters.items()
        for bracket, offset in _gutter_offsets(lines)
    }
    return {edge: placed[key] for edge, key in keys.items()}


def _add_vertical(
    lines: dict[Bracket, Line], bracket: Bracket, way: Way, layout: Layout
) -> None:
    top, bottom = layout.ranks[way.source], layout.ranks[way.target] - 1
    line = lines.setdefault(bracket, Line(top, bottom))
    line.widen(top, bottom)
    for index, row in ((way.source, top), (way.target, bottom)):
        left = 2 * layout.columns[index] < (way.half or 0)
        (line.before if left else line.after).add(row)


def _gutter_offsets(lines: dict[Bracket, Line]) -> Iterable[tuple[Bracket, float]]:
    for bracket, (track, count) in zip(
        lines, tracks(list(lines.values())), strict=True
    ):
        space = min(SPACE, (GUTTER - 8) / max(1, count - 1))
        yield bracket, round((track - (count - 1) / 2) * space, 1)


def _gap_lines(
    layout: Layout, ways: Iterable[Way], xs: dict[tuple[int, int], float]
) -> dict[int, dict[Bracket, Line]]:
    """The lines of the brackets in each gap."""
    gaps: dict[int, dict[Bracket, Line]] = {}
    for way in ways:
        for row, bracket, x1, x2 in _horizontals(layout, way, xs):
            lines = gaps.setdefault(row, {})
            line = lines.setdefault(bracket, Line(min(x1, x2), max(x1, x2)))
            line.widen(x1, x2)
            line.before.add(x1)
            line.after.add(x2)
    return gaps


def _depths(lines: dict[Bracket, Line]) -> Iterable[tuple[Bracket, float]]:
    """Distance of each bracket from the top of its gap."""
    placed = tracks(list(lines.values()))
    for bracket, (track, count) in zip(lines, placed, strict=True):
        space = min(SPACE, (LAST - FIRST) / max(1, count - 1))
        middle = (FIRST + LAST) / 2
        yield bracket, round(middle + (track - (count - 1) / 2) * space, 1)


def _side_doors(
    lines: dict[Bracket, Line], ys: dict[Bracket, float]
) -> Iterable[tuple[Bracket, float]]:
    """Where a bracket would come down over a line that starts lower: bracket and x.

    Happens where two edges swap columns, whichever track is the upper one.
    """
    lowest: dict[float, float] = {}
    for bracket, line in lines.items():
        for x in line.before:
            lowest[x] = max(ys[bracket], lowest.get(x, ys[bracket]))
    for bracket, line in lines.items():
        for x in line.after:
            if ys[bracket] < lowest.get(x, ys[bracket]):
                yield bracket, x


def _horizontals(
    layout: Layout, way: Way, xs: dict[tuple[int, int], float]
) -> Iterable[tuple[int, Bracket, float, float]]:
    """Row, bracket, x from above, x to below."""
    start, end = _middle(layout, way.source), _middle(layout, way.target)
    if way.row < 0:
        return
    if way.half is None:
        yield way.row, way.bracket, start, end
        return
    x = xs[way.source, way.target]
    yield way.row, way.bracket, start, x
    yield layout.ranks[way.target] - 1, (True, way.target), x, end


def _middle(layout: Layout, index: int) -> float:
    return layout.positions[index][0] + NODE_WIDTH / 2


def _route(
    layout: Layout,
    way: Way,
    xs: dict[tuple[int, int], float],
    ys: dict[tuple[int, Bracket], float],
    doors: set[tuple[int, Bracket, float]],
) -> Route:
    start = _middle(layout, way.source), layout.positions[way.source][1] + NODE_HEIGHT
    x, y = _middle(layout, way.target), layout.positions[way.target][1]
    if way.row < 0:
        return Route(way.source, way.target, start, (x, y))
    upper = ys[way.row, way.bracket]
    if way.half is None:
        x += DOOR if (way.row, way.bracket, x) in doors else 0
        return Route(way.source, way.target, start, (x, y), upper)
    last = layout.ranks[way.target] - 1, (True, way.target)
    x += DOOR if (*last, x) in doors else 0
    gutter = xs[way.source, way.target]
    return Route(way.source, way.target, start, (x, y), upper, gutter, ys[last])
