"""From the spans of one trace to everything that is stored about it.

Pure: no database, no clock, no settings. It runs in a process of its own, so
that building and judging never make a page or a sender wait.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judging.domain.diagnosis import Diagnosis, diagnose
from judging.domain.findings import Finding, Run
from judging.domain.scores import StepScore, from_findings
from judging.domain.searching import search_text
from judging.domain.settings import Settings
from judging.judges import offline
from traces.domain.conformance import UNKNOWN, Conformance, compare, parse_schema
from traces.domain.graph.build import BuiltTrace, build_graph
from traces.domain.records import Graph, Json, SpanRecord
from traces.domain.summary import Summary, summarise


@dataclass(frozen=True)
class Job:
    """What the processing of one trace needs.

    Attributes:
        spans: All spans of the trace, at least one.
        attributes: What a file stated about the whole trace.
        settings: Thresholds and strategy.
        schemas: Newest schema content by workflow, with its number.
    """

    spans: Sequence[SpanRecord]
    attributes: Mapping[str, Json]
    settings: Settings
    schemas: Mapping[str, tuple[int, dict[str, Any]]]


@dataclass(frozen=True)
class Processed:
    """What came out of it."""

    graph: Graph
    conformance: Conformance
    summary: Summary
    search: str
    findings: tuple[Finding, ...]
    scores: Mapping[str, StepScore]
    diagnosis: Diagnosis


def process(job: Job) -> Processed:
    """Build, summarise, compare, check, classify and attribute one trace."""
    built = build_graph(job.spans)
    summary = summarise(job.spans, built, job.attributes)
    findings = _judge(built, summary)
    scores = from_findings(findings)
    return Processed(
        graph=built.graph,
        conformance=_conformance(built.graph, summary.workflow, job.schemas),
        summary=summary,
        search=search_text(summary, built.graph.steps, built.contents),
        findings=findings,
        scores=scores,
        diagnosis=diagnose(built.graph, scores, job.settings),
    )


def _judge(built: BuiltTrace, summary: Summary) -> tuple[Finding, ...]:
    """The offline checks; a judge's own traced calls are never judged."""
    if summary.judge_calls:
        return ()
    return offline.judge(Run(built.graph, built.contents, built.request, built.policy))


def _conformance(
    graph: Graph, workflow: str, schemas: Mapping[str, tuple[int, dict[str, Any]]]
) -> Conformance:
    if workflow not in schemas:
        return UNKNOWN
    number, content = schemas[workflow]
    return compare(graph, parse_schema(content), f"{workflow} v{number}")
