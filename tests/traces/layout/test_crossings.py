"""How often edges cross, against what Graphviz's dot draws of the same graphs.

dot's counts were taken from the splines of ``dot -Tplain`` for the same graphs
(docs/graph-drawing.md); drawn here, edges are counted as they are drawn.
"""

from __future__ import annotations

import pytest

from tests.traces.layout.shapes import crossings, edges_of, run_of
from traces.domain.layout.lanes import layout
from traces.domain.layout.route import route

SEEDS = range(1, 21)
DOT = {100: 1, 200: 1, 400: 22}
"""Crossings of dot in all twenty graphs."""
DOT_1000 = 1


def drawn_crossings(size: int, seed: int) -> int:
    nodes = run_of(size, seed)
    return crossings(route(layout(nodes), edges_of(nodes)))


@pytest.mark.parametrize("size", DOT)
def test_no_more_crossings_than_dot(size):
    counts = [drawn_crossings(size, seed) for seed in SEEDS]
    print(f"{size} steps: {sum(counts)} crossings in {len(counts)} graphs {counts}")
    assert sum(counts) <= DOT[size]


def test_a_thousand_steps_cross_no_more_than_in_dot():
    count = drawn_crossings(1_000, 7)
    print(f"1,000 steps: {count} crossings")
    assert count <= DOT_1000
