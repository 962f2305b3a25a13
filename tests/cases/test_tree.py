"""Parents that loop, lack or lie: every span is shown, every repair is said."""

import pytest

from tests.cases.conftest import (
    TRACE,
    agent,
    kinds,
    llm,
    parents,
    request,
    span,
    tool,
)
from traces.models import Span

HEALTHY = 9


def shown(graph):
    """Numbers of all spans that the graph shows, as step or as container."""
    spans = [step["span"] for step in graph["steps"]]
    spans += [group["id"] for group in graph["groups"]]
    return sorted({int(one, 16) for one in spans})


def mended(graph, kind):
    """Numbers of the spans that a repair of this kind names."""
    named = [repair["spans"] for repair in graph["repairs"] if repair["kind"] == kind]
    return sorted({int(one, 16) for spans in named for one in spans})


def test_a_span_that_contains_itself_stays_and_is_marked(take, opened):
    take(request(agent(HEALTHY), tool(1, 1)))
    graph = opened()
    assert shown(graph) == [1, HEALTHY]
    assert mended(graph, "self_link_removed") == [1]


def test_two_spans_in_each_other_beside_a_healthy_one_all_stay(take, opened):
    take(request(agent(HEALTHY), tool(1, 2, start=1), tool(2, 1, start=2)))
    graph = opened()
    assert shown(graph) == [1, 2, HEALTHY]
    assert mended(graph, "cycle_cut") == [1, 2]


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2), (2, 3, 1)])
def test_a_trace_that_is_only_a_ring_has_its_earliest_span_as_root(take, opened, order):
    ring = {1: agent(1, 3, start=0), 2: agent(2, 1, start=1), 3: tool(3, 2, start=2)}
    take(request(*(ring[number] for number in order)))
    graph = opened()
    groups = {group["id"]: group["parent"] for group in graph["groups"]}
    assert shown(graph) == [1, 2, 3]
    assert groups[f"{1:016x}"] in (None, "")


def test_children_of_a_span_that_never_came_stay_together(take, opened):
    take(request(agent(1), tool(3, 2, start=1), tool(4, 2, start=30)))
    graph = opened()
    assert mended(graph, "orphan_attached") == [2, 3, 4]
    holders = {step["group"] for step in graph["steps"]}
    assert len(holders) == 1
    assert shown(graph) == [1, 2, 3, 4]


def test_the_missing_span_that_comes_late_takes_its_children(take, opened):
    take(request(agent(1, lasts=90), tool(3, 2, start=1), tool(4, 2, start=30)))
    assert "orphan_attached" in kinds(opened())
    take(request(agent(2, 1, lasts=80)))
    graph = opened()
    assert "orphan_attached" not in kinds(graph)
    assert shown(graph) == [1, 2, 3, 4]


def test_the_first_step_of_an_inner_agent_hangs_on_the_outer_one(take, opened):
    take(
        request(
            agent(1, lasts=100),
            llm(2, 1, start=1, text="ask the helper"),
            agent(3, 1, start=20, lasts=60),
            llm(4, 3, start=21, text="looking"),
            tool(5, 3, start=40),
            llm(6, 1, start=85, text="all done"),
        )
    )
    graph = opened()
    assert [n for n in (4, 5, 6) if not parents(graph, n)] == []


def test_spans_without_words_of_a_framework_make_a_graph_that_says_so(take, opened):
    plain = [span(1, lasts=90), span(2, 1, start=1), span(3, 1, start=20)]
    take(request(*plain, span(4, 3, start=21)))
    graph = opened()
    assert shown(graph) == [1, 2, 3, 4]
    assert graph["structure"] in ("inferred", "flat")
    assert {edge["kind"] for edge in graph["edges"]} <= {"order", "handoff"}


def test_the_root_that_never_ended_is_said_to_be_unfinished(take, opened, reader):
    take(request(agent(1, fields={"endTimeUnixNano": "0"}), tool(2, 1, start=1)))
    assert "unfinished" in kinds(opened())
    page = reader.get(f"/p/shop/traces/{TRACE}/").content.decode()
    assert "unfinished" in page.casefold()


def test_a_span_again_in_another_request_is_the_same_span(take, opened):
    for _turn in range(3):
        take(request(agent(1), tool(2, 1, start=1)))
    assert Span.objects.count() == 2
    assert shown(opened()) == [1, 2]
