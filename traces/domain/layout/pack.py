"""Columns: chains into the slots of their lane, lanes beside each other."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from traces.domain.layout.chains import Chain
from traces.domain.layout.model import Dag

SCAN = 64
"""Slots looked at for one chain before a new one is opened."""
CELLS_A_STEP = 64
"""Rows that lanes may cover in all, a step; lanes beyond get columns of their own."""


@dataclass(slots=True)
class Spread:
    """One lane: its chains, its rows and how wide it is.

    Attributes:
        name: Agent.
        chains: Chain numbers.
        low: First row.
        high: Last row with a step.
        caller: Lane of the first parent of the lane's first step.
        width: Slots.
        column: First column, set when the lanes are put side by side.
    """

    name: str
    chains: list[int] = field(default_factory=list)
    low: int = 0
    high: int = 0
    caller: str = ""
    width: int = 1
    column: int = 0


def spreads_of(chains: Sequence[Chain], dag: Dag) -> dict[str, Spread]:
    """Gather the lanes in order of first appearance and give every chain a slot."""
    lanes: dict[str, Spread] = {}
    for number, chain in enumerate(chains):
        last = dag.rank[chain.nodes[-1]]
        if chain.lane not in lanes:
            parents = dag.parents[chain.nodes[0]]
            caller = dag.lane[parents[0]] if parents else ""
            lanes[chain.lane] = Spread(chain.lane, [], chain.low, last, caller)
        lane = lanes[chain.lane]
        lane.chains.append(number)
        lane.low = min(lane.low, chain.low)
        lane.high = max(lane.high, last)
    for lane in lanes.values():
        _slots(lane, chains)
    return lanes


def _slots(lane: Spread, chains: Sequence[Chain]) -> None:
    """The longest chains that fit below each other go straight down slot 0.

    The others follow, short ones first, each in the first slot that is free:
    inner branches lie inside outer ones.
    """
    trunk = _trunk(lane.chains, chains)
    rest = [c for c in lane.chains if c not in trunk]
    rest.sort(key=lambda c: (chains[c].high - chains[c].low, chains[c].low, c))
    slots: list[list[tuple[int, int]]] = []
    for c in rest:
        interval = (chains[c].low, chains[c].high)
        slot = _first_fit(slots, interval)
        insort(slots[slot], interval)
        chains[c].slot = slot + 1
    lane.width = len(slots) + 1


def _trunk(numbers: Sequence[int], chains: Sequence[Chain]) -> set[int]:
    """Chains in different rows with most rows in all (weighted interval scheduling)."""
    order = sorted(numbers, key=lambda c: (chains[c].high, chains[c].low, c))
    ends = [chains[c].high for c in order]
    best = [0]
    for k, c in enumerate(order):
        before = bisect_left(ends, chains[c].low, 0, k)
        with_c = best[before] + chains[c].high - chains[c].low + 1
        best.append(max(best[k], with_c))
    chosen: set[int] = set()
    k = len(order)
    while k:
        if best[k] == best[k - 1]:
            k -= 1
            continue
        chosen.add(order[k - 1])
        k = bisect_left(ends, chains[order[k - 1]].low, 0, k - 1)
    return chosen


def _first_fit(slots: list[list[tuple[int, int]]], interval: tuple[int, int]) -> int:
    for slot, taken in enumerate(slots[:SCAN]):
        at = bisect_left(taken, interval)
        after = at == len(taken) or taken[at][0] > interval[1]
        if after and (at == 0 or taken[at - 1][1] < interval[0]):
            return slot
    slots.append([])
    return len(slots) - 1


def trunk_lane(lanes: Mapping[str, Spread]) -> Spread:
    """The lane the drawing hangs on: the one over most rows, else the first."""
    return max(lanes.values(), key=lambda lane: lane.high - lane.low)


def lane_order(lanes: Mapping[str, Spread], trunk: Spread, dag: Dag) -> list[Spread]:
    """Lanes from inside to outside: each followed by those it called.

    Callees of one lane are ordered by first row, short ones nearer.
    """
    callees: dict[str, list[Spread]] = {}
    for lane in lanes.values():
        if lane is not trunk:
            callees.setdefault(lane.caller, []).append(lane)
    for found in callees.values():
        found.sort(key=lambda lane: (-lane.low, -lane.high))
    order: list[Spread] = []
    waiting = callees.pop(trunk.name, [])
    while waiting or callees:
        if not waiting:
            waiting = callees.pop(next(iter(callees)))
        lane = waiting.pop()
        order.append(lane)
        waiting.extend(callees.pop(lane.name, []))
    return order


def put_lanes(
    order: Sequence[Spread], trunk: Spread, chains: Sequence[Chain], dag: Dag
) -> None:
    """Give each lane its first column, against the outline of those before it."""
    sky = _outline(trunk, chains, 1 + max(dag.rank))
    edge = max(sky)
    budget = CELLS_A_STEP * len(dag)
    for lane in order:
        budget -= lane.high - lane.low + 1
        if budget < 0:
            lane.column = edge
        else:
            lane.column = max(sky[lane.low : lane.high + 1])
            end = lane.column + lane.width
            sky[lane.low : lane.high + 1] = [end] * (lane.high - lane.low + 1)
        edge = max(edge, lane.column + lane.width)


def _outline(trunk: Spread, chains: Sequence[Chain], rows: int) -> list[int]:
    """Columns taken by the trunk lane in each row; column 0 always."""
    sky = [1] * rows
    for number in trunk.chains:
        chain = chains[number]
        for row in range(chain.low, chain.high + 1):
            sky[row] = max(sky[row], chain.slot + 1)
    return sky
