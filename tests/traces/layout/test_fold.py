"""Folding: fewer boxes, every step exactly once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.traces.layout.shapes import dags, law, run_of
from traces.domain.layout.contract import REGION
from traces.domain.layout.fold import fold_fans, fold_regions
from traces.domain.layout.model import LayoutNode


def chain(length):
    return [
        LayoutNode(i, (i - 1,) if i else (), "main", f"s{i}") for i in range(length)
    ]


def calls(*names):
    fan = [LayoutNode(i, (0,), "main", name) for i, name in enumerate(names, 1)]
    end = LayoutNode(len(names) + 1, tuple(range(1, len(names) + 1)), "main", "merge")
    return [LayoutNode(0, (), "main", "ask"), *fan, end]


def members(folding):
    return [fold.members for fold in folding.folds]


def lawful(folding, steps, keep):
    flat = sorted(i for fold in folding.folds for i in fold.members)
    assert flat == list(range(len(steps)))
    assert all(p < place for place, f in enumerate(folding.folds) for p in f.parents)
    assert all(i in folding.folds[folding.of[i]].members for i in range(len(steps)))
    assert all(folding.folds[folding.of[i]].members == (i,) for i in keep)


def test_what_lies_between_kept_steps_becomes_one_box():
    assert members(fold_regions(chain(7), {3})) == [(0, 1, 2), (3,), (4, 5, 6)]


def test_parallel_branches_are_folded_together():
    steps = calls("a", "b", "c")
    assert members(fold_regions(steps, {0, 4})) == [(0,), (1, 2, 3), (4,)]


def test_an_edge_between_kept_steps_stays():
    steps = [LayoutNode(0), LayoutNode(1, (0,)), LayoutNode(2, (0, 1))]
    assert fold_regions(steps, {0, 2}).folds[2].parents == (0, 1)


def test_a_region_has_an_upper_bound():
    sizes = [len(found) for found in members(fold_regions(chain(1_000), ()))]
    assert max(sizes) <= REGION
    assert len(sizes) < 10


def test_an_opened_region_is_unfolded_and_the_others_stay():
    folding = fold_regions(chain(7), {3}, opened=[1])
    assert members(folding) == [(0,), (1,), (2,), (3,), (4, 5, 6)]


def test_boxes_in_a_row_are_joined_where_too_many_are_left():
    cross = [LayoutNode(0), LayoutNode(1)]
    cross += [LayoutNode(i, (i - 2, i - 1)) for i in range(2, 60)]
    folding = fold_regions(cross, {30}, most=10)
    lawful(folding, cross, {30})
    assert len(folding.folds) == 3


def test_parallel_calls_of_one_name_become_one_box():
    folding = fold_fans(calls("find", "find", "find", "read"), ())
    assert members(folding) == [(0,), (1, 2, 3), (4,), (5,)]
    assert [fold.fan for fold in folding.folds] == [False, True, False, False]


def test_a_failed_call_is_left_out_of_its_fan():
    folding = fold_fans(calls("find", "find", "find", "find"), {2})
    assert members(folding) == [(0,), (1, 3, 4), (2,), (5,)]


def test_an_opened_fan_is_unfolded():
    assert len(fold_fans(calls("find", "find", "find"), (), opened={2}).folds) == 5


def test_branches_of_several_steps_fold_step_by_step():
    steps = [LayoutNode(0, (), "m", "ask")]
    for k in range(3):
        steps.append(LayoutNode(1 + 2 * k, (0,), "m", "select"))
        steps.append(LayoutNode(2 + 2 * k, (1 + 2 * k,), "m", "run"))
    assert members(fold_fans(steps, ())) == [(0,), (1, 3, 5), (2, 4, 6)]


def test_agents_are_never_folded_into_one_fan():
    steps = [
        LayoutNode(0, (), "m"),
        *(LayoutNode(i, (0,), f"a{i}", "x") for i in (1, 2, 3)),
    ]
    assert len(fold_fans(steps, ()).folds) == 4


@law
@given(dags(), st.sets(st.integers(0, 39)), st.lists(st.integers(0, 39), max_size=3))
def test_regions_are_lawful(steps, keep, opened):
    keep = {i for i in keep if i < len(steps)}
    lawful(fold_regions(steps, keep, opened), steps, keep)
    lawful(fold_regions(steps, keep, opened, most=3), steps, keep)


@law
@given(dags(), st.sets(st.integers(0, 39)))
def test_fans_are_lawful(steps, keep):
    keep = {i for i in keep if i < len(steps)}
    lawful(fold_fans(steps, keep), steps, keep)


def test_large_runs_shrink_to_what_can_be_drawn():
    steps = run_of(20_000)
    folding = fold_regions(steps, set(range(0, 20_000, 500)))
    lawful(folding, steps, set(range(0, 20_000, 500)))
    assert len(folding.folds) < 1_500


def test_a_hub_with_thousands_of_leaves_is_folded():
    steps = [LayoutNode(0), *(LayoutNode(i, (0,)) for i in range(1, 5_000))]
    folding = fold_regions(steps, {0})
    lawful(folding, steps, {0})
    assert len(folding.folds) < 30
