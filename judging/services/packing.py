"""The pure half of a digest: stored rows in, rows to store out.

Runs in another process where there is one (``judging.services.pool``), so it
knows neither Django nor the database, and a fault in one trace is an answer
about that trace.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from judging.domain.diagnosis import Outcome
from judging.domain.findings import Finding
from judging.domain.settings import Settings
from judging.judges.offline import VERSION as JUDGE_VERSION
from judging.services.columns import trace_columns, worth_storing
from judging.services.processing import Job, Processed, process
from traces.domain.conformance import UNKNOWN
from traces.domain.graph.build import VERSION as GRAPH_VERSION
from traces.domain.graph.codec import encode
from traces.domain.records import NO_SCOPE, Json, Step
from traces.domain.summary import Summary
from traces.services.blobs import pack, record_of, scope_of

__all__ = ["GRAPH_VERSION", "JUDGE_VERSION", "Packed", "RawSpan", "RawTrace", "work"]


class RawSpan(NamedTuple):
    """The columns of a stored span."""

    span_id: str
    parent_id: str
    name: str
    kind: int
    status: int
    start_ns: int | None
    end_ns: int | None
    position: int | None
    scope_id: int | None
    payload: bytes


@dataclass(frozen=True)
class RawTrace:
    """What the digest of one trace starts from.

    Attributes:
        trace_id: The sender's id.
        attributes: What a file stated about the whole trace.
        rows: Its stored spans.
        scopes: Packed scopes by id.
        settings: Thresholds and strategy.
        schemas: Newest schema by workflow: number and content.
    """

    trace_id: str
    attributes: Mapping[str, Json]
    rows: Sequence[RawSpan]
    scopes: Mapping[int, bytes]
    settings: Settings
    schemas: Mapping[str, tuple[int, dict[str, Any]]]


@dataclass(frozen=True)
class Packed:
    """What is to be stored about one trace, or why nothing can be.

    Attributes:
        error: Why the digest failed, "" if it didn't.
        graph: Packed graph.
        graph_digest: 32 hex digits over the graph: equal graphs, equal digest.
        structure: Structure of the graph.
        repair_count: Number of repairs.
        conformance: Status against the workflow's schema.
        summary: Facts for the lists.
        search: Text that the list's search looks in.
        steps: Rows of steps.
        findings: What the checks found.
        outcomes: Outcomes of the steps that have one to store.
        counts: Steps by state, plus ``failed``.
        columns: What the list of traces shows of the diagnosis.
    """

    error: str = ""
    graph: bytes = b""
    graph_digest: str = ""
    structure: str = ""
    repair_count: int = 0
    conformance: str = UNKNOWN.status
    summary: Summary = field(default_factory=Summary)
    search: str = ""
    steps: tuple[Step, ...] = ()
    findings: tuple[Finding, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)


def work(traces: Sequence[RawTrace]) -> list[Packed]:
    """Digest traces one by one; a fault of one never costs another."""
    return [_attempt(trace) for trace in traces]


def _attempt(raw: RawTrace) -> Packed:
    try:
        return _packed(_processed(raw))
    except Exception as error:  # noqa: BLE001  # the trace is hostile, the answer names it
        return Packed(error=f"{type(error).__name__}: {error}"[:2_000])


def _processed(raw: RawTrace) -> Processed:
    scopes = {number: scope_of(data) for number, data in raw.scopes.items()}
    spans = [
        record_of(row, raw.trace_id, scopes.get(row.scope_id or 0, NO_SCOPE))
        for row in raw.rows
    ]
    return process(Job(spans, raw.attributes, raw.settings, raw.schemas))


def _packed(done: Processed) -> Packed:
    data = pack(encode(done.graph, done.conformance))
    diagnosis = done.diagnosis
    return Packed(
        graph=data,
        graph_digest=hashlib.blake2b(data, digest_size=16).hexdigest(),
        structure=str(done.graph.structure),
        repair_count=len(done.graph.repairs),
        conformance=done.conformance.status,
        summary=done.summary,
        search=done.search,
        steps=done.graph.steps,
        findings=done.findings,
        outcomes=tuple(filter(worth_storing, diagnosis.outcomes.values())),
        counts=dict(diagnosis.counts),
        columns=trace_columns(diagnosis),
    )
