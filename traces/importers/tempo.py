"""Traces as Grafana Tempo's API and interface give them.

What Tempo gives is OTLP in an envelope of its own, so the spans themselves are
read by the module for OTLP.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from traces.domain.records import Json, Reject, TraceRecord
from traces.importers.base import Limits, Sample
from traces.importers.gather import Found, gather
from traces.importers.jsonstream import Item, JsonSource
from traces.importers.otlp import Bounds, DecodeError, decode_document
from traces.importers.otlp.evaluations import labels_of
from traces.importers.values import fields, objects

NAME = "tempo"
LABEL = "Grafana Tempo traces"

_SCOPES = ("scopeSpans", "instrumentationLibrarySpans", "ilSpans")
_MANY = 10**9
"""Spans of one document: its length in bytes is bounded, that is enough."""
_WRAPPED_LEVELS = 100
"""What OTLP's JSON wraps around a value doesn't count as its depth."""


def recognises(sample: Sample) -> bool:
    """Objects with ``batches`` of spans, or with such a ``trace``."""
    first = fields(sample.first)
    return _is_envelope(first) or _is_envelope(fields(first.get("trace")))


def _is_envelope(value: dict[str, Json]) -> bool:
    batches = objects(value.get("batches")) or objects(value.get("resourceSpans"))
    return any(key in batch for batch in batches[:1] for key in _SCOPES)


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read spans and put them together by trace."""
    bounds = Bounds(attribute=limits.max_text, depth=limits.max_depth, spans=_MANY)
    deep = replace(limits, max_depth=limits.max_depth * 4 + _WRAPPED_LEVELS)
    values = JsonSource(source, limits=deep, name=name)
    return gather(_spans(values, bounds), limits)


def _spans(values: JsonSource, bounds: Bounds) -> Iterator[Found | Reject]:
    for item in values.items():
        if isinstance(item, Reject):
            yield item
        else:
            yield from _document(item, bounds)


def _document(item: Item, bounds: Bounds) -> Iterator[Found | Reject]:
    value = fields(item.value)
    envelope = value if _is_envelope(value) else fields(value.get("trace"))
    batches = envelope.get("batches", envelope.get("resourceSpans"))
    yield from item.notes
    if not objects(batches):
        yield Reject("trace", item.place, "no batches of spans here.", "no_spans")
        return
    try:
        decoded = decode_document({"resourceSpans": batches}, bounds)
    except DecodeError as error:
        yield Reject("trace", item.place, error.message, "not_otlp")
        return
    for reject in decoded.rejects:
        place = reject.place.replace("resourceSpans", "batches", 1)
        yield replace(reject, place=f"{item.place}: {place}")
    if not decoded.spans and not decoded.rejects:
        yield Reject("trace", item.place, "batches without spans.", "no_spans")
    share = item.size // max(len(decoded.spans), 1)
    for span in decoded.spans:
        yield Found(span, share, tuple(labels_of(span)))
