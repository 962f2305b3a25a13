"""Where the steps stand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.traces.layout.shapes import dags, law, overlapping, run_of
from traces.domain.layout.lanes import layout
from traces.domain.layout.model import PITCH, ROW, LayoutNode
from traces.domain.layout.ranks import dag_of


def nodes(*parents: tuple[int, ...], lane: str = "main") -> list[LayoutNode]:
    return [LayoutNode(i, found, lane, "call") for i, found in enumerate(parents)]


def test_a_chain_is_a_straight_line():
    assert layout(nodes((), (0,), (1,))).positions == ((0, 0), (0, ROW), (0, 2 * ROW))


def test_a_step_stands_below_its_longest_way():
    assert layout(nodes((), (0,), (1,), (0, 2))).ranks == (0, 1, 2, 3)


def test_parallel_calls_stand_side_by_side_and_the_trunk_stays_straight():
    found = layout(nodes((), (0,), (0,), (0,), (1, 2, 3)))
    assert found.columns == (0, 0, 1, 2, 0)


def test_a_short_branch_lies_inside_a_long_one():
    long_one, short_one = (2, 3, 4), 5
    found = layout(nodes((), (0,), (0,), (2,), (3,), (0,), (1, 4, 5)))
    assert {found.columns[i] for i in long_one} == {0}
    assert found.columns[short_one] in (1, 2)


def test_a_step_without_parents_stands_beside_the_step_before_it():
    assert layout(nodes((), (0,), (1,), ())).ranks == (0, 1, 2, 2)


def test_a_flat_run_fills_rows_of_four():
    found = layout(nodes(*[()] * 10))
    assert found.ranks == (0, 0, 0, 0, 1, 1, 1, 1, 2, 2)


def test_a_nested_agent_lies_next_to_its_caller():
    steps = [
        LayoutNode(0, (), "main"),
        LayoutNode(1, (0,), "outer"),
        LayoutNode(2, (0,), "other"),
        LayoutNode(3, (1,), "inner"),
        LayoutNode(4, (2,), "other"),
        LayoutNode(5, (3,), "outer"),
        LayoutNode(6, (4,), "other"),
        LayoutNode(7, (5, 6), "main"),
    ]
    columns = layout(steps).columns
    assert abs(columns[3] - columns[1]) == 1


def test_steps_without_an_agent_join_the_lane_of_their_parent():
    steps = [LayoutNode(0, ()), LayoutNode(1, (0,), "a"), LayoutNode(2, (1,))]
    assert [lane.name for lane in layout(steps).lanes] == ["a"]


def test_parallel_calls_of_one_name_are_foldable():
    assert layout(nodes((), (0,), (0,), (0,), (1, 2, 3))).foldable == ((1, 2, 3),)


def test_two_parallel_calls_are_not_foldable():
    assert layout(nodes((), (0,), (0,), (1, 2))).foldable == ()


def test_an_empty_run_has_an_empty_layout():
    assert layout([]).size == (0, 0)


@pytest.mark.parametrize("parents", [(1,), (5,), (-1,)])
def test_a_parent_must_precede(parents):
    with pytest.raises(ValueError, match="does not precede"):
        layout([LayoutNode(0), LayoutNode(1, parents)])


def test_an_index_must_be_the_place():
    with pytest.raises(ValueError, match="stands at place 0"):
        layout([LayoutNode(3)])


@law
@given(dags())
def test_no_two_steps_overlap_and_all_edges_point_down(steps):
    found = layout(steps)
    assert not overlapping(found)
    assert all(found.ranks[p] < found.ranks[s.index] for s in steps for p in s.parents)


@law
@given(dags())
def test_everything_lies_on_the_grid_and_inside_the_drawing(steps):
    found = layout(steps)
    assert all(x % PITCH == 0 and y % ROW == 0 and x >= 0 for x, y in found.positions)
    assert max(y for _, y in found.positions) < found.size[1]
    assert max(x for x, _ in found.positions) < found.size[0]


@law
@given(dags(), st.sampled_from((None, {})))
def test_no_step_lies_in_the_rectangle_of_another_agent(steps, pinned):
    lanes = dag_of(steps).lane
    found = layout(steps, pinned)
    for lane in found.lanes:
        inside = {
            lanes[i]
            for i, (x, y) in enumerate(found.positions)
            if lane.x <= x <= lane.x + lane.width
            and lane.y <= y <= lane.y + lane.height
        }
        assert lane.trunk or inside == {lane.name}


@law
@given(dags())
def test_the_same_steps_give_the_same_layout(steps):
    assert layout(steps) == layout(list(steps))


def test_twenty_thousand_steps():
    found = layout(run_of(20_000))
    assert not overlapping(found)
    assert max(found.columns) < 40


def test_a_very_wide_row_and_many_agents_are_laid_out():
    wide = [LayoutNode(0), *(LayoutNode(i, (0,), f"a{i}") for i in range(1, 3_000))]
    assert not overlapping(layout(wide))
    assert not overlapping(layout(wide, {}))
