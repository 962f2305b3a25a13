"""Graphs shaped like agent runs, and what a drawing must not do."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import pairwise

from hypothesis import settings
from hypothesis import strategies as st

from traces.domain.layout.marks import DrawEdge, DrawNode, State
from traces.domain.layout.model import NODE_HEIGHT, NODE_WIDTH, Layout, LayoutNode
from traces.domain.layout.route import Route
from traces.domain.records import EdgeKind

law = settings(deadline=None, max_examples=60)
"""For properties; the machine's speed is none of them."""
TOOLS = ("search_flights", "read_file", "run_tests", "sql_query", "fetch_url")


class Run:
    """Chains, parallel calls, retries and sub-agents, the same for a seed."""

    def __init__(self, size: int, seed: int) -> None:
        self.random = random.Random(seed * 1_000_003 + size)
        self.size = size
        self.agents = 0
        self.nodes: list[LayoutNode] = []
        current = self.add("main", [], "user")
        while self.room() > 0:
            current = self.chain("main", current, self.room(), 0)

    def room(self, reserve: int = 0) -> int:
        return self.size - len(self.nodes) - reserve

    def add(self, agent: str, parents: list[int], label: str) -> int:
        index = len(self.nodes)
        found = tuple(dict.fromkeys(parents))
        self.nodes.append(LayoutNode(index, found, agent, label))
        return index

    def chain(self, agent: str, current: int, budget: int, depth: int) -> int:
        end = len(self.nodes) + budget
        while len(self.nodes) < end and self.room() > 0:
            dice = self.random.random()
            left = min(end, self.size) - len(self.nodes)
            if dice < 0.14 and left >= 5:
                current = self.parallel(agent, current, left)
            elif dice < 0.20 and left >= 5:
                current = self.retries(agent, current, left)
            elif dice < 0.25 and left >= 12 and depth < 2:
                current = self.delegate(agent, current, left, depth)
            else:
                current = self.step(agent, current)
        return current

    def step(self, agent: str, current: int) -> int:
        parents = [current]
        if self.random.random() < 0.03 and len(self.nodes) > 8:
            low = max(0, len(self.nodes) - 60)
            parents.append(self.random.randrange(low, len(self.nodes)))
        return self.add(agent, parents, self.random.choice(TOOLS))

    def parallel(self, agent: str, current: int, left: int) -> int:
        count = self.random.randint(2, min(6, left - 1))
        calls = [
            self.add(agent, [current], self.random.choice(TOOLS))
            for _ in range(count)
            if self.room(1) > 0
        ]
        return self.add(agent, calls or [current], "merge")

    def retries(self, agent: str, current: int, left: int) -> int:
        site, tool = current, self.random.choice(TOOLS)
        for attempt in range(self.random.randint(2, min(5, left - 1))):
            if self.room(1) > 0:
                current = self.add(agent, [current], f"{tool} (try {attempt + 1})")
        return self.add(agent, [current, site], "recover")

    def delegate(self, agent: str, current: int, left: int, depth: int) -> int:
        count = self.random.choice((1, 1, 2, 3))
        each = max(3, min(left // (count + 1), self.random.randint(4, 30)))
        ends = []
        for _ in range(count):
            if self.room(2) > 0:
                self.agents += 1
                name = f"agent-{self.agents}"
                start = self.add(name, [current], "delegate")
                ends.append(self.chain(name, start, each - 1, depth + 1))
        return self.add(agent, ends or [current], "collect")


def run_of(size: int, seed: int = 7) -> list[LayoutNode]:
    return Run(size, seed).nodes


@st.composite
def dags(draw: st.DrawFn, most: int = 25) -> list[LayoutNode]:
    """Any small acyclic graph with a few agents and names."""
    size = draw(st.integers(1, most))
    nodes = []
    for i in range(size):
        earlier = st.lists(st.integers(0, max(0, i - 1)), max_size=3, unique=True)
        parents = draw(earlier) if i else []
        lane = draw(st.sampled_from(("", "a", "b", "c")))
        nodes.append(LayoutNode(i, tuple(parents), lane, draw(st.sampled_from("xy"))))
    return nodes


def edges_of(nodes: list[LayoutNode]) -> list[tuple[int, int]]:
    return [(p, node.index) for node in nodes for p in node.parents]


def drawn(
    nodes: list[LayoutNode], seed: int = 3
) -> tuple[list[DrawNode], list[DrawEdge]]:
    """The run as steps to draw, with scores, failures and a path."""
    dice = random.Random(seed)
    path = list(range(len(nodes) // 2, min(len(nodes), len(nodes) // 2 + 4)))
    steps = []
    for node in nodes:
        state = dice.choice((*[State.SCORED] * 9, *State))
        score = dice.choice((1.0, 1.7, 2.125, 3.0, 4.0, 4.5, 5.0))
        failed = state is State.SCORED and score < 2 and dice.random() < 0.5
        on_path = node.index in path
        steps.append(
            DrawNode(
                key=f"{node.index:016x}",
                index=node.index,
                type=dice.choice(
                    ("PLAN", "TOOLSEL", "PARAMGEN", "EXEC", "SYNTH", "ASK")
                ),
                name=node.label,
                agent=node.lane,
                state=state,
                score=score if state is State.SCORED else None,
                failed=failed,
                role="root" if on_path and node.index == path[0] else None,
                category="Tools › Parameters" if failed else "",
                on_path=on_path,
                path_step=path.index(node.index) + 1 if on_path else 0,
                path_length=len(path) if on_path else 0,
            )
        )
    kinds = list(EdgeKind)
    lines = [DrawEdge(u, v, dice.choice(kinds)) for u, v in edges_of(nodes)]
    return steps, lines


def overlapping(layout: Layout) -> list[tuple[int, int]]:
    """Pairs of nodes that lie on each other."""
    seen: dict[tuple[int, int], int] = {}
    found = []
    for i, place in enumerate(layout.positions):
        if place in seen:
            found.append((seen[place], i))
        seen[place] = i
    return found


def behind(layout: Layout, routes: tuple[Route, ...]) -> list[tuple[int, int, int]]:
    """Edges that run through a node: (source, target, node)."""
    rows: dict[int, list[int]] = defaultdict(list)
    for i, row in enumerate(layout.ranks):
        rows[row].append(i)
    found = []
    for route in routes:
        span = range(layout.ranks[route.source], layout.ranks[route.target] + 1)
        legs = list(pairwise(route.points()))
        found += [
            (route.source, route.target, i)
            for row in span
            for i in rows[row]
            if any(_through(layout.positions[i], a, b) for a, b in legs)
        ]
    return found


def _through(
    corner: tuple[int, int], a: tuple[float, float], b: tuple[float, float]
) -> bool:
    x, y = corner
    left, right = min(a[0], b[0]), max(a[0], b[0])
    top, bottom = min(a[1], b[1]), max(a[1], b[1])
    return left < x + NODE_WIDTH and right > x and top < y + NODE_HEIGHT and bottom > y


Segment = tuple[float, float, float, Route]


def segments(routes: tuple[Route, ...]) -> tuple[list[Segment], list[Segment]]:
    """Horizontals (y, x1, x2, edge) and verticals (x, y1, y2, edge)."""
    level: list[Segment] = []
    upright: list[Segment] = []
    for route in routes:
        for a, b in pairwise(route.points()):
            if a[0] == b[0]:
                upright.append((a[0], min(a[1], b[1]), max(a[1], b[1]), route))
            else:
                level.append((a[1], min(a[0], b[0]), max(a[0], b[0]), route))
    return level, upright


def crossings(routes: tuple[Route, ...]) -> int:
    """Points at which edges without a common end cross, as they are drawn.

    Edges that share a bracket are one line there and cross another line once.
    """
    level, upright = segments(routes)
    points = set()
    for y, x1, x2, one in level:
        for x, y1, y2, other in upright:
            apart = {one.source, one.target}.isdisjoint((other.source, other.target))
            if apart and x1 <= x <= x2 and y1 <= y <= y2:
                points.add((x, y))
    return len(points)


def merged(routes: tuple[Route, ...]) -> list[tuple[Route, Route]]:
    """Edges that lie on each other though they share neither source nor target."""
    found = []
    for lines in segments(routes):
        lines.sort(key=lambda line: line[:3])
        for k, (place, low, high, one) in enumerate(lines):
            for other_place, other_low, other_high, other in lines[k + 1 :]:
                if other_place != place:
                    break
                apart = one.source != other.source and one.target != other.target
                if apart and other_low < high and low < other_high:
                    found.append((one, other))
    return found
