"""From steps to a drawing."""

from __future__ import annotations

from functools import partial

import pytest

from tests.traces.layout.shapes import drawn, run_of
from traces.domain.layout.drawing import draw
from traces.domain.layout.lanes import layout
from traces.domain.layout.marks import DrawEdge, DrawNode, State
from traces.domain.records import EdgeKind


def steps(*names, **changes):
    return [
        DrawNode(f"{i:016x}", i, "EXEC", name, "a", State.SCORED, 4.0 - i, **changes)
        for i, name in enumerate(names)
    ]


def fan():
    nodes = steps("ask", "find", "find", "find", "merge")
    edges = [DrawEdge(0, i, EdgeKind.CALL) for i in (1, 2, 3)]
    return nodes, edges + [DrawEdge(i, 4, EdgeKind.DATA) for i in (1, 2, 3)]


def test_parallel_calls_are_drawn_as_one_with_the_worst_score():
    drawing = draw(*fan())
    box = drawing.nodes[1]
    assert (box.count, box.fan, box.score, box.name) == (3, True, 1.0, "find")
    assert drawing.edges == (
        DrawEdge(0, 1, EdgeKind.CALL),
        DrawEdge(1, 2, EdgeKind.DATA),
    )
    assert drawing.box == (0, 1, 1, 1, 2)


def test_a_selected_call_opens_its_fan():
    assert len(draw(*fan(), opened=[2]).nodes) == 5


def test_folding_can_be_turned_off():
    assert len(draw(*fan(), fans=False).nodes) == 5


def test_the_places_of_a_growing_run_can_be_pinned():
    drawing = draw(*fan(), fans=False, place=partial(layout, pinned={}))
    assert drawing.layout.pinned == {"a": 0}


def test_the_most_certain_kind_stands_for_folded_edges():
    nodes, edges = fan()
    edges[0] = DrawEdge(0, 1, EdgeKind.ORDER)
    assert draw(nodes, edges).edges[0].kind is EdgeKind.CALL


def test_a_box_of_several_agents_says_how_many():
    nodes = [
        DrawNode(f"{i}", i, "EXEC", "x", f"agent-{i % 2}", State.NO_FINDING)
        for i in range(4)
    ]
    edges = [DrawEdge(i, i + 1) for i in range(3)]
    (box,) = draw(nodes, edges, regions=True).nodes
    assert (box.agent, box.name, box.state) == ("2 agents", "4 steps", State.NO_FINDING)


def test_failures_and_the_path_are_drawn_by_themselves():
    nodes, edges = drawn(run_of(3_000))
    drawing = draw(nodes, edges)
    alone = {box.index for box in drawing.nodes if box.count == 1}
    assert {n.index for n in nodes if n.failed or n.on_path} <= alone
    assert sum(box.count for box in drawing.nodes) == 3_000
    assert len(drawing.nodes) < 1_500


def test_two_thousand_steps_are_drawn_whole():
    nodes, edges = drawn(run_of(2_000))
    assert len(draw(nodes, edges, fans=False).nodes) == 2_000


@pytest.mark.parametrize("pair", [(1, 0), (0, 0), (0, 9), (-1, 1)])
def test_an_edge_must_lead_forward(pair):
    with pytest.raises(ValueError, match="does not lead forward"):
        draw(steps("a", "b"), [DrawEdge(*pair)])


def test_an_empty_run_is_an_empty_drawing():
    assert draw([], []).nodes == ()
