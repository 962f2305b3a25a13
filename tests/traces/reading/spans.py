"""Spans of a few words for reading tests."""

from __future__ import annotations

from typing import Any

from traces.domain.reading import read_span
from traces.domain.records import Scope, SpanEvent, SpanRecord
from traces.domain.view import SpanView


def span(attributes: dict[str, Any] | None = None, **more: Any) -> SpanRecord:
    events = tuple(SpanEvent(name, None, said) for name, said in more.pop("events", ()))
    scope = Scope(more.pop("scope", ""), resource=more.pop("resource", {}))
    ids = {"trace_id": "t", "span_id": "s", "name": "step"}
    return SpanRecord(
        **{**ids, **more}, attributes=attributes or {}, events=events, scope=scope
    )


def view(attributes: dict[str, Any] | None = None, **more: Any) -> SpanView:
    return read_span(span(attributes, **more))
