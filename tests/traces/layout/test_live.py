"""A run that grows: what was drawn stays where it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.layout.shapes import behind, dags, edges_of, law, overlapping, run_of
from traces.domain.layout.lanes import layout
from traces.domain.layout.model import LayoutNode
from traces.domain.layout.route import route


def moved(steps, cut):
    before = layout(steps[:cut], {})
    after = layout(steps, before.pinned)
    return before.positions != after.positions[:cut]


def test_appending_moves_nothing_in_fifty_runs():
    cases = [moved(run_of(200, seed), 120 + seed) for seed in range(50)]
    print(f"moved something in {sum(cases)} of {len(cases)} cases")
    assert sum(cases) == 0


@law
@given(dags(), st.data())
def test_appending_never_moves_anything(steps, data):
    assert not moved(steps, data.draw(st.integers(0, len(steps))))


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_live_drawing_keeps_the_rules(seed):
    steps = run_of(200, seed)
    found = layout(steps, {})
    assert not overlapping(found)
    assert not behind(found, route(found, edges_of(steps)))


def test_lanes_are_pinned_to_their_first_column():
    steps = [
        LayoutNode(0, (), "main"),
        LayoutNode(1, (0,), "a"),
        LayoutNode(2, (0,), "b"),
    ]
    assert layout(steps, {}).pinned == {"main": 0, "a": 1, "b": 2}


def test_a_pinned_column_is_kept_when_a_late_step_comes_before():
    steps = [
        LayoutNode(0, (), "main"),
        LayoutNode(1, (0,), "b"),
        LayoutNode(2, (0,), "a"),
    ]
    assert layout(steps, {"main": 0, "a": 1, "b": 2}).columns == (0, 2, 1)


def test_a_lane_that_ended_gives_its_column_away():
    steps = [LayoutNode(0, (), "main"), LayoutNode(1, (0,), "a")]
    steps += [LayoutNode(i, (i - 1,), "main") for i in range(2, 6)]
    steps.append(LayoutNode(6, (5,), "b"))
    assert layout(steps, {}).columns[6] == 1
