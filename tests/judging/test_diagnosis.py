"""Failures, roots and paths on small graphs worked by hand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.attribution import STRATEGIES
from judging.domain.diagnosis import Diagnosis, diagnose
from judging.domain.scores import State, StepScore
from judging.domain.scoring import descendants
from judging.domain.settings import DEFAULT
from traces.domain.records import Edge, EdgeKind, Graph, Step, Structure


def graph(
    edges: list[tuple[str, str]],
    types: dict[str, str] | None = None,
    confidence: dict[tuple[str, str], float] | None = None,
    **extra: Structure,
) -> Graph:
    """A graph over single letters, in alphabetical order."""
    keys = sorted({key for edge in edges for key in edge} | set(types or {}))
    steps = tuple(
        Step(key, index, (types or {}).get(key, "EXEC"), key)
        for index, key in enumerate(keys)
    )
    made = tuple(
        Edge(a, b, EdgeKind.ORDER, (confidence or {}).get((a, b), 1.0))
        for a, b in edges
    )
    return Graph(steps, made, **extra)


def scored(**scores: float) -> dict[str, StepScore]:
    return {key: StepScore(State.SCORED, score) for key, score in scores.items()}


def run(
    made: Graph, strategy: str = "greedy_lowest_parent", **scores: float
) -> Diagnosis:
    return diagnose(made, scored(**scores), replace(DEFAULT, strategy=strategy))


CHAIN = graph([("a", "b"), ("b", "c"), ("c", "d")])
DIAMOND = graph([("a", "c"), ("b", "c"), ("c", "d")])


def test_a_step_fails_strictly_below_its_threshold() -> None:
    found = run(graph([], {"p": "PARAMGEN", "q": "PARAMGEN"}), p=2.5, q=2.49)
    assert [found.outcomes[key].failed for key in "pq"] == [False, True]


def test_a_failed_step_without_failed_parents_is_a_root() -> None:
    found = run(CHAIN, a=4, b=2, c=5, d=1)
    assert found.roots == ("b", "d")


def test_a_chain_of_failures_leads_back_to_its_first() -> None:
    found = run(CHAIN, a=4, b=2, c=1, d=1.5)
    assert found.attribution.path("d") == ("b", "c", "d")
    assert (found.primary_root, found.symptom) == ("b", "d")
    assert found.outcomes["b"].downstream == 2


def test_the_lowest_failed_parent_is_the_source() -> None:
    found = run(DIAMOND, a=2.5, b=1, c=2)
    assert found.outcomes["c"].source == "b"
    assert found.outcomes["c"].rivals[0].key == "a"


def test_equal_parents_yield_the_earlier_and_a_warning() -> None:
    found = run(DIAMOND, a=2, b=2, c=2)
    assert found.outcomes["c"].source == "a"
    assert [flag.kind for flag in found.ambiguity] == ["rival_parents"]


def test_a_passing_parent_breaks_the_chain_but_not_the_full_path() -> None:
    assert run(CHAIN, a=1, b=4, c=2).roots == ("a", "c")
    found = run(CHAIN, "full_path_minimum", a=1, b=4, c=2)
    assert found.roots == ("a",)
    assert found.attribution.path("c") == ("a", "b", "c")


def test_weighted_propagation_prefers_the_surer_link() -> None:
    weak = {("b", "c"): 0.4}
    made = graph([("a", "c"), ("b", "c")], confidence=weak)
    # a: 1.0 × (3 − 2)/2 = 0.5; b: 0.4 × (3 − 1)/2 = 0.4
    assert run(made, "weighted_propagation", a=2, b=1, c=2).outcomes["c"].source == "a"
    assert run(made, a=2, b=1, c=2).outcomes["c"].source == "b"


def test_weighted_propagation_does_not_follow_a_weak_link() -> None:
    made = graph([("a", "b")], confidence={("a", "b"): 0.3})
    found = run(made, "weighted_propagation", a=2, b=1)  # 0.3 × 0.5 = 0.15 < 0.2
    assert found.roots == ("a", "b")


def test_an_unscored_parent_is_stepped_over_and_named() -> None:
    scores = scored(a=1, c=2) | {"b": StepScore(State.UNSCORED, reason="timeout")}
    found = diagnose(CHAIN, scores, DEFAULT)
    assert found.outcomes["c"].source == "a"
    assert found.outcomes["c"].over == ("b",)
    assert found.attribution.path("c") == ("a", "b", "c")


def test_no_finding_is_not_stepped_over() -> None:
    assert run(CHAIN, a=1, c=2).roots == ("a", "c")


def test_in_a_flat_graph_order_is_no_dependency() -> None:
    flat = graph([("a", "b")], structure=Structure.FLAT)
    assert run(flat, a=1, b=1).roots == ("a", "b")


def test_long_chains_and_near_misses_are_flagged() -> None:
    made = graph([("a", "b"), ("b", "c"), ("c", "d"), ("d", "e")])
    found = run(made, a=1, b=1, c=1, d=1, e=2.9)
    assert [(f.step, f.kind) for f in found.ambiguity] == [
        ("e", "long_chain"),
        ("e", "near_threshold"),
    ]


def test_the_workflow_score_is_the_weighted_harmonic_mean() -> None:
    # weights 1 + desc: a 4, b 3, c 2, d 1; Q = 10 / (4/4 + 3/2 + 2/5 + 1/1)
    found = run(CHAIN, a=4, b=2, c=5, d=1)
    assert found.workflow.value == pytest.approx(10 / 3.9)
    assert not found.workflow.upper_bound


def test_steps_without_finding_make_the_score_an_upper_bound() -> None:
    found = run(graph([("a", "b")]), b=1)  # (2 + 1) / (2/5 + 1/1)
    assert found.workflow.value == pytest.approx(3 / 1.4)
    assert found.workflow.upper_bound
    assert found.counts["no_finding"] == 1


def test_nothing_judged_has_no_score() -> None:
    made = graph([], {"u": "BOUNDARY"})
    assert diagnose(made, {}, DEFAULT).workflow.value is None


def test_a_run_without_any_finding_has_no_score() -> None:
    assert run(CHAIN).workflow.value is None


def test_descendants_are_counted_once_each() -> None:
    assert descendants(graph([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])) == [
        3, 1, 1, 0,
    ]  # fmt: skip


@st.composite
def judged_graphs(draw: st.DrawFn) -> tuple[Graph, dict[str, StepScore]]:
    size = draw(st.integers(1, 12))
    keys = [chr(97 + number) for number in range(size)]
    pairs = [(a, b) for at, a in enumerate(keys) for b in keys[at + 1 :]]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    scores = draw(st.lists(st.integers(1, 5), min_size=size, max_size=size))
    made = graph(edges, dict.fromkeys(keys, "EXEC"))
    return made, scored(**dict(zip(keys, map(float, scores), strict=True)))


@given(judged_graphs(), st.sampled_from(sorted(STRATEGIES)))
def test_attribution_stays_among_failed_ancestors(
    case: tuple[Graph, dict[str, StepScore]], strategy: str
) -> None:
    made, scores = case
    found = diagnose(made, scores, replace(DEFAULT, strategy=strategy))
    edges = {(edge.source, edge.target) for edge in made.edges}
    for key, one in found.outcomes.items():
        assert one.failed == (bool(one.role)) == (scores[key].score < 3)
        if not one.failed:
            continue
        path = found.attribution.path(key)
        assert (path[0], path[-1]) == (one.root, key)
        assert all(pair in edges for pair in pairwise(path))
        assert found.outcomes[one.root].role == "root"
        assert found.attribution.hops[key] == len(path) - 1
    assert len(found.roots) == sum(o.role == "root" for o in found.outcomes.values())


@given(judged_graphs())
def test_full_path_minimum_blames_nobody_better(
    case: tuple[Graph, dict[str, StepScore]],
) -> None:
    made, scores = case
    found = diagnose(made, scores, replace(DEFAULT, strategy="full_path_minimum"))
    for key, one in found.outcomes.items():
        if one.failed:
            assert scores[one.root].score <= scores[key].score
