"""Exports of Langfuse: a trace with its observations, or observations alone.

An observation keeps the attributes that its instrumentation sent; model,
tokens, cost, messages and tool calls, which Langfuse took out of them into
fields of its own, are put back under the names of OpenTelemetry's conventions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from traces.domain.records import (
    Json,
    ReferenceLabel,
    Reject,
    SpanRecord,
    SpanStatus,
    TraceRecord,
)
from traces.importers.base import Limits, Sample, fit_id
from traces.importers.gather import Found, gather
from traces.importers.jsonstream import Item, JsonSource
from traces.importers.langfuse.observation import (
    attributes_of,
    metadata_of,
    scope_of,
    text_field,
)
from traces.importers.times import nanoseconds

NAME = "langfuse"
LABEL = "Langfuse export"

_OBSERVATION = {"id", "traceId", "type", "startTime"}
_TRACE_MARKS = {"observations", "projectId", "sessionId", "latency"}
_FACTS = {
    "name": "name",
    "session": "sessionId",
    "user": "userId",
    "tags": "tags",
    "environment": "environment",
    "version": "version",
    "release": "release",
}


def recognises(sample: Sample) -> bool:
    """A trace with its observations, or observations."""
    first = sample.first
    if not isinstance(first, dict):
        return False
    trace, page = first.get("trace"), _objects(first, "data")
    return (
        (isinstance(trace, dict) and bool(_TRACE_MARKS & trace.keys()))
        or ("observations" in first and bool(_TRACE_MARKS & first.keys()))
        or _is_observation(first)
        or (bool(page) and _is_observation(page[0]))
    )


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read traces; observations without one are put together by trace id."""
    return gather(_values(JsonSource(source, limits=limits, name=name)), limits)


def _is_observation(value: Json) -> bool:
    return isinstance(value, dict) and value.keys() >= _OBSERVATION


def _objects(values: Json, key: str) -> list[dict[str, Json]]:
    found = values.get(key) if isinstance(values, dict) else None
    listed = found if isinstance(found, list) else []
    return [item for item in listed if isinstance(item, dict)]


def _values(values: JsonSource) -> Iterator[Found | TraceRecord | Reject]:
    for item in values.items():
        if isinstance(item, Reject):
            yield item
        elif _is_observation(item.value):
            yield _lone(item.value, item, item.size)
        elif page := [o for o in _objects(item.value, "data") if _is_observation(o)]:
            for observation in page:
                yield _lone(observation, item, item.size // len(page))
        else:
            yield _trace(item)


def _lone(value: dict[str, Json], item: Item, size: int) -> Found | Reject:
    span = _span(value, "", item.place)
    if isinstance(span, Reject):
        return span
    facts = {"environment": value["environment"]} if value.get("environment") else {}
    return Found(span, size, attributes=facts, notes=item.notes)


def _trace(item: Item) -> TraceRecord | Reject:
    value = item.value if isinstance(item.value, dict) else {}
    given = value.get("trace")
    trace = given if isinstance(given, dict) else value
    observations = _objects(value, "observations") or _objects(trace, "observations")
    trace_id = fit_id(trace.get("id"), fallback="")
    if not trace_id or not observations:
        missing = "observations" if trace_id else "a trace id"
        return Reject("trace", item.place, f"no {missing} here.", "no_observations")
    made = [_span(o, trace_id, item.place) for o in observations]
    return TraceRecord(
        trace_id,
        tuple(span for span in made if isinstance(span, SpanRecord)),
        labels=tuple(_score(score) for score in _objects(trace, "scores")),
        attributes=_facts(trace),
        rejects=(*item.notes, *(one for one in made if isinstance(one, Reject))),
    )


def _span(value: dict[str, Json], trace_id: str, place: str) -> SpanRecord | Reject:
    trace_id = trace_id or fit_id(value.get("traceId"), fallback="")
    span_id = fit_id(value.get("id"), fallback="")
    if not trace_id or not span_id:
        reason = "an observation without id or traceId."
        return Reject("span", place, reason, "no_id", trace_id, span_id)
    failed = text_field(value, "level") == "ERROR"
    return SpanRecord(
        trace_id,
        span_id,
        parent_id=fit_id(value.get("parentObservationId"), fallback="") or None,
        name=text_field(value, "name"),
        start_ns=nanoseconds(value.get("startTime")),
        end_ns=nanoseconds(value.get("endTime")),
        status=SpanStatus.ERROR if failed else SpanStatus.UNSET,
        status_message=text_field(value, "statusMessage"),
        attributes=attributes_of(value),
        scope=scope_of(value),
    )


def _score(score: dict[str, Json]) -> ReferenceLabel:
    """A score: its value, and its name before the comment."""
    value = score.get("stringValue") or score.get("value")
    comment = text_field(score, "comment")
    name = text_field(score, "name")
    return ReferenceLabel(
        "score",
        "" if value is None else str(value),
        NAME,
        fit_id(score.get("observationId"), fallback=""),
        f"{name}: {comment}" if comment else name,
    )


def _facts(trace: Mapping[str, Json]) -> dict[str, Json]:
    metadata = metadata_of(trace)
    extra = {
        key: value
        for key, value in metadata.items()
        if key not in {"attributes", "resourceAttributes", "scope"}
    }
    found = {ours: trace.get(theirs) for ours, theirs in _FACTS.items()}
    return {k: v for k, v in (found | {"extra": extra}).items() if v}
