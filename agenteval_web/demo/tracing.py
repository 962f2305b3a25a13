"""A clock and a recorder of spans, as a tracing SDK would be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from traces.domain.records import (
    Json,
    Scope,
    SpanEvent,
    SpanLink,
    SpanRecord,
    SpanStatus,
)

T = TypeVar("T")

MS = 1_000_000
INTERNAL, CLIENT = 1, 3


@dataclass
class OpenSpan:
    """A span that is still running."""

    span_id: str
    parent_id: str | None
    name: str
    kind: int
    start_ns: int
    attributes: dict[str, Json]
    end_ns: int | None = None
    status: SpanStatus = SpanStatus.UNSET
    status_message: str = ""
    events: list[SpanEvent] = field(default_factory=list)
    links: list[SpanLink] = field(default_factory=list)

    def fail(self, kind: str, message: str, time_ns: int) -> None:
        """Mark the span as failed, with the exception that ended it."""
        self.status = SpanStatus.ERROR
        self.status_message = message
        self.attributes["error.type"] = kind
        self.events.append(
            SpanEvent(
                "exception",
                time_ns,
                {"exception.type": kind, "exception.message": message},
            )
        )


class Tracer:
    """Records the spans of one trace on a clock that only work moves."""

    def __init__(self, rng: Random, start_ns: int, scope: Scope) -> None:
        """Start the clock of a new trace."""
        self.rng = rng
        self.now = start_ns
        self.scope = scope
        self.trace_id = f"{rng.getrandbits(128) | 1:032x}"
        self._running: list[OpenSpan] = []
        self._recorded: list[OpenSpan] = []

    def spend(self, low_ms: float, high_ms: float) -> None:
        """Let time pass, between the two bounds in milliseconds."""
        self.now += int(self.rng.uniform(low_ms, high_ms) * MS)

    @contextmanager
    def span(
        self, name: str, attributes: dict[str, Json], kind: int = INTERNAL
    ) -> Iterator[OpenSpan]:
        """Run the block inside a new span below the current one."""
        parent = self._running[-1].span_id if self._running else None
        span_id = f"{self.rng.getrandbits(64) | 1:016x}"
        opened = OpenSpan(span_id, parent, name, kind, self.now, attributes)
        self._running.append(opened)
        self._recorded.append(opened)
        self.spend(0.2, 3)
        yield opened
        self.spend(0.1, 1.5)
        opened.end_ns = self.now
        self._running.pop()

    def side_by_side(self, jobs: Sequence[Callable[[], T]]) -> list[T]:
        """Run jobs at the same time: each starts now, the last one to end counts."""
        start, latest, results = self.now, self.now, []
        for job in jobs:
            self.now = start
            self.spend(0.1, 4)
            results.append(job())
            latest = max(latest, self.now)
        self.now = latest
        return results

    def records(self) -> tuple[SpanRecord, ...]:
        """The spans in the order in which an SDK exports them: as they end."""
        spans = sorted(
            self._recorded, key=lambda s: (s.end_ns or self.now, -s.start_ns)
        )
        return tuple(self._record(span) for span in spans)

    def _record(self, span: OpenSpan) -> SpanRecord:
        return SpanRecord(
            trace_id=self.trace_id,
            span_id=span.span_id,
            parent_id=span.parent_id,
            name=span.name,
            kind=span.kind,
            start_ns=span.start_ns,
            end_ns=span.end_ns,
            status=span.status,
            status_message=span.status_message,
            attributes=span.attributes,
            events=tuple(span.events),
            links=tuple(span.links),
            scope=self.scope,
        )
