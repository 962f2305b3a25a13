"""Fewer crossings: move the chains and lanes that cross, keep what helps.

Sweeps over the crossings of a drawing of at most ``STEPS`` steps, bounded by
a number of trials, so that the result never depends on the machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from traces.domain.layout.chains import Chain, chains_of
from traces.domain.layout.model import Dag
from traces.domain.layout.pack import (
    Spread,
    lane_order,
    put_lanes,
    spreads_of,
    trunk_lane,
)
from traces.domain.layout.strands import Strands

STEPS = 400
"""Largest graph that is swept."""
EFFORT = 400_000
"""Segments looked at in all trials for one drawing."""
TRIALS = 150
"""Most trials for one drawing."""
NEAR = 6
"""How far a chain or lane is moved in one trial, in slots or places."""


@dataclass(slots=True)
class Arrangement:
    """Chains in slots and lanes in order: all that decides the columns."""

    dag: Dag
    chains: list[Chain]
    number: list[int]
    lanes: dict[str, Spread]
    trunk: Spread
    order: list[Spread]

    def columns(self) -> list[int]:
        """Column of each step."""
        put_lanes(self.order, self.trunk, self.chains, self.dag)
        first = [self.lanes[chain.lane].column + chain.slot for chain in self.chains]
        return [first[c] for c in self.number]

    def strands(self) -> Strands:
        """All edges routed for the columns as they are now."""
        strands = Strands(self.dag, self.columns())
        strands.route()
        return strands


def arrange(dag: Dag) -> Arrangement:
    """First arrangement: trunk straight, inner branches inside outer ones."""
    chains, number = chains_of(dag)
    lanes = spreads_of(chains, dag)
    trunk = trunk_lane(lanes)
    return Arrangement(dag, chains, number, lanes, trunk, lane_order(lanes, trunk, dag))


@dataclass(frozen=True, slots=True)
class Change:
    """New slots for some chains, or a new order of the lanes."""

    slots: tuple[tuple[int, int], ...] = ()
    order: tuple[Spread, ...] = ()

    def apply(self, to: Arrangement) -> Change:
        """Make the change; returns the change back."""
        back = Change(
            tuple((c, to.chains[c].slot) for c, _ in self.slots), tuple(to.order)
        )
        for c, slot in self.slots:
            to.chains[c].slot = slot
        if self.order:
            to.order = list(self.order)
        return back


def swept(arrangement: Arrangement) -> Strands:
    """Move what crosses until nothing helps or the trials are used up.

    Leaves the arrangement as the strands returned have it.
    """
    best = arrangement.strands()
    if len(arrangement.dag) <= STEPS:
        best = _swept(arrangement, best)
        arrangement.columns()
    return best


def _swept(arrangement: Arrangement, best: Strands) -> Strands:
    trials, effort = TRIALS, EFFORT - best.effort
    better: Strands | None = best
    while better is not None and best.total():
        better = None
        for change in islice(_changes(arrangement, best), trials):
            if effort < 0:
                return best
            back = change.apply(arrangement)
            trial = arrangement.strands()
            trials, effort = trials - 1, effort - trial.effort
            if trial.total() < best.total():
                best = better = trial
                break
            back.apply(arrangement)
    return best


def _changes(arrangement: Arrangement, strands: Strands) -> Iterator[Change]:
    """Changes of the chains and lanes that cross, those that cross most first."""
    count = Counter(i for pair in strands.crossing() for edge in pair for i in edge)
    steps = sorted(count, key=lambda i: (-count[i], i))
    for number in dict.fromkeys(arrangement.number[i] for i in steps):
        yield from _slot_changes(arrangement, number)
    for name in dict.fromkeys(arrangement.dag.lane[i] for i in steps):
        yield from _lane_changes(arrangement, arrangement.lanes[name])


def _slot_changes(arrangement: Arrangement, number: int) -> Iterator[Change]:
    """The chain to another slot of its lane, alone or changed for one chain there.

    What is in slot 0 stays: a lane's straight line is worth a crossing.
    """
    chain = arrangement.chains[number]
    lane = arrangement.lanes[chain.lane]
    if chain.slot == 0:
        return
    for slot in _near(chain.slot, lane.width, first=1):
        there = _overlapping(arrangement, lane, chain, slot)
        if not there:
            yield Change(((number, slot),))
        elif len(there) == 1:
            other = arrangement.chains[there[0]]
            if _overlapping(arrangement, lane, other, chain.slot) == [number]:
                yield Change(((number, slot), (there[0], chain.slot)))


def _overlapping(
    arrangement: Arrangement, lane: Spread, chain: Chain, slot: int
) -> list[int]:
    found = ((c, arrangement.chains[c]) for c in lane.chains)
    return [
        c
        for c, o in found
        if o.slot == slot and o.low <= chain.high and o.high >= chain.low
    ]


def _lane_changes(arrangement: Arrangement, lane: Spread) -> Iterator[Change]:
    """The lane to another place among those beside it."""
    if lane is arrangement.trunk:
        return
    order = arrangement.order
    here = order.index(lane)
    rest = order[:here] + order[here + 1 :]
    for place in _near(here, len(order)):
        passed = order[min(here, place) : max(here, place) + 1]
        if any(o is not lane and _beside(o, lane) for o in passed):
            yield Change(order=(*rest[:place], lane, *rest[place:]))


def _beside(one: Spread, other: Spread) -> bool:
    return one.low <= other.high + 1 and other.low <= one.high + 1


def _near(here: int, end: int, first: int = 0) -> list[int]:
    """Other places within ``NEAR``, the nearest first."""
    places = range(max(first, here - NEAR), min(end, here + NEAR + 1))
    return sorted((p for p in places if p != here), key=lambda p: (abs(p - here), p))
