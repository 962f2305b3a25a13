"""Chains: runs of steps of one lane that stay in one column."""

from __future__ import annotations

from dataclasses import dataclass

from traces.domain.layout.model import Dag
from traces.domain.layout.ranks import heights

RESERVE = 12
"""Rows a column is kept free below a chain for the edge to its next step."""

NEAR = 6
"""Rows within which a step may continue the chain of its parent."""


@dataclass(slots=True)
class Chain:
    """Steps of one lane, each the parent of the next.

    Attributes:
        lane: Agent.
        nodes: Indices, ascending.
        low: First row.
        high: Last row kept free, at or below the last step.
        slot: Column within the lane.
    """

    lane: str
    nodes: list[int]
    low: int
    high: int
    slot: int = 0


def chains_of(dag: Dag) -> tuple[list[Chain], list[int]]:
    """Split the steps into chains; also the chain number of each step."""
    heir = _heirs(dag)
    number: list[int] = []
    chains: list[Chain] = []
    trunks: dict[str, int] = {}
    for i in range(len(dag)):
        chosen = _continued(i, dag, heir, number, trunks)
        if chosen < 0:
            chosen = len(chains)
            chains.append(Chain(dag.lane[i], [], dag.rank[i], dag.rank[i]))
            trunks.setdefault(dag.lane[i], chosen)
        chains[chosen].nodes.append(i)
        number.append(chosen)
    for chain in chains:
        chain.high = _reserved(chain.nodes[-1], dag)
    return chains, number


def _heirs(dag: Dag) -> list[int]:
    """The child that stays below each step: the one with most below it.

    Only a near one: a column kept for a distant child would push others aside.
    """
    height = heights(dag)
    heir = [-1] * len(dag)
    for i, kids in enumerate(dag.kids):
        lane, last = dag.lane[i], dag.rank[i] + NEAR
        own = [k for k in kids if dag.lane[k] == lane and dag.rank[k] <= last]
        if len(own) > 1:
            heir[i] = max(own, key=lambda k: (height[k], -k))
        elif own:
            heir[i] = own[0]
    return heir


def _continued(
    i: int, dag: Dag, heir: list[int], number: list[int], trunks: dict[str, int]
) -> int:
    """The chain that step i continues, -1 for a new one."""
    ready = [p for p in dag.parents[i] if heir[p] == i]
    if len(ready) < 2:
        return number[ready[0]] if ready else -1
    trunk = trunks[dag.lane[i]]
    best = min(ready, key=lambda p: (number[p] != trunk, -dag.rank[p], number[p]))
    return number[best]


def _reserved(tail: int, dag: Dag) -> int:
    rank = dag.rank[tail]
    below = [dag.rank[k] - 1 for k in dag.kids[tail]] or [rank]
    return min(rank + RESERVE, *below)
