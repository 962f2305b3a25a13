"""Log records that belong to spans: they become events of their spans.

Depending on the telemetry mode, the messages of a model call stand in log
records beside the spans and nowhere else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from traces.domain.reading import read_span
from traces.domain.records import Json, Reject, SpanEvent, SpanRecord, TraceRecord
from traces.domain.view import Role
from traces.importers.otlp.checks import SPAN_ID_BYTES, TRACE_ID_BYTES
from traces.importers.otlp.jsonspan import id_of, read_event
from traces.importers.otlp.jsonvalues import dict_at, list_at, value_of
from traces.importers.otlp.ledger import Ledger

EVENT_NAMES = ("event.name", "otel.event.name")
PLAIN_LOG = "log"
"""Name of the event that a log record without a name becomes."""


@dataclass
class Logs:
    """Log records that wait for their spans, by trace id.

    Attributes:
        most: Bytes of documents whose records may wait.
        waiting: Events with their span id, "" where the record has none.
        unplaced: Number of records without a trace id.
        beyond: Number of records that were too many to wait.
        size: Bytes of the documents whose records were taken in.
    """

    most: int
    waiting: dict[str, list[tuple[str, SpanEvent]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    unplaced: int = 0
    beyond: int = 0
    size: int = 0

    def learn(self, document: Mapping[str, Json], size: int, ledger: Ledger) -> None:
        """Take in the log records of one document of ``size`` bytes."""
        records = list(_records(document, ledger))
        if not records:
            return
        self.size += size
        if self.size > self.most:
            self.beyond += len(records)
            return
        for record in records:
            self._add(record, ledger)

    def _add(self, record: Mapping[str, Json], ledger: Ledger) -> None:
        trace_id = id_of(record.get("traceId"), TRACE_ID_BYTES)
        if not trace_id:
            self.unplaced += 1
            return
        span_id = id_of(record.get("spanId"), SPAN_ID_BYTES) or ""
        event = _event(record, ledger)
        if event is not None:
            self.waiting[trace_id].append((span_id, event))

    def attach(self, record: TraceRecord) -> TraceRecord:
        """The trace with its log records as events of its spans.

        A record that names no span belongs to the trace's only model call.
        """
        waiting = self.waiting.pop(record.trace_id, None)
        if not waiting:
            return record
        events: dict[str, list[SpanEvent]] = {one.span_id: [] for one in record.spans}
        only = _only_model_call(record.spans)
        for span_id, event in waiting:
            if (span_id or only) in events:
                events[span_id or only].append(event)
            else:
                # Its span may follow in another part of a long trace.
                self.waiting[record.trace_id].append((span_id, event))
        return replace(
            record, spans=tuple(_with_events(one, events) for one in record.spans)
        )

    def left(self) -> Iterator[Reject]:
        """What belongs to no span of the file."""
        for trace_id, waiting in self.waiting.items():
            yield _without_span(len(waiting), trace_id)
        if self.unplaced:
            reason = f"{self.unplaced} log record(s) without a trace id were left out."
            yield Reject("event", "resourceLogs", reason, "log_without_trace")
        if self.beyond:
            reason = (
                f"{self.beyond} log record(s) beyond {self.most} bytes were left out."
            )
            yield Reject("event", "resourceLogs", reason, "too_many_logs")


def _records(
    document: Mapping[str, Json], ledger: Ledger
) -> Iterator[Mapping[str, Json]]:
    for resource in list_at(document, "resourceLogs", ledger):
        for scope in _objects(resource, "scopeLogs", ledger):
            yield from _objects(scope, "logRecords", ledger)


def _objects(value: Json, name: str, ledger: Ledger) -> Iterator[Mapping[str, Json]]:
    if isinstance(value, dict):
        found = list_at(value, name, ledger)
        yield from (one for one in found if isinstance(one, dict))


def _event(record: Mapping[str, Json], ledger: Ledger) -> SpanEvent | None:
    timed = {"timeUnixNano": record.get("timeUnixNano")}
    if not timed["timeUnixNano"] or timed["timeUnixNano"] == "0":
        timed["timeUnixNano"] = record.get("observedTimeUnixNano")
    named = {"name": record.get("eventName")}
    said = {"attributes": record.get("attributes"), **timed, **named}
    event = read_event(said, "logRecords", ledger)
    if event is None:
        return None
    attributes = dict(event.attributes)
    name = event.name or next(
        (str(attributes[key]) for key in EVENT_NAMES if key in attributes), PLAIN_LOG
    )
    body = value_of(dict_at(record, "body"), "logRecords.body", ledger)
    if body is not None:
        attributes["body"] = body
    severity = record.get("severityText")
    if isinstance(severity, str) and severity:
        attributes["severity"] = ledger.text(severity, "logRecords.severityText")
    return SpanEvent(name, event.time_ns, attributes)


def _only_model_call(spans: tuple[SpanRecord, ...]) -> str:
    """Id of the one model call of a trace, "" if there are several or none."""
    found = {span.span_id for span in spans if read_span(span).role is Role.LLM}
    return found.pop() if len(found) == 1 else ""


def _with_events(span: SpanRecord, events: Mapping[str, list[SpanEvent]]) -> SpanRecord:
    more = events.get(span.span_id)
    return replace(span, events=(*span.events, *more)) if more else span


def _without_span(count: int, trace_id: str) -> Reject:
    reason = f"{count} log record(s) name no span of the file; they were left out."
    return Reject("event", "resourceLogs", reason, "log_without_span", trace_id)
