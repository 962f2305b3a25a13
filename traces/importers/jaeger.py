"""Traces as Jaeger's interface and API give them.

The spans are OpenTelemetry's; the evaluations that travel in their events are
read as in OTLP.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from traces.domain.records import (
    Json,
    Reject,
    Scope,
    SpanEvent,
    SpanLink,
    SpanRecord,
    SpanStatus,
    TraceRecord,
)
from traces.importers.base import Limits, Sample, fit_id
from traces.importers.gather import Found, gather
from traces.importers.jsonstream import Item, JsonSource
from traces.importers.otlp.evaluations import labels_of
from traces.importers.values import amount, fields, first_text, objects, text

NAME = "jaeger"
LABEL = "Jaeger traces"

_KINDS = {"internal": 1, "server": 2, "client": 3, "producer": 4, "consumer": 5}
_STATUS = {"OK": SpanStatus.OK, "ERROR": SpanStatus.ERROR}
_SCOPE_NAMES = ("otel.scope.name", "otel.library.name")
_SCOPE_VERSIONS = ("otel.scope.version", "otel.library.version")
_NOT_ATTRIBUTES = {
    *_SCOPE_NAMES,
    *_SCOPE_VERSIONS,
    "otel.status_code",
    "otel.status_description",
    "span.kind",
    "internal.span.format",
}
_MICROSECOND = 1000
_LARGEST = 2**53


def recognises(sample: Sample) -> bool:
    """Traces with ``traceID`` and ``spans``, alone or under ``data``."""
    first = fields(sample.first)
    return _is_trace(first) or any(map(_is_trace, objects(first.get("data"))[:1]))


def _is_trace(value: dict[str, Json]) -> bool:
    spans = objects(value.get("spans"))
    return "traceID" in value and bool(spans) and "operationName" in spans[0]


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read spans and put them together by trace."""
    return gather(_spans(JsonSource(source, limits=limits, name=name)), limits)


def _spans(values: JsonSource) -> Iterator[Found | Reject]:
    for item in values.items():
        if isinstance(item, Reject):
            yield item
            continue
        value = fields(item.value)
        traces = [value] if "spans" in value else objects(value.get("data"))
        if not any(objects(trace.get("spans")) for trace in traces):
            yield Reject("trace", item.place, "no spans here.", "no_spans")
        count = sum(len(objects(trace.get("spans"))) for trace in traces)
        for trace in traces:
            yield from _trace(trace, item, item.size // max(1, count))


def _trace(trace: dict[str, Json], item: Item, size: int) -> Iterator[Found | Reject]:
    trace_id = _id(trace.get("traceID"), 32)
    processes = fields(trace.get("processes"))
    resources = {key: _resource(process) for key, process in processes.items()}
    for span in objects(trace.get("spans")):
        own = fields(span.get("process"))
        known = resources.get(text(span.get("processID")), {})
        read = _span(span, trace_id, _resource(own) if own else known)
        if read is None:
            reason = "a span without an id, or in no trace."
            yield Reject("span", item.place, reason, "no_id", trace_id)
        else:
            yield Found(read, size, tuple(labels_of(read)), notes=item.notes)


def _id(value: Json, digits: int) -> str:
    """An id; Jaeger leaves out the zeros before it."""
    given = fit_id(text(value), fallback="")
    short = 0 < len(given) < digits and all(c in "0123456789abcdef" for c in given)
    return given.rjust(digits, "0") if short else given


def _resource(process: Json) -> dict[str, Json]:
    given = fields(process)
    name = first_text(given, "serviceName")
    return ({"service.name": name} if name else {}) | _tags(given.get("tags"))


def _tags(tags: Json) -> dict[str, Json]:
    """Tags by key; whole numbers may be written as text."""
    found: dict[str, Json] = {}
    for tag in objects(tags):
        value = tag.get("value")
        if tag.get("type") == "int64" and isinstance(value, str):
            digits = value.removeprefix("-")
            whole = digits.isascii() and digits.isdigit() and len(digits) < 19
            value = int(value) if whole else value
        if key := text(tag.get("key")):
            found[key] = value
    return found


def _span(
    value: dict[str, Json], trace_id: str, resource: Mapping[str, Json]
) -> SpanRecord | None:
    trace_id = _id(value.get("traceID"), 32) or trace_id
    span_id = _id(value.get("spanID"), 16)
    if not trace_id or not span_id:
        return None
    tags = _tags(value.get("tags"))
    start, took = _micro(value.get("startTime")), _micro(value.get("duration"))
    status, message = _status(tags)
    parent, links = _references(value, trace_id)
    return SpanRecord(
        trace_id,
        span_id,
        parent_id=parent or None,
        name=first_text(value, "operationName"),
        kind=_KINDS.get(text(tags.get("span.kind")), 0),
        start_ns=start,
        end_ns=None if start is None or took is None else start + took,
        status=status,
        status_message=message,
        attributes={k: v for k, v in tags.items() if k not in _NOT_ATTRIBUTES},
        events=tuple(_events(value)),
        links=links,
        scope=Scope(
            first_text(tags, *_SCOPE_NAMES),
            first_text(tags, *_SCOPE_VERSIONS),
            resource=resource,
        ),
    )


def _micro(value: Json) -> int | None:
    number = amount(value)
    usable = number is not None and 0 <= number < _LARGEST
    return int(number or 0) * _MICROSECOND if usable else None


def _status(tags: Mapping[str, Json]) -> tuple[SpanStatus, str]:
    code = text(tags.get("otel.status_code")).upper()
    status = _STATUS.get(code, SpanStatus.UNSET)
    if status is SpanStatus.UNSET and tags.get("error") in (True, "true"):
        status = SpanStatus.ERROR
    return status, first_text(tags, "otel.status_description", "error.message")


def _references(
    value: dict[str, Json], trace_id: str
) -> tuple[str, tuple[SpanLink, ...]]:
    """The containing span, and links to what it follows."""
    parent = _id(value.get("parentSpanID"), 16)
    links = []
    for reference in objects(value.get("references")):
        span_id = _id(reference.get("spanID"), 16)
        other = _id(reference.get("traceID"), 32) or trace_id
        inside = reference.get("refType") == "CHILD_OF" and other == trace_id
        if inside and not parent:
            parent = span_id
        elif span_id and span_id != parent:
            links.append(SpanLink(other, span_id))
    return parent, tuple(links)


def _events(value: dict[str, Json]) -> Iterator[SpanEvent]:
    for log in objects(value.get("logs")):
        said = _tags(log.get("fields"))
        name = text(said.pop("event", "")) or first_text(said, "message")
        yield SpanEvent(name, _micro(log.get("timestamp")), said)
