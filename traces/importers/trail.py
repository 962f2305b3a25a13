"""Traces of TRAIL (nested OpenInference spans) and the files of their labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from traces.domain.records import (
    Json,
    ReferenceLabel,
    Reject,
    Scope,
    SpanEvent,
    SpanLink,
    SpanRecord,
    SpanStatus,
    TraceRecord,
)
from traces.importers.base import Limits, Sample, fit_id
from traces.importers.jsonstream import Item, JsonSource
from traces.importers.times import nanoseconds
from traces.importers.values import amount, fields, first_text, kept, objects, text

NAME = "trail"
LABEL = "TRAIL traces and labels"

_KINDS = {"Internal": 1, "Server": 2, "Client": 3, "Producer": 4, "Consumer": 5}
_STATUS = {"Ok": SpanStatus.OK, "Error": SpanStatus.ERROR}
_DURATION = re.compile(
    r"P(?:([0-9]{1,6})D)?(?:T(?:([0-9]{1,6})H)?(?:([0-9]{1,6})M)?"
    r"(?:([0-9]{1,9})(?:\.([0-9]{1,9}))?S)?)?"
)
_SCORE = "_score"
_REASON = "_reasoning"


def recognises(sample: Sample) -> bool:
    """A trace with nested spans, or a file of errors and scores."""
    first = fields(sample.first)
    return _is_trace(first) or _is_labels(first)


def _is_trace(value: dict[str, Json]) -> bool:
    spans = objects(value.get("spans"))
    marks = {"span_attributes", "child_spans"}
    return "trace_id" in value and bool(spans) and bool(marks & spans[0].keys())


def _is_labels(value: dict[str, Json]) -> bool:
    errors = objects(value.get("errors"))
    named = not errors or {"category", "location"} <= errors[0].keys()
    return isinstance(value.get("errors"), list) and "scores" in value and named


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read traces, and labels as traces without spans."""
    for item in JsonSource(source, limits=limits, name=name).items():
        if isinstance(item, Reject):
            yield item
        elif _is_labels(fields(item.value)) and "spans" not in item.value:
            yield _labels_alone(item, name)
        else:
            yield _trace(item)


def _labels_alone(item: Item, name: str) -> TraceRecord | Reject:
    """Labels stand in a file that is named as the trace."""
    stem = name.rpartition("/")[2].removesuffix(".json")
    trace_id = fit_id(text(item.value.get("trace_id")), fallback=stem[:128])
    labels = tuple(_labels(item.value))
    if not trace_id or not labels:
        reason = "no labels, or no trace that they are about: a file of labels has"
        reason += " the trace's id as its name."
        return Reject("trace", item.place, reason, "no_labels")
    return TraceRecord(trace_id, (), labels=labels, rejects=item.notes)


def _labels(value: dict[str, Json]) -> Iterator[ReferenceLabel]:
    for error in objects(value.get("errors")):
        where = fit_id(text(error.get("location")), fallback="")
        impact = first_text(error, "impact")
        note = first_text(error, "description")
        category = first_text(error, "category")
        yield ReferenceLabel("failed_step", impact or "failed", NAME, where, note)
        if category:
            evidence = first_text(error, "evidence")
            yield ReferenceLabel("category", category, NAME, where, evidence)
    for scores in objects(value.get("scores")):
        for key, given in scores.items():
            if (score := amount(given)) is None:
                continue
            label = key.removesuffix(_SCORE)
            why = first_text(scores, f"{label}{_REASON}")
            note = f"{label}: {why}" if why else label
            yield ReferenceLabel("score", str(score), NAME, note=note)


def _trace(item: Item) -> TraceRecord | Reject:
    value = fields(item.value)
    trace_id = fit_id(text(value.get("trace_id")), fallback="")
    if not trace_id or not objects(value.get("spans")):
        missing = "spans" if trace_id else "a trace id"
        return Reject("trace", item.place, f"no {missing} here.", "no_spans")
    spans: list[SpanRecord] = []
    rejects: list[Reject] = list(item.notes)
    stack = [(span, "") for span in reversed(objects(value["spans"]))]
    while stack:
        given, parent = stack.pop()
        span = _span(given, trace_id, parent)
        if span is None:
            reason = "a span without an id."
            rejects.append(Reject("span", item.place, reason, "no_id", trace_id))
        else:
            spans.append(span)
        above = span.span_id if span else parent
        children = objects(given.get("child_spans"))
        stack.extend((child, above) for child in reversed(children))
    return TraceRecord(
        trace_id, tuple(spans), labels=tuple(_labels(value)), rejects=tuple(rejects)
    )


def _span(value: dict[str, Json], trace_id: str, parent: str) -> SpanRecord | None:
    span_id = fit_id(text(value.get("span_id")), fallback="")
    if not span_id:
        return None
    stated = fit_id(text(value.get("parent_span_id")), fallback="")
    start = nanoseconds(value.get("timestamp"))
    took = duration(text(value.get("duration")))
    resource = fields(value.get("resource_attributes"))
    return SpanRecord(
        trace_id,
        span_id,
        parent_id=parent or stated or None,
        name=first_text(value, "span_name"),
        kind=_KINDS.get(text(value.get("span_kind")), 0),
        start_ns=start,
        end_ns=None if start is None or took is None else start + took,
        status=_STATUS.get(text(value.get("status_code")), SpanStatus.UNSET),
        status_message=first_text(value, "status_message"),
        attributes=fields(value.get("span_attributes")),
        events=tuple(_events(value)),
        links=tuple(_links(value, trace_id)),
        scope=Scope(
            first_text(value, "scope_name"),
            first_text(value, "scope_version"),
            resource=kept({"service.name": value.get("service_name")}) | resource,
        ),
    )


def duration(words: str) -> int | None:
    """Nanoseconds of an ISO 8601 duration without years and months.

    >>> duration("PT1M48.755S")
    108755000000
    """
    found = _DURATION.fullmatch(words)
    if not found or not any(found.groups()):
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()[:4])
    whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return whole * 10**9 + int((found[5] or "0").ljust(9, "0"))


def _events(value: dict[str, Json]) -> Iterator[SpanEvent]:
    for event in objects(value.get("events")):
        attributes = event.get("attributes", event.get("event_attributes"))
        yield SpanEvent(
            first_text(event, "name", "Name", "event_name"),
            nanoseconds(event.get("timestamp", event.get("Timestamp"))),
            fields(attributes) or fields(event.get("Attributes")),
        )


def _links(value: dict[str, Json], trace_id: str) -> Iterator[SpanLink]:
    for link in objects(value.get("links")):
        span_id = fit_id(text(link.get("span_id")), fallback="")
        if span_id:
            other = fit_id(text(link.get("trace_id")), fallback=trace_id)
            yield SpanLink(other, span_id, fields(link.get("attributes")))
