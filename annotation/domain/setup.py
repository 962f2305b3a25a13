"""What a report is about: seed, taxonomy, graph, and names to print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from annotation.domain.draws import COUNT, Draws
from annotation.domain.roots import Distance


@dataclass(frozen=True)
class Setup:
    """What a report is about.

    Attributes:
        seed: Of every interval.
        draws: Number of draws.
        levels: Category ids of level 1, 2 and 3, each in taxonomy order.
        distance: Hops between two steps of a trace, None where no graph is at
            hand: roots are then compared for equality only.
        blind_only: Leave out ratings given in sight of the judge or peers.
        wanted: Half-width that the planner aims at.
        versions: Names to print: judge, rubric, taxonomy, campaign.
    """

    seed: int
    draws: int = COUNT
    levels: tuple[tuple[str, ...], ...] = ()
    distance: Distance | None = None
    blind_only: bool = True
    wanted: float = 0.05
    versions: Mapping[str, str] | None = None

    @cached_property
    def drawn(self) -> Draws:
        """Draws that every section shares."""
        return Draws(self.seed, self.draws)

    @property
    def hops(self) -> Distance:
        """The distance, or one that knows no connection."""
        return self.distance or (lambda *_: None)
