"""One step as the API gives it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from judging.domain.document import step_document
from judging.selectors.inspect import Inspected, inspect
from judging.selectors.judged import JudgedTrace
from traces.models import ReferenceLabel, Trace


def step_detail(judged: JudgedTrace, key: str) -> dict[str, Any] | None:
    """The step with content, verdicts and findings; None if there is none."""
    found = inspect(judged, key)
    if found is None or judged.reading is None:
        return None
    document = step_document(found.step, found.outcome, judged.reading.taxonomy)
    labels = reference_labels(judged.trace, found.step.span_id)
    whole = document | {"trace": judged.trace.trace_id, "labels": labels}
    return whole | _content(found) | _judged(found)


def reference_labels(trace: Trace, span_id: str) -> list[dict[str, str]]:
    """Labels that came with the data for one span; no judge sees them."""
    rows = ReferenceLabel.objects.filter(trace=trace, span_id=span_id)
    names = ("kind", "value", "source", "note")
    return [dict(zip(names, row, strict=True)) for row in rows.values_list(*names)]


def _content(found: Inspected) -> dict[str, Any]:
    content = found.content
    return {
        "input": content.input,
        "output": content.output,
        "reasoning": content.reasoning or None,
        "call": asdict(content.call) if content.call else None,
        "error": content.error or None,
        "finish_reason": content.finish_reason or None,
        "omitted": content.omitted,
    }


def _judged(found: Inspected) -> dict[str, Any]:
    return {
        "verdicts": [
            {
                "metric": metric.name,
                "score": metric.score,
                "reason": metric.reason or None,
                "rationale": metric.rationale or None,
            }
            for metric in found.metrics
        ],
        "findings": [
            asdict(one.finding) | {"title": one.title, "rule": one.rule}
            for one in found.fired
        ],
        "parents": [
            {
                "id": parent.step.key,
                "kind": str(parent.edge.kind),
                "confidence": parent.edge.confidence,
                "why": parent.edge.why,
            }
            for parent in found.parents
        ],
        "rivals": [
            {"id": r.step.key, "score": r.score, "why": r.why} for r in found.rivals
        ],
        "opinions": [
            {
                "strategy": opinion.name,
                "root": opinion.root.key if opinion.root else None,
                "hops": opinion.hops,
            }
            for opinion in found.opinions
        ],
        "warnings": [{"kind": w.kind, "detail": w.detail} for w in found.warnings],
    }
