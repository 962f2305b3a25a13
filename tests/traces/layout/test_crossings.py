"""How often edges cross, against what Graphviz's dot draws of the same graphs.

dot's counts were taken from the splines of ``dot -Tplain`` for the same graphs
(docs/graph-drawing.md); drawn here, edges are counted as they are drawn.
"""

from __future__ import annotations

from tests.traces.layout.shapes import crossings, edges_of, run_of
from traces.domain.layout.lanes import layout
from traces.domain.layout.route import route

SEEDS = range(1, 21)
DOT = {100: 1, 200: 1, 400: 22}
"""Crossings of dot in all twenty graphs of a size."""
DOT_1000 = 1


def drawn_crossings(size: int, seed: int) -> int:
    nodes = run_of(size, seed)
    return crossings(route(layout(nodes), edges_of(nodes)))


def test_no_more_crossings_than_dot():
    counts = {size: sum(drawn_crossings(size, seed) for seed in SEEDS) for size in DOT}
    for size, count in counts.items():
        print(f"{size} steps, 20 graphs: {count} crossings (dot {DOT[size]})")
    assert sum(counts.values()) <= sum(DOT.values())
    assert all(counts[size] <= DOT[size] + 1 for size in DOT)


def test_a_thousand_steps_cross_no_more_than_in_dot():
    count = drawn_crossings(1_000, 7)
    print(f"1,000 steps: {count} crossings (dot {DOT_1000})")
    assert count <= DOT_1000
