"""Steps with several parents: none is dropped, and no order decides."""

from itertools import permutations

import pytest

from tests.cases.conftest import agent, kinds, llm, parents, request, tool


def test_three_links_are_three_parents(take, opened):
    first = [tool(n, start=n) for n in (1, 2, 3)]
    take(request(*first, tool(4, start=50, links=(1, 2, 3))))
    assert parents(opened(), 4) == [1, 2, 3]


@pytest.mark.parametrize("order", list(permutations((1, 2))))
def test_the_order_of_links_changes_nothing(take, opened, order):
    take(request(tool(1), tool(2, start=3), tool(4, start=50, links=order)))
    assert parents(opened(), 4) == [1, 2]


def test_five_workers_of_one_name_stay_five_and_all_reach_the_reducer(take, opened):
    workers = [
        agent(n, 1, start=20, lasts=30, fields={"name": "worker"}) for n in range(3, 8)
    ]
    inner = [
        llm(n + 10, n, start=21, lasts=20, text=f"part {n} has ID-{n}77")
        for n in range(3, 8)
    ]
    told = " and ".join(f"ID-{n}77" for n in range(3, 8))
    take(
        request(
            agent(1, lasts=200),
            llm(2, 1, start=1, text="split into five"),
            *workers,
            *inner,
            llm(20, 1, start=100, text=f"found {told}", input__value=told),
        )
    )
    graph = opened()
    assert len([g for g in graph["groups"] if g["name"] == "worker"]) == 5
    assert set(parents(graph, 20)) - {20} == {13, 14, 15, 16, 17}


def test_a_link_to_its_own_container_is_no_parent(take, opened):
    take(request(agent(1, lasts=90), tool(2, 1, start=1, links=(1, 2))))
    graph = opened()
    assert parents(graph, 2) == []
    assert kinds(graph)[:2] == ["back_reference", "self_link_removed"]


def test_links_that_lead_back_and_forth_are_cut_once(take, opened):
    take(request(tool(1, links=(2,)), tool(2, start=20, links=(1,))))
    graph = opened()
    assert (parents(graph, 1), parents(graph, 2)) == ([], [1])
    assert "cycle_cut" in kinds(graph)


def test_links_to_what_never_came_or_to_other_traces_cost_nothing(take, opened):
    far = {"traceId": "f" * 32, "spanId": f"{1:016x}"}
    odd = tool(2, start=20, links=(77,))
    odd["links"] += [far, {"traceId": "", "spanId": ""}, {}, None, "link"]
    take(request(tool(1), odd))
    graph = opened()
    assert len(graph["steps"]) == 2
