"""Spans of several traces that arrive mixed, put together in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from traces.domain.records import Json, ReferenceLabel, Reject, SpanRecord, TraceRecord
from traces.importers.base import Limits


@dataclass
class Found:
    """One span, with what else its place in the file says.

    Attributes:
        span: The span.
        size: Bytes it took in the file.
        labels: Labels that stand on it.
        attributes: Facts about its trace.
        notes: What was changed in it.
    """

    span: SpanRecord
    size: int
    labels: tuple[ReferenceLabel, ...] = ()
    attributes: dict[str, Json] = field(default_factory=dict)
    notes: tuple[Reject, ...] = ()


@dataclass
class _Open:
    found: list[Found] = field(default_factory=list)
    size: int = 0

    def record(self, trace_id: str) -> TraceRecord:
        attributes: dict[str, Json] = {}
        for one in self.found:
            attributes |= one.attributes
        return TraceRecord(
            trace_id,
            tuple(one.span for one in self.found),
            labels=tuple(label for one in self.found for label in one.labels),
            attributes=attributes,
            rejects=tuple(note for one in self.found for note in one.notes),
        )


def gather(
    found: Iterable[Found | TraceRecord | Reject], limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Traces in the order of their last spans; what is none is passed on.

    All of a trace is in one record as long as what waits is small enough; else
    the trace that had no new span for longest is given out, and its later spans
    follow in another record with the same trace id.
    """
    waiting: dict[str, _Open] = {}
    total = 0
    for one in found:
        if not isinstance(one, Found):
            yield one
            continue
        trace_id = one.span.trace_id
        trace = waiting.pop(trace_id, None) or _Open()
        trace.found.append(one)
        trace.size += one.size
        total += one.size
        # The end of the dictionary is the trace that was added to last.
        waiting[trace_id] = trace
        if len(trace.found) >= limits.max_spans:
            total -= trace.size
            yield waiting.pop(trace_id).record(trace_id)
        while total > limits.max_pending_bytes:
            oldest = next(iter(waiting))
            total -= waiting[oldest].size
            yield waiting.pop(oldest).record(oldest)
    for trace_id, trace in waiting.items():
        yield trace.record(trace_id)
