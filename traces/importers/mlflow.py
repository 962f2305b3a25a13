"""Traces of MLflow as its client and server export them (schemas 2 and 3)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import BinaryIO

from traces.domain.records import (
    Json,
    ReferenceLabel,
    Reject,
    SpanEvent,
    SpanLink,
    SpanRecord,
    SpanStatus,
    TraceRecord,
)
from traces.importers.base import Limits, Sample, fit_id
from traces.importers.jsonstream import Item, JsonSource
from traces.importers.jsontext import value_or_text
from traces.importers.messages import as_text
from traces.importers.times import nanoseconds
from traces.importers.values import (
    fields,
    first_text,
    kept,
    objects,
    parsed_fields,
    text,
)

NAME = "mlflow"
LABEL = "MLflow traces"

_STATUS = {"OK": SpanStatus.OK, "ERROR": SpanStatus.ERROR}
_PREFIX = "mlflow."
_SPAN_ID_BYTES = 8


def recognises(sample: Sample) -> bool:
    """Objects with ``info`` and ``data.spans``."""
    first = fields(sample.first)
    info, data = fields(first.get("info")), fields(first.get("data"))
    known = "trace_metadata" in info or "request_metadata" in info or "tags" in info
    return isinstance(data.get("spans"), list) and (known or bool(_trace_id(info)))


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one trace after another."""
    for item in JsonSource(source, limits=limits, name=name).items():
        yield item if isinstance(item, Reject) else _trace(item)


def _trace_id(info: dict[str, Json]) -> str:
    return fit_id(info.get("trace_id") or info.get("request_id"), fallback="")


def _trace(item: Item) -> TraceRecord | Reject:
    value = fields(item.value)
    info, given = fields(value.get("info")), parsed_fields(value.get("data"))
    trace_id, spans = _trace_id(info), objects(given.get("spans"))
    if not trace_id or not spans:
        missing = "spans" if trace_id else "a trace id"
        return Reject("trace", item.place, f"no {missing} here.", "no_spans")
    made = [_span(span, trace_id, item.place) for span in spans]
    assessments = objects(info.get("assessments"))
    return TraceRecord(
        trace_id,
        tuple(span for span in made if isinstance(span, SpanRecord)),
        labels=tuple(_labels(assessments)),
        attributes=_facts(info, assessments),
        rejects=(*item.notes, *(one for one in made if isinstance(one, Reject))),
    )


def _span(value: dict[str, Json], trace_id: str, place: str) -> SpanRecord | Reject:
    context = fields(value.get("context"))
    span_id = _span_id(value.get("span_id") or context.get("span_id"))
    if not span_id:
        return Reject("span", place, "a span without an id.", "no_id", trace_id)
    parent = value.get("parent_span_id") or value.get("parent_id")
    status, message = _status(value)
    return SpanRecord(
        trace_id,
        span_id,
        parent_id=_span_id(parent) or None,
        name=text(value.get("name")),
        start_ns=_time(value, "start_time_unix_nano", "start_time"),
        end_ns=_time(value, "end_time_unix_nano", "end_time"),
        status=status,
        status_message=message,
        attributes=fields(value.get("attributes")),
        events=tuple(_events(value)),
        links=tuple(_links(value, trace_id)),
    )


def _span_id(value: Json) -> str:
    """16 hex digits for what is written as base64 or with ``0x``."""
    given = fit_id(value, fallback="")
    try:
        decoded = base64.b64decode(given, validate=True)
    except (binascii.Error, ValueError):
        decoded = b""
    return decoded.hex() if len(decoded) == _SPAN_ID_BYTES else given.removeprefix("0x")


def _time(value: dict[str, Json], *keys: str) -> int | None:
    return next((found for k in keys if (found := nanoseconds(value.get(k)))), None)


def _status(value: dict[str, Json]) -> tuple[SpanStatus, str]:
    status = value.get("status")
    given = fields(status)
    code = given.get("code") or value.get("status_code") or status
    word = text(code).upper().removeprefix("STATUS_CODE_")
    message = first_text(given, "message") or first_text(value, "status_message")
    return _STATUS.get(word, SpanStatus.UNSET), message


def _events(value: dict[str, Json]) -> Iterator[SpanEvent]:
    for event in objects(value.get("events")):
        time = _time(event, "time_unix_nano", "timestamp")
        yield SpanEvent(text(event.get("name")), time, fields(event.get("attributes")))


def _links(value: dict[str, Json], trace_id: str) -> Iterator[SpanLink]:
    for link in objects(value.get("links")):
        span_id, other = _span_id(link.get("span_id")), text(link.get("trace_id"))
        if span_id:
            attributes = fields(link.get("attributes"))
            yield SpanLink(other or trace_id, span_id, attributes)


def _labels(assessments: list[dict[str, Json]]) -> Iterator[ReferenceLabel]:
    """Feedback of people, code and models; an expectation is no label."""
    for one in assessments:
        feedback = fields(one.get("feedback"))
        value = feedback.get("value")
        if value is not None:
            name = first_text(one, "assessment_name", "name")
            why = first_text(one, "rationale")
            yield ReferenceLabel(
                "score",
                as_text(value),
                NAME,
                _span_id(one.get("span_id")),
                f"{name}: {why}" if why else name,
            )


def _facts(
    info: dict[str, Json], assessments: list[dict[str, Json]]
) -> dict[str, Json]:
    metadata = parsed_fields(info.get("trace_metadata", info.get("request_metadata")))
    tags = parsed_fields(info.get("tags"))
    expected = {
        first_text(one, "assessment_name", "name"): one["expectation"]
        for one in assessments
        if one.get("expectation") is not None
    }
    own = {k: v for k, v in tags.items() if not k.startswith(_PREFIX)}
    return kept(
        {
            "name": first_text(tags, "mlflow.traceName"),
            "session": first_text(metadata, "mlflow.trace.session"),
            "user": first_text(metadata, "mlflow.trace.user", "mlflow.user"),
            "version": first_text(metadata, "mlflow.source.git.commit"),
            "tags": [f"{key}={as_text(own[key])}" for key in own],
            "reference": expected,
            "usage": value_or_text(text(metadata.get("mlflow.trace.tokenUsage"))),
            "extra": {k: v for k, v in metadata.items() if not k.startswith(_PREFIX)},
        }
    )
