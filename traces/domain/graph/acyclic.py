"""A fixed topological order; edges that close a ring are cut and named."""

from __future__ import annotations

import heapq
from collections.abc import Mapping

import networkx as nx

from traces.domain.graph.draft import Build, excerpt
from traces.domain.graph.tree import MAX_NAMED
from traces.domain.records import Repair


def cut_cycles(build: Build, rank: Mapping[str, int]) -> None:
    """In every ring of steps, cut the edges that lead back in time.

    The rule: inside a strongly connected component an edge goes if its source
    comes later than its target in canonical order. What is left is acyclic.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_edges_from(build.edges)
    rings = [ring for ring in nx.strongly_connected_components(graph) if len(ring) > 1]
    rings.sort(key=lambda ring: min(rank[key] for key in ring))
    where = {key: number for number, ring in enumerate(rings) for key in ring}
    cut: dict[int, list[tuple[str, str]]] = {}
    for source, target in build.edges:
        ring_number = where.get(source)
        same = ring_number is not None and ring_number == where.get(target)
        if same and ring_number is not None and rank[source] > rank[target]:
            cut.setdefault(ring_number, []).append((source, target))
    for number in sorted(cut):
        _cut(build, rank, rings[number], sorted(cut[number], key=lambda e: rank[e[1]]))


def _cut(
    build: Build,
    rank: Mapping[str, int],
    ring: set[str],
    edges: list[tuple[str, str]],
) -> None:
    for edge in edges:
        del build.edges[edge]
    source, target = edges[0]
    names = (excerpt(build.drafts[key].name, 40) for key in (source, target))
    why = (
        f"{len(ring)} steps depend on each other; {len(edges)} edge(s) that lead back"
        f" in time were cut, the first from {' to '.join(names)}."
    )
    named = tuple(sorted(ring, key=lambda key: rank[key])[:MAX_NAMED])
    build.repairs.append(Repair("cycle_cut", named, why))


def topological(build: Build, rank: Mapping[str, int]) -> list[str]:
    """Step keys so that every edge points forward; ties by canonical order."""
    waiting = dict.fromkeys(build.drafts, 0)
    children: dict[str, list[str]] = {}
    for source, target in build.edges:
        waiting[target] += 1
        children.setdefault(source, []).append(target)
    ready = [(rank[key], key) for key, count in waiting.items() if not count]
    heapq.heapify(ready)
    order: list[str] = []
    while ready:
        _, key = heapq.heappop(ready)
        order.append(key)
        for child in children.get(key, ()):
            waiting[child] -= 1
            if not waiting[child]:
                heapq.heappush(ready, (rank[child], child))
    return order


def agent_rings(build: Build) -> tuple[tuple[str, ...], ...]:
    """Agents that hand over to each other in a ring, each ring sorted by name.

    The unrolled graph has no cycle; this keeps the cycle of the system visible.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    for source, target in build.edges:
        agents = build.drafts[source].agent, build.drafts[target].agent
        if all(agents) and agents[0] != agents[1]:
            graph.add_edge(*agents)
    rings = (sorted(ring) for ring in nx.strongly_connected_components(graph))
    return tuple(sorted(tuple(ring) for ring in rings if len(ring) > 1))
