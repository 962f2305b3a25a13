"""OTLP in files: a request in JSON, one a line, or protobuf.

Protobuf may be one request, requests written one after the other, or requests
each with its length in four bytes before it, as the Collector writes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from traces.domain.records import Reject, TraceRecord
from traces.importers.base import Limits, Sample
from traces.importers.gather import Found, gather
from traces.importers.jsonstream import Item, JsonSource, take_sample
from traces.importers.otlp.camel import with_camel_case
from traces.importers.otlp.decoded import Bounds, Decoded, DecodeError
from traces.importers.otlp.evaluations import labels_of
from traces.importers.otlp.frames import Frame, frames, is_protobuf
from traces.importers.otlp.jsonbody import JSON_LEVELS, decode_document
from traces.importers.otlp.ledger import Ledger
from traces.importers.otlp.logs import Logs
from traces.importers.otlp.protobuf import decode_protobuf

NAME = "otlp"
LABEL = "OpenTelemetry (OTLP)"

KEYS = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs")
MANY = 10**9
"""Spans of one document: its length in bytes is bounded, that is enough."""
FIRST_PLACE = "line 1, column 1, byte 0"


def recognises(sample: Sample) -> bool:
    """Whether a file holds OTLP requests."""
    first = sample.first
    if isinstance(first, dict):
        return any(key in first for key in KEYS)
    return sample.value is None and is_protobuf(sample.head, whole=sample.whole)


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read the traces of a file; log records in it join their spans."""
    logs = Logs(limits.max_trace_bytes)
    for one in gather(_found(source, name, limits, logs), limits):
        yield one if isinstance(one, Reject) else _labelled(logs.attach(one))
    yield from logs.left()


def _labelled(record: TraceRecord) -> TraceRecord:
    labels = tuple(label for span in record.spans for label in labels_of(span))
    return replace(record, labels=(*record.labels, *labels)) if labels else record


def _found(
    source: BinaryIO, name: str, limits: Limits, logs: Logs
) -> Iterator[Found | TraceRecord | Reject]:
    bounds = Bounds(attribute=limits.max_text, depth=limits.max_depth, spans=MANY)
    sample, source = take_sample(source, name)
    if sample.value is None and is_protobuf(sample.head, whole=sample.whole):
        for frame in frames(source, limits):
            yield from [frame] if isinstance(frame, Reject) else _request(frame, bounds)
        return
    # What OTLP/JSON wraps around a value doesn't count as its depth.
    deep = replace(limits, max_depth=JSON_LEVELS)
    documents = JsonSource(source, limits=deep, name=name)
    for item in documents.items():
        yield from [item] if isinstance(item, Reject) else _document(item, bounds, logs)


def _request(frame: Frame, bounds: Bounds) -> Iterator[Found | Reject]:
    try:
        decoded = decode_protobuf(frame.body, bounds)
    except DecodeError as error:
        yield Reject("trace", frame.place, error.message, "not_otlp")
        return
    yield from _spans(decoded, frame.place, len(frame.body))


def _document(item: Item, bounds: Bounds, logs: Logs) -> Iterator[Found | Reject]:
    yield from item.notes
    document = item.value
    if not isinstance(document, dict):
        reason = "An object with resourceSpans is expected."
        yield Reject("trace", item.place, reason, "not_otlp")
        return
    ledger = Ledger(bounds)
    logs.learn(with_camel_case(document), item.size, ledger)
    yield from _spans(ledger.decoded, item.place, 0)
    if "resourceLogs" in document and "resourceSpans" not in document:
        return
    try:
        decoded = decode_document(document, bounds)
    except DecodeError as error:
        yield Reject("trace", item.place, error.message, "not_otlp")
        return
    yield from _spans(decoded, item.place, item.size)


def _spans(decoded: Decoded, place: str, size: int) -> Iterator[Found | Reject]:
    before = "" if place == FIRST_PLACE else f"{place}: "
    for reject in decoded.rejects:
        yield replace(reject, place=f"{before}{reject.place}")
    if decoded.left_out:
        reason = f"{decoded.left_out} more things left out or changed aren't listed."
        yield Reject("attribute", place, reason, "more_rejects")
    share = size // max(len(decoded.spans), 1)
    for span in decoded.spans:
        yield Found(span, share)
