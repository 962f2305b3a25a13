"""Who rates what: overlap, coverage, gold units and repeats.

A unit is whatever a campaign hands out at once, a step or a whole trace. The
plan depends on names and seed only, never on the order of the input, and what
was handed out before stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from annotation.domain.chance import chance
from annotation.domain.ratings import Purpose


@dataclass(frozen=True, slots=True)
class Design:
    """How a campaign spreads its units.

    Attributes:
        raters: Names.
        overlap: How many different raters a covered unit gets.
        coverage: Share of units with overlap, 0 to 1; the others get one rater.
        gold: Units with known answers; every rater with work gets each, unmarked.
        repeats: Share of a rater's own units that come again later, 0 to 0.5.
        seed: Decides everything that is left to chance.

    Raises:
        ValueError: A number is out of its range, or there are fewer raters than
            the overlap asks for.
    """

    raters: tuple[str, ...]
    overlap: int = 2
    coverage: float = 1.0
    gold: tuple[str, ...] = ()
    repeats: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        if len(set(self.raters)) != len(self.raters):
            raise ValueError("a rater is named twice")
        if not 1 <= self.overlap <= len(self.raters):
            raise ValueError(
                f"an overlap of {self.overlap} needs as many different raters; "
                f"there are {len(self.raters)}"
            )
        if not 0 <= self.coverage <= 1 or not 0 <= self.repeats <= 0.5:
            raise ValueError("coverage is 0 to 1, repeats are 0 to 0.5")


@dataclass(frozen=True, slots=True)
class Slot:
    """One unit for one rater.

    Attributes:
        unit: The unit.
        rater: The rater.
        purpose: planned, gold or repeat.
        order: Place in the rater's queue, from 0.
    """

    unit: str
    rater: str
    purpose: Purpose = Purpose.PLANNED
    order: int = 0


def assign(
    units: Iterable[str], design: Design, done: Iterable[Slot] = ()
) -> tuple[Slot, ...]:
    """Plan every slot that a design asks for.

    Args:
        units: Units to rate, gold ones excluded.
        design: Overlap, coverage, gold, repeats and seed.
        done: Slots handed out before, which are kept and count as load; a change
            of the design reaches only what is missing.

    Returns:
        All planned slots, gold and repeats, by rater and place in the queue. No
        rater gets a unit twice but as a repeat; loads of planned slots differ by
        one at most if nothing was handed out before.
    """
    kept = [slot for slot in done if slot.purpose is Purpose.PLANNED]
    wanted = _wanted(units, design)
    load = _Load(design, kept)
    found = list(kept)
    for unit, raters in wanted.items():
        found.extend(load.fill(unit, raters))
    return _queues(found, design)


def _wanted(units: Iterable[str], design: Design) -> Mapping[str, int]:
    """Number of raters by unit, in seeded order."""
    gold = set(design.gold)
    order = sorted(
        set(units) - gold, key=lambda unit: (chance(design.seed, "unit", unit), unit)
    )
    covered = round(design.coverage * len(order))
    return {
        unit: design.overlap if at < covered else 1 for at, unit in enumerate(order)
    }


class _Load:
    """Slots by rater, and how often two raters share a unit."""

    def __init__(self, design: Design, kept: Sequence[Slot]) -> None:
        self.design = design
        self.by_rater = dict.fromkeys(design.raters, 0)
        self.together: dict[tuple[str, str], int] = {}
        self.on_unit: dict[str, list[str]] = {}
        for slot in kept:
            self._take(slot.unit, slot.rater)

    def fill(self, unit: str, raters: int) -> list[Slot]:
        found = []
        while len(self.on_unit.get(unit, ())) < raters:
            rater = min(
                (r for r in self.design.raters if r not in self.on_unit.get(unit, ())),
                key=lambda one: self._preference(unit, one),
            )
            self._take(unit, rater)
            found.append(Slot(unit, rater))
        return found

    def _preference(self, unit: str, rater: str) -> tuple[int, int, int, str]:
        """The least loaded, then who met the others least, then chance."""
        met = sum(
            self.together.get(_pair(rater, other), 0)
            for other in self.on_unit.get(unit, ())
        )
        luck = chance(self.design.seed, "rater", unit, rater)
        return self.by_rater[rater], met, luck, rater

    def _take(self, unit: str, rater: str) -> None:
        others = self.on_unit.setdefault(unit, [])
        for other in others:
            pair = _pair(rater, other)
            self.together[pair] = self.together.get(pair, 0) + 1
        others.append(rater)
        self.by_rater[rater] = self.by_rater.get(rater, 0) + 1


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _queues(slots: Sequence[Slot], design: Design) -> tuple[Slot, ...]:
    by_rater: dict[str, list[Slot]] = {rater: [] for rater in design.raters}
    for slot in slots:
        by_rater.setdefault(slot.rater, []).append(slot)
    return tuple(
        slot for rater in sorted(by_rater) for slot in _queue(by_rater[rater], design)
    )


def _queue(own: Sequence[Slot], design: Design) -> list[Slot]:
    """One rater's queue: own units in seeded order, gold among them, repeats last.

    Repeats come in the second half, so that memory of the first rating fades.
    """
    rater = own[0].rater if own else ""
    seed = design.seed
    queue = sorted(own, key=lambda s: (chance(seed, "order", rater, s.unit), s.unit))
    again = [
        replace(slot, purpose=Purpose.REPEAT)
        for slot in queue[: round(design.repeats * len(queue))]
    ]
    if own and rater in design.raters:
        gold = [Slot(unit, rater, Purpose.GOLD) for unit in sorted(set(design.gold))]
        queue = _strewn(queue, gold, 0.0, seed)
    queue = _strewn(queue, again, 0.5, seed)
    return [replace(slot, order=at) for at, slot in enumerate(queue)]


def _strewn(
    queue: Sequence[Slot], more: Sequence[Slot], after: float, seed: int
) -> list[Slot]:
    """Put further slots at seeded places behind a share of the queue."""
    places = [(float(at), 0, slot) for at, slot in enumerate(queue)]
    for slot in more:
        luck = chance(seed, slot.purpose.value, slot.rater, slot.unit) / 2**64
        place = len(queue) * (after + (1 - after) * luck)
        places.append((place, 1, slot))
    return [slot for *_, slot in sorted(places, key=lambda p: (p[0], p[1], p[2].unit))]


def overlap_matrix(slots: Iterable[Slot]) -> dict[tuple[str, str], int]:
    """How many units each two raters share, planned slots only."""
    on_unit: dict[str, set[str]] = {}
    for slot in slots:
        if slot.purpose is Purpose.PLANNED:
            on_unit.setdefault(slot.unit, set()).add(slot.rater)
    found: dict[tuple[str, str], int] = {}
    for raters in on_unit.values():
        for pair in combinations(sorted(raters), 2):
            found[pair] = found.get(pair, 0) + 1
    return dict(sorted(found.items()))
