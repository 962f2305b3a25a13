"""A judged graph as the API gives it, and as one sentence for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from judging.domain.diagnosis import Diagnosis, Outcome
from judging.domain.taxonomy import Taxonomy
from traces.domain.conformance import Conformance
from traces.domain.records import Graph, Step

MAX_PATHS = 500
"""Paths written out; the rest follow ``propagated_from``."""
MAX_NAMED_ON_PATH = 6


def graph_document(
    trace_id: str,
    graph: Graph,
    conformance: Conformance,
    diagnosis: Diagnosis,
    taxonomy: Taxonomy,
) -> dict[str, Any]:
    """The document of ``GET /api/v1/traces/{id}/graph`` (docs/interfaces.md)."""
    return {
        "trace": trace_id,
        "structure": str(graph.structure),
        "repairs": [
            {"kind": r.kind, "steps": r.steps, "spans": r.spans, "why": r.why}
            for r in graph.repairs
        ],
        "conformance": {
            "schema": conformance.schema or None,
            "status": conformance.status,
            "deviations": [
                {
                    "kind": d.kind,
                    "step": d.step or None,
                    "expected": d.expected or None,
                    "detail": d.detail,
                }
                for d in conformance.deviations
            ],
        },
        "groups": [
            {"id": g.key, "name": g.name, "parent": g.parent or None, "agent": g.agent}
            for g in graph.groups
        ],
        "cycles": graph.cycles,
        "steps": [
            step_document(step, diagnosis.outcomes[step.key], taxonomy)
            for step in graph.steps
        ],
        "edges": [
            {
                "source": e.source,
                "target": e.target,
                "kind": str(e.kind),
                "confidence": e.confidence,
                "why": e.why,
            }
            for e in graph.edges
        ],
        "attribution": _attribution(diagnosis),
        "score": score_document(diagnosis),
    }


def step_document(step: Step, outcome: Outcome, taxonomy: Taxonomy) -> dict[str, Any]:
    """One step of the graph document."""
    score = outcome.score
    return {
        "id": step.key,
        "index": step.index,
        "type": step.type,
        "name": step.name,
        "agent": step.agent,
        "tool": step.tool,
        "group": step.group or None,
        "span": step.span_id,
        "part": step.part,
        "position": step.position,
        "loop": step.loop or None,
        "iteration": step.iteration or None,
        "started_at": moment(step.start_ns),
        "ended_at": moment(step.end_ns),
        "finished": step.finished,
        "state": str(score.state),
        "reason": score.reason or None,
        "score": score.score,
        "threshold": outcome.threshold,
        "failed": outcome.failed,
        "metrics": dict(score.metrics),
        "source": score.source if score.score is not None else None,
        "category": category_document(outcome.category, taxonomy),
        "role": outcome.role or None,
        "propagated_from": outcome.source or None,
        "root": outcome.root or None,
        "downstream": outcome.downstream,
    }


def category_document(category: str, taxonomy: Taxonomy) -> dict[str, Any] | None:
    """Id and path of a category, None for no category."""
    if not category:
        return None
    return {"id": category, "path": taxonomy.names(category)}


def _attribution(diagnosis: Diagnosis) -> dict[str, Any]:
    failed = [key for key, one in diagnosis.outcomes.items() if one.failed]
    return {
        "strategy": diagnosis.attribution.strategy,
        "roots": diagnosis.roots,
        "primary_root": diagnosis.primary_root or None,
        "symptom": diagnosis.symptom or None,
        "paths": {key: diagnosis.attribution.path(key) for key in failed[:MAX_PATHS]},
        "paths_left_out": max(0, len(failed) - MAX_PATHS),
        "ambiguity": [
            {"step": a.step, "kind": a.kind, "detail": a.detail}
            for a in diagnosis.ambiguity
        ],
    }


def score_document(diagnosis: Diagnosis) -> dict[str, Any]:
    """Score of the run with the counts it stands on."""
    counts = diagnosis.counts
    return {
        "workflow": diagnosis.workflow.value,
        "bound": "upper" if diagnosis.workflow.upper_bound else None,
        "failed": counts["failed"],
        "scored": counts["scored"],
        "no_finding": counts["no_finding"],
        "unscored": counts["unscored"],
        "pending": counts["pending"],
    }


def moment(ns: int | None) -> str | None:
    """Unix nanoseconds as ISO 8601 in UTC with nine decimals."""
    if ns is None:
        return None
    seconds, rest = divmod(ns, 1_000_000_000)
    try:
        whole = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{rest:09d}Z"


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a sentence; ``step`` names the step that it links to."""

    text: str
    step: str = ""


def headline(
    graph: Graph, diagnosis: Diagnosis, taxonomy: Taxonomy
) -> tuple[Part, ...]:
    """Why the run failed, in one sentence built from the data."""
    steps = {step.key: step for step in graph.steps}
    root, symptom = diagnosis.primary_root, diagnosis.symptom
    if not root:
        return (Part(_nothing_failed(diagnosis)),)
    category = " › ".join(taxonomy.names(diagnosis.outcomes[root].category)[1:])
    category = category or "unclassified"
    if root == symptom:
        text = f"Failed at step {_described(steps[root], diagnosis)}"
        return (Part(text, root), Part(f": {category}."))
    start = Part(f"Failed at step {_described(steps[symptom], diagnosis)}", symptom)
    began = Part(f"step {_described(steps[root], diagnosis)}", root)
    parts = [start, Part(". It began at "), began, Part(f": {category}")]
    parts += _passed_through(steps, diagnosis.attribution.path(symptom)[1:-1])
    return (*parts, Part("."))


def _described(step: Step, diagnosis: Diagnosis) -> str:
    score = diagnosis.outcomes[step.key].score.score
    shown = "unscored" if score is None else f"{score:.1f}"
    return f"{step.index} ({step.type}, {shown})"


def _passed_through(steps: Mapping[str, Step], inner: tuple[str, ...]) -> list[Part]:
    if not inner:
        return []
    shown, rest = inner[:MAX_NAMED_ON_PATH], len(inner) - MAX_NAMED_ON_PATH
    parts = [Part(", and passed through ")]
    for number, key in enumerate(shown):
        last = number == len(shown) - 1 and rest <= 0
        joint = "" if number == 0 else " and " if last else ", "
        parts += [Part(joint)] if joint else []
        parts.append(Part(str(steps[key].index), key))
    return parts + ([Part(f" and {rest} more")] if rest > 0 else [])


def _nothing_failed(diagnosis: Diagnosis) -> str:
    counts = diagnosis.counts
    if counts["scored"] == 0 and counts["no_finding"]:
        return f"No check fired on {counts['no_finding']} steps. That is no finding, not a pass."
    if counts["scored"] == 0:
        return "No step has been judged yet."
    return f"No step failed; {counts['scored']} judged, {counts['no_finding']} without finding."
