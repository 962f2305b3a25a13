"""Spans to graph: each rule on a run small enough to draw by hand."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.traces.graph.spans import (
    agent,
    answered,
    build,
    edges,
    kinds,
    llm,
    named,
    said,
    span,
    tool,
    types,
    user,
)
from traces.domain.conformance import UNKNOWN
from traces.domain.graph.build import build_graph
from traces.domain.graph.codec import decode, encode
from traces.domain.graph.content import step_content
from traces.domain.records import SpanRecord, Structure

LOOKUP = {"order_id": "W-1204"}


def shop_run() -> list[SpanRecord]:
    return [
        agent("agent", 0, 100),
        llm("ask", 1, 10, parent="agent", text="I look it up.",
            calls=[("c1", "get_order", LOOKUP)],
            given=[said("system", "Be kind."), said("user", "Where is W-1204?")]),
        tool("run", 11, 20, parent="agent", run="get_order", call_id="c1",
             arguments=LOOKUP, result={"order": "W-1204", "status": "sent", "track": "TR-889"}),
        llm("tell", 21, 30, parent="agent", text="It was sent, see TR-889.",
            given=[said("system", "Be kind."), said("user", "Where is W-1204?"),
                   said("assistant", "I look it up."),
                   answered("c1", {"order": "W-1204", "status": "sent", "track": "TR-889"})]),
    ]  # fmt: skip


def test_a_turn_becomes_plan_selection_arguments_run_and_answer() -> None:
    built = build(*shop_run())
    assert types(built) == [
        "BOUNDARY", "BOUNDARY", "PLAN", "TOOLSEL", "PARAMGEN", "EXEC", "SYNTH",
    ]  # fmt: skip
    assert built.request == "Where is W-1204?"
    assert built.policy == "Be kind."


def test_every_dependency_has_its_kind() -> None:
    assert edges(build(*shop_run())) == {
        ("ask/system:0", "ask/plan", "message"),
        ("ask/user:1", "ask/plan", "message"),
        ("ask/plan", "ask/select:0", "call"),
        ("ask/select:0", "ask/arguments:0", "call"),
        ("ask/user:1", "ask/arguments:0", "data"),
        ("ask/arguments:0", "run/result", "call"),
        ("ask/plan", "tell/answer", "message"),
        ("run/result", "tell/answer", "data"),
    } | {("ask/system:0", "ask/user:1", "order")} & edges(build(*shop_run()))


@given(st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_the_order_of_arrival_does_not_matter(rng: random.Random) -> None:
    spans = shop_run()
    expected = encode(build_graph(spans).graph, UNKNOWN)
    rng.shuffle(spans)
    assert encode(build_graph(spans).graph, UNKNOWN) == expected


def test_a_graph_survives_its_own_coding() -> None:
    graph = build(*shop_run()).graph
    assert decode(encode(graph, UNKNOWN)) == (graph, UNKNOWN)


def test_a_step_opened_alone_shows_what_the_build_saw() -> None:
    spans = {one.span_id: one for one in shop_run()}
    built = build_graph(list(spans.values()))
    for step in built.graph.steps:
        assert step_content(spans[step.span_id], step.part) == built.contents[step.key]


def test_of_a_session_the_last_message_is_the_request() -> None:
    built = build(
        llm("a", 1, 2, text="Blue.", given=[
            said("user", "Is it red?"), said("assistant", "No."), said("user", "Then what?")]),
    )  # fmt: skip
    assert built.request == "Then what?"


def test_parallel_calls_fan_out_and_join_with_all_parents() -> None:
    built = build(
        agent("a", 0, 100),
        llm(
            "ask",
            1,
            5,
            parent="a",
            calls=[(f"c{i}", "look", {"n": f"id-{i}0"}) for i in range(5)],
        ),
        *(
            tool(f"t{i}", 6, 20, parent="a", run="look", call_id=f"c{i}")
            for i in range(5)
        ),
        llm("join", 21, 30, parent="a", text="all five"),
    )
    joins = {e for e in edges(built) if e[1] == "join/answer"}
    assert {e[0] for e in joins} == {f"t{i}/result" for i in range(5)}
    assert len([t for t in types(built) if t == "EXEC"]) == 5


def test_sequential_runs_of_parallel_calls_all_reach_the_join() -> None:
    built = build(
        agent("a", 0, 100),
        llm("ask", 1, 5, parent="a", calls=[("c0", "x", {}), ("c1", "y", {})]),
        tool("t0", 6, 10, parent="a", run="x", call_id="c0"),
        tool("t1", 11, 15, parent="a", run="y", call_id="c1"),
        llm("join", 21, 30, parent="a", text="both"),
    )
    assert {e[0] for e in edges(built) if e[1] == "join/answer"} == {
        "t0/result",
        "t1/result",
    }


def test_results_that_only_a_later_prompt_shows_become_steps() -> None:
    built = build(
        llm(
            "ask",
            1,
            5,
            calls=[("c1", "get", {"id": "A-77"})],
            given=[said("user", "A-77?")],
        ),
        llm(
            "tell",
            6,
            9,
            text="It is red.",
            given=[said("user", "A-77?"), answered("c1", "red")],
        ),
    )
    assert ("ask/arguments:0", "tell/result:c1", "call") in edges(built)
    assert ("tell/result:c1", "tell/answer", "message") in edges(built)


def test_runs_without_ids_are_paired_by_name_and_order() -> None:
    built = build(
        llm("ask", 1, 5, calls=[("", "get", {}), ("", "get", {})]),
        tool("one", 6, 7, run="get"),
        tool("two", 8, 9, run="get"),
    )
    assert ("ask/arguments:0", "one/result", "call") in edges(built)
    assert ("ask/arguments:1", "two/result", "call") in edges(built)
    assert "id_matched_by_order" in kinds(built)


def test_an_inner_agent_hangs_between_its_call_and_its_result() -> None:
    built = build(
        agent("boss", 0, 100),
        llm(
            "ask",
            1,
            5,
            parent="boss",
            calls=[("c1", "helper", {"task": "count the boxes"})],
        ),
        tool(
            "run", 6, 50, parent="boss", run="helper", call_id="c1", result="12 boxes"
        ),
        agent("helper", 7, 40, parent="run"),
        llm("inner", 8, 30, parent="helper", text="12 boxes"),
    )
    assert ("ask/arguments:0", "inner/answer", "handoff") in edges(built)
    assert ("inner/answer", "run/result", "message") in edges(built)
    assert [s.agent for s in built.graph.steps if s.span_id == "inner"] == ["helper"]


def test_a_self_parent_is_cut_and_the_span_kept() -> None:
    built = build(llm("a", 0, 5, text="hello", parent="a"))
    assert kinds(built) == ["self_link_removed"]
    assert len(built.graph.steps) == 1


def test_a_trace_that_is_only_a_ring_keeps_all_spans() -> None:
    built = build(
        llm("a", 0, 9, text="one", parent="b"), llm("b", 1, 8, text="two", parent="a")
    )
    assert "cycle_cut" in kinds(built)
    assert {g.span_id for g in built.graph.groups} | {
        s.span_id for s in built.graph.steps
    } == {"a", "b"}


def test_orphans_stand_under_a_placeholder() -> None:
    built = build(
        agent("root", 0, 100),
        tool("c", 10, 20, run="x", parent="gone"),
        tool("d", 30, 40, run="y", parent="gone"),
    )
    assert "orphan_attached" in kinds(built)
    assert {g.key for g in built.graph.groups} == {"root", "gone"}
    assert {s.group for s in built.graph.steps} == {"gone"}


def test_three_links_give_three_parents_in_any_order() -> None:
    spans = [tool(n, 0, 9, run=n) for n in "xyz"]
    for names in ("xyz", "zxy"):
        built = build(*spans, tool("join", 10, 12, run="join", links=list(names)))
        assert {e for e in edges(built) if e[1] == "join/result"} == {
            (f"{n}/result", "join/result", "declared") for n in "xyz"
        }


def test_a_link_to_its_own_container_is_a_reference() -> None:
    built = build(
        agent("a", 0, 50), tool("t", 1, 2, run="t", parent="a", links=["a", "t"])
    )
    assert kinds(built) == ["back_reference", "self_link_removed"]


def test_declared_rings_are_cut_where_they_lead_back_in_time() -> None:
    built = build(
        tool("a", 0, 5, run="a", links=["b"]), tool("b", 6, 9, run="b", links=["a"])
    )
    assert edges(built) == {("a/result", "b/result", "declared")}
    assert "cycle_cut" in kinds(built)


def test_retries_are_numbered() -> None:
    built = build(
        *(tool(f"t{i}", i * 10, i * 10 + 5, run="pay", arguments={"sum": 9},
               result="Error: busy") for i in range(3)),
    )  # fmt: skip
    assert [s.iteration for s in built.graph.steps] == [1, 2, 3]
    assert "loop_unrolled" in kinds(built)
    assert built.graph.structure is not Structure.INFERRED


def test_time_alone_is_a_flat_graph() -> None:
    built = build(tool("a", 0, 5, run="a"), tool("b", 6, 9, run="b"))
    assert built.graph.structure is Structure.FLAT
    assert kinds(built) == ["flat"]


def test_clock_skew_is_noted_and_times_stay() -> None:
    built = build(agent("a", 10, 50), tool("t", 8, 4, run="t", parent="a"))
    assert "clock_clamped" in kinds(built)
    step = built.graph.steps[0]
    assert (step.start_ns, step.end_ns) == (8_000_000, 4_000_000)


def test_an_unfinished_root_is_said() -> None:
    built = build(agent("a", 0), tool("t", 1, 2, run="t", parent="a"))
    assert "unfinished" in kinds(built)


def test_a_conversation_without_times_follows_its_positions() -> None:
    built = build(
        user("m0", "My id is mia-31.", position=0),
        llm("m1", text="", position=1, calls=[("c", "find", {"user": "mia-31"})],
            given=[said("user", "My id is mia-31.")]),
        tool("m2", run="find", call_id="c", result={"orders": ["ORD-5"]}, position=2),
        llm("m3", text="You have ORD-5.", position=3, given=[answered("c", {"orders": ["ORD-5"]})]),
        user("m4", "Cancel ORD-5", position=4),
        llm("m5", position=5, calls=[("d", "cancel", {"order": "ORD-5"})],
            given=[said("user", "Cancel ORD-5")]),
    )  # fmt: skip
    found = edges(built)
    assert ("m0/user", "m1/arguments:0", "data") in found
    assert ("m2/result", "m3/answer", "data") in found
    assert ("m2/result", "m5/arguments:0", "data") in found
    assert ("m4/user", "m5/select:0", "message") in found
    assert [s.span_id for s in built.graph.steps] == sorted(
        s.span_id for s in built.graph.steps
    )


@st.composite
def wild_spans(draw: st.DrawFn) -> list[SpanRecord]:
    """Spans with any parents, links and times: rings, orphans, self-links."""
    names = [f"s{i}" for i in range(draw(st.integers(1, 9)))]
    anyone = st.sampled_from([*names, "lost"])
    spans = []
    for name in names:
        start = draw(st.none() | st.integers(0, 20))
        end = draw(st.none() | st.integers(0, 20))
        parent = draw(st.none() | anyone)
        links = draw(st.lists(anyone, max_size=3))
        make = draw(st.sampled_from(["llm", "tool", "agent", "plain"]))
        more = {"parent": parent, "links": links}
        if make == "llm":
            asked = draw(st.booleans())
            calls = [("k" + name, "find", {"id": "ID-77"})] if asked else []
            spans.append(
                llm(
                    name,
                    start,
                    end,
                    text=draw(st.sampled_from(["", "see ID-77"])),
                    calls=calls,
                    **more,
                )
            )
        elif make == "tool":
            call = draw(st.sampled_from(["", *("k" + n for n in names)]))
            spans.append(
                tool(name, start, end, run="find", call_id=call, result="ID-77", **more)
            )
        elif make == "agent":
            spans.append(agent(name, start, end, **more))
        else:
            spans.append(span(name, start, end, **more))
    return spans


@given(wild_spans(), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_any_spans_give_one_acyclic_complete_graph(
    spans: list[SpanRecord], rng: random.Random
) -> None:
    built = build_graph(spans)
    index = {step.key: step.index for step in built.graph.steps}
    assert all(index[e.source] < index[e.target] for e in built.graph.edges)
    assert len(index) == len(built.graph.steps)
    shown = {s.span_id for s in built.graph.steps} | {
        g.span_id for g in built.graph.groups
    }
    assert {s.span_id for s in spans} <= shown | {
        name
        for name, view in built.views.items()
        if view.role == "plumbing" or _inner_half(name, built, spans)
    }
    again = list(spans)
    rng.shuffle(again)
    assert encode(build_graph(again).graph, UNKNOWN) == encode(built.graph, UNKNOWN)


def _inner_half(name: str, built: object, spans: list[SpanRecord]) -> bool:
    return any(s.span_id == name and "gen_ai.tool.name" in s.attributes for s in spans)


def test_keys_name_trace_span_and_part() -> None:
    built = build(*shop_run())
    assert all(len(step.key) == 16 for step in built.graph.steps)
    assert len(named(built)) == len(built.graph.steps)
