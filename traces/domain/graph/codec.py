"""A graph as JSON, compact enough that 5,000 steps open at once, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traces.domain.conformance import Conformance, Deviation
from traces.domain.records import (
    Edge,
    EdgeKind,
    Graph,
    Group,
    Repair,
    Step,
    Structure,
)

FORMAT = 1


def encode(graph: Graph, conformance: Conformance) -> dict[str, Any]:
    """The graph as JSON values; ends of edges are step indexes."""
    index = {step.key: step.index for step in graph.steps}
    return {
        "format": FORMAT,
        "structure": str(graph.structure),
        "steps": [_step_row(step) for step in graph.steps],
        "edges": [
            [index[e.source], index[e.target], str(e.kind), e.confidence, e.why]
            for e in graph.edges
        ],
        "groups": [[g.key, g.name, g.parent, g.agent, g.span_id] for g in graph.groups],
        "repairs": [
            [r.kind, list(r.steps), r.why, list(r.spans)] for r in graph.repairs
        ],
        "cycles": [list(cycle) for cycle in graph.cycles],
        "conformance": [
            conformance.status,
            conformance.schema,
            [[d.kind, d.step, d.expected, d.detail] for d in conformance.deviations],
        ],
    }


def _step_row(step: Step) -> list[Any]:
    return [
        step.key,
        step.type,
        step.name,
        step.agent,
        step.group,
        step.span_id,
        step.part,
        step.start_ns,
        step.end_ns,
        step.error,
        step.position,
        step.iteration,
        step.loop,
        step.tool,
        step.finished,
    ]


def decode(content: Mapping[str, Any]) -> tuple[Graph, Conformance]:
    """Read back what ``encode`` wrote.

    Raises:
        ValueError: The content has another format number.
    """
    if content.get("format") != FORMAT:
        raise ValueError(f"graph format {content.get('format')!r} is not {FORMAT}")
    steps = tuple(
        Step(row[0], number, *row[1:]) for number, row in enumerate(content["steps"])
    )
    edges = tuple(
        Edge(steps[a].key, steps[b].key, EdgeKind(kind), confidence, why)
        for a, b, kind, confidence, why in content["edges"]
    )
    graph = Graph(
        steps,
        edges,
        tuple(Group(*row) for row in content["groups"]),
        Structure(content["structure"]),
        tuple(Repair(k, tuple(s), w, tuple(i)) for k, s, w, i in content["repairs"]),
        tuple(tuple(cycle) for cycle in content["cycles"]),
    )
    status, schema, deviations = content["conformance"]
    made = tuple(Deviation(*row) for row in deviations)
    return graph, Conformance(status, schema, made)
