"""What happens to spans on their way: clocks that differ, spans that get lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import TypeAlias

from agenteval_web.demo.tracing import CLIENT, MS
from traces.domain.records import SpanLink, SpanRecord

Edit: TypeAlias = Callable[[tuple[SpanRecord, ...]], tuple[SpanRecord, ...]]


def behind_gateway(tool: str) -> Edit:
    """A tool ran behind a gateway whose own span was never exported."""

    def edit(spans: tuple[SpanRecord, ...]) -> tuple[SpanRecord, ...]:
        return tuple(
            replace(span, parent_id=_lost(span)) if span.name.endswith(tool) else span
            for span in spans
        )

    return edit


def _lost(span: SpanRecord) -> str:
    return sha256(f"gateway {span.span_id}".encode()).hexdigest()[:16]


def clock_behind(tool: str, by_ms: int) -> Edit:
    """A tool ran on a machine whose clock is slow."""

    def edit(spans: tuple[SpanRecord, ...]) -> tuple[SpanRecord, ...]:
        return tuple(
            _shifted(span, by_ms * MS) if span.name.endswith(tool) else span
            for span in spans
        )

    return edit


def _shifted(span: SpanRecord, by: int) -> SpanRecord:
    return replace(
        span,
        start_ns=None if span.start_ns is None else span.start_ns - by,
        end_ns=None if span.end_ns is None else span.end_ns - by,
    )


def killed(after_ms: int) -> Edit:
    """The process was killed: what was open stays open, what came later is gone."""

    def edit(spans: tuple[SpanRecord, ...]) -> tuple[SpanRecord, ...]:
        end = max(span.end_ns or 0 for span in spans) - after_ms * MS
        return tuple(
            replace(span, end_ns=None) if (span.end_ns or 0) > end else span
            for span in spans
            if (span.start_ns or 0) <= end
        )

    return edit


def linked_in_a_ring(first: str, second: str) -> Edit:
    """The model calls of two agents each declare to have used the other's result."""

    def edit(spans: tuple[SpanRecord, ...]) -> tuple[SpanRecord, ...]:
        one, other = (_model_call_of(spans, agent) for agent in (first, second))
        ring = {one: other, other: one}
        return tuple(
            replace(span, links=(_depends(span, ring[span.span_id]),))
            if span.span_id in ring
            else span
            for span in spans
        )

    return edit


def _model_call_of(spans: tuple[SpanRecord, ...], agent: str) -> str:
    above = next(span.span_id for span in spans if span.name.endswith(agent))
    return next(
        span.span_id
        for span in spans
        if span.parent_id == above and span.kind == CLIENT
    )


def _depends(span: SpanRecord, on: str) -> SpanLink:
    return SpanLink(span.trace_id, on, {"agenteval.link.kind": "depends_on"})
