"""Folding sub-agents and loops: as a whole or not at all, never in a circle."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.traces.layout.shapes import dags, law
from tests.traces.layout.test_fold import chain, lawful, members
from traces.domain.layout.drawing import draw
from traces.domain.layout.fold import fold_fans
from traces.domain.layout.groups import fold_groups, then
from traces.domain.layout.marks import DrawEdge, DrawNode
from traces.domain.layout.model import LayoutNode


def test_a_group_without_failures_becomes_one_box():
    folding = fold_groups(chain(8), [range(2, 6)], {7})
    assert members(folding) == [(0,), (1,), (2, 3, 4, 5), (6,), (7,)]


def test_a_group_with_a_failure_stays_open_and_its_inner_groups_are_folded():
    folding = fold_groups(chain(10), [range(1, 9), range(2, 6)], {7})
    assert members(folding)[2:5] == [(2, 3, 4, 5), (6,), (7,)]


def test_an_opened_group_stays_open():
    assert len(fold_groups(chain(8), [range(2, 6)], (), {3}).folds) == 8


def test_few_steps_are_not_worth_a_box():
    assert len(fold_groups(chain(8), [range(2, 5)], ()).folds) == 8


def test_a_group_that_another_step_runs_through_is_cut_there():
    folding = fold_groups(chain(12), [(*range(5), *range(6, 11))], ())
    assert members(folding) == [(0, 1, 2, 3, 4), (5,), (6, 7, 8, 9, 10), (11,)]


def test_groups_that_wait_for_each_other_are_cut_where_they_wait():
    left, right = range(0, 16, 2), range(1, 16, 2)
    parents = {i: {i - 2} if i > 1 else set() for i in range(16)}
    parents[8].add(7)
    parents[9].add(6)
    steps = [LayoutNode(i, tuple(sorted(parents[i]))) for i in range(16)]
    assert members(fold_groups(steps, [left, right], ())) == [
        (0, 2, 4, 6),
        (1, 3, 5, 7),
        (8, 10, 12, 14),
        (9, 11, 13, 15),
    ]


def test_parallel_calls_are_folded_beside_groups():
    steps = [
        *chain(5),
        *(LayoutNode(i, (4,), "main", "find") for i in range(5, 8)),
        LayoutNode(8, (5, 6, 7), "main", "end"),
    ]
    first = fold_groups(steps, [range(1, 5)], ())
    boxes = [LayoutNode(i, f.parents, "main", "") for i, f in enumerate(first.folds)]
    named = [
        LayoutNode(b.index, b.parents, "main", "find" if 2 <= b.index <= 4 else "")
        for b in boxes
    ]
    assert members(then(first, fold_fans(named, ()))) == [
        (0,),
        (1, 2, 3, 4),
        (5, 6, 7),
        (8,),
    ]


def test_groups_are_folded_from_four_hundred_steps_up():
    for size, boxes in ((400, 400), (500, 401)):
        steps = [DrawNode(f"{i:016x}", i, "EXEC", f"s{i}") for i in range(size)]
        edges = [DrawEdge(i - 1, i) for i in range(1, size)]
        groups = [range(300, 400)]
        assert len(draw(steps, edges, groups=groups).nodes) == boxes


@law
@given(
    dags(),
    st.lists(st.sets(st.integers(0, 39), min_size=2), max_size=5),
    st.sets(st.integers(0, 39)),
)
def test_groups_are_lawful(steps, groups, keep):
    inside = [{i for i in group if i < len(steps)} for group in groups]
    keep = {i for i in keep if i < len(steps)}
    lawful(fold_groups(steps, [g for g in inside if g], keep), steps, keep)
