"""How the edges run."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.traces.layout.shapes import behind, dags, edges_of, law, merged, run_of
from traces.domain.layout.lanes import layout
from traces.domain.layout.model import LayoutNode
from traces.domain.layout.route import route


def routed(steps, pinned=None):
    found = layout(steps, pinned)
    return found, route(found, edges_of(steps))


def test_a_straight_edge_is_one_line():
    _, (edge,) = routed([LayoutNode(0), LayoutNode(1, (0,))])
    assert edge.path() == "M104 40V70"


def test_a_bracket_has_round_corners():
    _, routes = routed([LayoutNode(0), LayoutNode(1, (0,)), LayoutNode(2, (0,))])
    assert routes[1].path() == "M104 40V48Q104 54 110 54H334Q340 54 340 60V70"


def test_calls_of_one_step_share_a_bracket():
    _, routes = routed([LayoutNode(0), *(LayoutNode(i, (0,)) for i in (1, 2, 3))])
    assert {edge.upper for edge in routes[1:]} == {54.0}


def test_brackets_that_overlap_lie_on_different_tracks():
    steps = [
        LayoutNode(0),
        *(LayoutNode(i, (0,)) for i in (1, 2, 3)),
        LayoutNode(4, (1, 3)),
        LayoutNode(5, (2, 3)),
        LayoutNode(6, (1, 2)),
    ]
    found, routes = routed(steps)
    assert not merged(routes)
    assert not behind(found, routes)


def test_an_edge_that_skips_rows_keeps_out_of_the_way():
    steps = [
        LayoutNode(0),
        LayoutNode(1, (0,)),
        LayoutNode(2, (1,)),
        LayoutNode(3, (0, 2)),
    ]
    found, routes = routed(steps)
    assert not behind(found, routes)
    assert routes[-2].gutter is not None


@law
@given(dags())
def test_no_edge_runs_behind_a_step(steps):
    for pinned in (None, {}):
        found, routes = routed(steps, pinned)
        assert not behind(found, routes)


@law
@given(dags())
def test_every_edge_starts_and_ends_where_it_should(steps):
    found, routes = routed(steps)
    for edge, (source, target) in zip(routes, edges_of(steps), strict=True):
        assert (edge.source, edge.target) == (source, target)
        assert edge.points()[0][1] == found.positions[source][1] + 40
        assert edge.points()[-1][1] == found.positions[target][1]


@pytest.mark.parametrize("seed", range(1, 11))
def test_edges_of_a_run_never_lie_on_each_other(seed):
    found, routes = routed(run_of(200, seed))
    assert not merged(routes)
    assert not behind(found, routes)


def test_routes_are_the_same_every_time():
    steps = run_of(400, 2)
    assert [e.path() for e in routed(steps)[1]] == [e.path() for e in routed(steps)[1]]


def test_hundreds_of_edges_through_one_gap_are_routed():
    steps = [LayoutNode(i) for i in range(40)]
    steps += [LayoutNode(40 + i, tuple(range(40))) for i in range(40)]
    found, routes = routed(steps)
    assert len(routes) == 1_600
    assert not behind(found, routes)
