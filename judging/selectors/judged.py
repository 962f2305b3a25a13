"""Reads of judged traces: always for somebody, never more than they may see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from judging.domain.attribution import STRATEGIES
from judging.domain.findings import Evidence
from judging.domain.findings import Finding as Found
from judging.domain.reading import Reading
from judging.domain.scores import StepScore
from judging.domain.settings import DEFAULT
from judging.domain.taxonomy import parse
from judging.models import Evaluation, Finding, Verdict
from judging.services.defaults import read_settings, shipped_taxonomy
from judging.services.outcomes import scores_of
from traces.domain.graph.codec import decode
from traces.domain.graph.content import step_content
from traces.domain.records import Step
from traces.domain.view import StepContent
from traces.models import Trace, TraceGraph
from traces.services.blobs import unpack
from traces.services.stored import stored_spans

MAX_SHIFT = 2.0


@dataclass(frozen=True)
class JudgedTrace:
    """A trace with its reading and the evaluation it stands on.

    Attributes:
        trace: The trace.
        evaluation: The evaluation shown, None before the first.
        reading: None while no graph has been built.
    """

    trace: Trace
    evaluation: Evaluation | None
    reading: Reading | None


def judged_trace(
    trace: Trace,
    *,
    strategy: str = "",
    shift: float = 0.0,
    evaluation_id: int | None = None,
) -> JudgedTrace:
    """Read the graph and the scores of a trace that was already fetched.

    Args:
        trace: A trace the caller may see.
        strategy: Attribution strategy; "" for the profile's.
        shift: What if every threshold were moved by this (within ±2)?
        evaluation_id: Another evaluation of the trace than the current one.

    Raises:
        ValueError: Unknown strategy, or a shift out of range.
        Evaluation.DoesNotExist: The trace has no such evaluation.
    """
    if strategy and strategy not in STRATEGIES:
        raise ValueError(f"strategy: one of {', '.join(STRATEGIES)}")
    if not -MAX_SHIFT <= shift <= MAX_SHIFT:
        raise ValueError(f"shift: between -{MAX_SHIFT} and {MAX_SHIFT}")
    evaluation = _evaluation(trace, evaluation_id)
    row = TraceGraph.objects.filter(trace=trace).only("payload").first()
    if row is None:
        return JudgedTrace(trace, evaluation, None)
    graph, conformance = decode(unpack(row.payload))
    settings, taxonomy = DEFAULT, shipped_taxonomy()
    scores: Mapping[str, StepScore] = {}
    if evaluation is not None:
        settings = read_settings(evaluation.profile_version.content)
        taxonomy = parse(evaluation.taxonomy_version.content)
        scores = scores_of(evaluation)
    settings = replace(settings, strategy=strategy or settings.strategy)
    shifted = settings.shifted(shift) if shift else settings
    reading = Reading(graph, conformance, scores, shifted, taxonomy)
    return JudgedTrace(trace, evaluation, reading)


def _evaluation(trace: Trace, evaluation_id: int | None) -> Evaluation | None:
    found = Evaluation.objects.filter(trace=trace).select_related(
        "profile_version", "taxonomy_version"
    )
    if evaluation_id is not None:
        return found.get(pk=evaluation_id)
    return found.filter(is_current=True).first()


def findings_of(evaluation: Evaluation, step_key: str) -> tuple[Found, ...]:
    """What the checks found on one step, worst first."""
    rows = Finding.objects.filter(evaluation=evaluation, step_key=step_key)
    return tuple(
        Found(
            row.check_id,
            row.step_key,
            row.metric,
            row.cap,
            row.category,
            row.message,
            tuple(Evidence(**one) for one in row.evidence),
        )
        for row in rows.order_by("cap", "pk")
    )


def verdicts_of(evaluation: Evaluation, step_key: str) -> list[Verdict]:
    """Verdicts of one step by metric."""
    rows = Verdict.objects.filter(evaluation=evaluation, step_key=step_key)
    return list(rows.order_by("metric"))


def contents_of(
    trace: Trace, steps: Mapping[str, Step], keys: list[str]
) -> dict[str, StepContent]:
    """What the named steps were given and gave; reads their spans only."""
    wanted = {steps[key].span_id for key in keys}
    records = {span.span_id: span for span in stored_spans(trace, wanted)}
    found = {}
    for key in keys:
        record = records.get(steps[key].span_id)
        content = step_content(record, steps[key].part) if record else None
        if content is not None:
            found[key] = content
    return found


def raw_span(trace: Trace, span_id: str) -> dict[str, Any] | None:
    """One span as it was sent, None if the trace has no such span."""
    record = next(iter(stored_spans(trace, [span_id])), None)
    if record is None:
        return None
    return {
        "traceId": record.trace_id,
        "spanId": record.span_id,
        "parentSpanId": record.parent_id,
        "name": record.name,
        "kind": record.kind,
        "startTimeUnixNano": record.start_ns,
        "endTimeUnixNano": record.end_ns,
        "status": {"code": str(record.status), "message": record.status_message},
        "attributes": dict(record.attributes),
        "events": [
            {
                "name": e.name,
                "timeUnixNano": e.time_ns,
                "attributes": dict(e.attributes),
            }
            for e in record.events
        ],
        "links": [
            {
                "traceId": k.trace_id,
                "spanId": k.span_id,
                "attributes": dict(k.attributes),
            }
            for k in record.links
        ],
        "scope": {"name": record.scope.name, "version": record.scope.version},
        "resource": dict(record.scope.resource),
    }
