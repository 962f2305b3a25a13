"""Spans in any order to one evaluation graph, always the same.

Paper section 3.1 and appendix A. The stages, each in its own module: hang the
spans (tree), read them (traces.domain.reading), expand them into steps, link
what was declared, called, said and used, fall back to order, cut rings, number
loops, put in topological order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from traces.domain.graph.acyclic import agent_rings, cut_cycles, topological
from traces.domain.graph.calls import link_calls
from traces.domain.graph.dataflow import canonical_rank, link_data
from traces.domain.graph.declared import link_declared
from traces.domain.graph.draft import Build, Draft, plain
from traces.domain.graph.expand import expand
from traces.domain.graph.loops import number_loops
from traces.domain.graph.messages import add_query, link_messages
from traces.domain.graph.order import link_order
from traces.domain.graph.tree import MAX_NAMED, hang
from traces.domain.reading import read_span
from traces.domain.records import (
    Edge,
    EdgeKind,
    Graph,
    Group,
    Repair,
    SpanRecord,
    Step,
    Structure,
)
from traces.domain.view import SpanView, StepContent

VERSION = 1
"""Grows when the same spans give another graph."""

_HARMLESS = frozenset({"id_matched_by_order", "unfinished", "clock_clamped"})


@dataclass(frozen=True)
class BuiltTrace:
    """A graph with everything its steps were given and gave.

    Attributes:
        graph: The evaluation graph.
        contents: Content by step key.
        views: What each span says, by span id.
        request: The user's original query, "" if the trace doesn't show it.
        policy: The first system prompt, "" if the trace doesn't show one.
    """

    graph: Graph
    contents: Mapping[str, StepContent]
    views: Mapping[str, SpanView]
    request: str
    policy: str


def build_graph(spans: Iterable[SpanRecord]) -> BuiltTrace:
    """Build the evaluation graph of one trace.

    Args:
        spans: All spans of one trace, in any order; at least one.

    Returns:
        The graph: every span stands in it as step, group or both, or is
        plumbing. The same set of spans gives the same graph, byte for byte.
        Time and memory are linear in the size of the spans but for sorting.
    """
    spans = list(spans)
    tree = hang(spans)
    views = {span_id: read_span(node.span) for span_id, node in tree.nodes.items()}
    build = Build(spans[0].trace_id, tree, views)
    build.repairs.extend(tree.repairs)
    expand(build)
    link_calls(build)
    link_declared(build)
    link_messages(build)
    add_query(build)
    link_order(build)
    link_data(build)
    rank = canonical_rank(build)
    cut_cycles(build, rank)
    number_loops(build, rank)
    _note_unfinished(build)
    return _finish(build, topological(build, rank))


def _note_unfinished(build: Build) -> None:
    timed = any(node.span.start_ns is not None for node in build.tree.nodes.values())
    open_spans = [
        span_id
        for span_id, node in build.tree.nodes.items()
        if timed and node.span.end_ns is None and not node.missing
    ]
    if open_spans:
        named = tuple(sorted(open_spans)[:MAX_NAMED])
        why = "Spans never ended; their end is unknown."
        build.repairs.append(Repair("unfinished", (), why, named))


def _finish(build: Build, order: list[str]) -> BuiltTrace:
    index = {key: number for number, key in enumerate(order)}
    steps = tuple(_step(build, build.drafts[key], index[key]) for key in order)
    edges = tuple(
        Edge(source, target, kind, confidence, why)
        for (source, target), (kind, confidence, why) in sorted(
            build.edges.items(), key=lambda item: (index[item[0][1]], index[item[0][0]])
        )
    )
    structure = _structure(build, steps, edges)
    repairs = _sorted_repairs(build.repairs, index)
    if structure is Structure.FLAT:
        why = "Nothing but time connects the steps; each is judged on its own."
        repairs = (*repairs, Repair("flat", (), why))
    graph = Graph(steps, edges, _groups(build), structure, repairs, agent_rings(build))
    contents = {step.key: build.drafts[step.key].content for step in steps}
    return BuiltTrace(
        graph,
        contents,
        build.views,
        _spoken(steps, contents, "user"),
        _spoken(steps, contents, "system"),
    )


def _step(build: Build, draft: Draft, index: int) -> Step:
    span = build.tree.nodes[draft.span_id].span
    timed = span.start_ns is not None
    return Step(
        key=draft.key,
        index=index,
        type=str(draft.type),
        name=draft.name,
        agent=draft.agent,
        group=draft.group,
        span_id=draft.span_id,
        part=draft.part,
        start_ns=span.start_ns,
        end_ns=span.end_ns,
        error=draft.error,
        position=draft.position,
        iteration=draft.iteration,
        loop=draft.loop,
        tool=draft.tool,
        finished=span.end_ns is not None or not timed,
    )


def _groups(build: Build) -> tuple[Group, ...]:
    return tuple(
        Group(
            key=span_id,
            name=build.tree.nodes[span_id].span.name or "group",
            parent=build.group_of[span_id],
            agent=build.agent_of[span_id],
            span_id=span_id,
        )
        for span_id in build.tree.walk()
        if span_id in build.groups
    )


def _structure(
    build: Build, steps: tuple[Step, ...], edges: tuple[Edge, ...]
) -> Structure:
    inner = {step.key for step in steps if not step.boundary}
    known = {e.target for e in edges if e.kind is not EdgeKind.ORDER} & inner
    if len(inner) > 1 and len(known) <= 1:
        return Structure.FLAT
    if any(repair.kind not in _HARMLESS for repair in build.repairs):
        return Structure.REPAIRED
    if any(edge.kind is EdgeKind.DECLARED for edge in edges):
        return Structure.DECLARED
    return Structure.INFERRED


def _sorted_repairs(
    repairs: list[Repair], index: Mapping[str, int]
) -> tuple[Repair, ...]:
    def ordered(repair: Repair) -> Repair:
        steps = tuple(sorted(repair.steps, key=lambda key: index[key]))
        return Repair(repair.kind, steps, repair.why, repair.spans)

    return tuple(
        sorted(map(ordered, repairs), key=lambda r: (r.kind, r.spans, r.steps, r.why))
    )


def _spoken(
    steps: tuple[Step, ...], contents: Mapping[str, StepContent], who: str
) -> str:
    """Text of the first words of the user or the system.

    A first model call may be given earlier turns of its session: there the
    last message of the user is the request.
    """
    kinds = ("query", "user") if who == "user" else ("system",)
    said = [s for s in steps if s.boundary and s.part.split(":")[0] in kinds]
    if not said:
        return ""
    first = said[0]
    if who == "user" and ":" in first.part:
        first = [step for step in said if step.span_id == first.span_id][-1]
    return plain(contents[first.key].output)
