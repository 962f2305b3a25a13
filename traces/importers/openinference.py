"""Span exports of Phoenix and others that use OpenInference attributes.

One span an object: with ``context`` and ``attributes`` (flat dotted keys or
nested objects), as a row of a data frame (``context.span_id``,
``attributes.llm.model_name``), or as OpenTelemetry's console exporter prints
it. Spans stand in a list, one a line, one after another, under ``data`` or
``spans``, or in lists by scenario.
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
from traces.importers.times import nanoseconds

NAME = "openinference"
LABEL = "OpenInference spans (Phoenix)"

_KINDS = {"internal": 1, "server": 2, "client": 3, "producer": 4, "consumer": 5}
_STATUS = {"ok": SpanStatus.OK, "error": SpanStatus.ERROR}
_VALUES = (
    "input.value",
    "output.value",
    "metadata",
    "invocation_parameters",
    "json_schema",
    "arguments",
    "tool.parameters",
    "variables",
)
"""Keys whose objects are values, not further levels of the key."""

LONGEST_KEY = 256
"""Longer keys have no levels added: they would be repeated for every leaf."""


def recognises(sample: Sample) -> bool:
    """Spans with a context, or lists of such."""
    return _is_span(sample.first) or bool(_nested(sample.first))


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read spans and put them together by trace."""
    return gather(_spans(JsonSource(source, limits=limits, name=name)), limits)


def _is_span(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    context = value.get("context")
    nested = isinstance(context, dict) and "span_id" in context
    return nested or "context.span_id" in value


def _nested(value: Json) -> list[Json]:
    """Spans in the lists of an object: a page of results, or scenarios."""
    if not isinstance(value, dict):
        return []
    lists = [found for found in value.values() if isinstance(found, list)]
    return [item for found in lists for item in found if _is_span(item)]


def _spans(values: JsonSource) -> Iterator[Found | Reject]:
    for item in values.items():
        if isinstance(item, Reject):
            yield item
        elif _is_span(item.value):
            yield _span(item.value, item, item.size)
        else:
            inner = _nested(item.value)
            if not inner:
                reason = "no span with a context here."
                yield Reject("span", item.place, reason, "no_span")
            for span in inner:
                yield _span(span, item, item.size // len(inner))


def _span(value: dict[str, Json], item: Item, size: int) -> Found | Reject:
    context, attributes = _context(value), _attributes(value)
    trace_id, span_id = _id(context.get("trace_id")), _id(context.get("span_id"))
    if not trace_id or not span_id:
        missing = "span_id" if trace_id else "trace_id"
        reason = f"a span without {missing}."
        return Reject("span", item.place, reason, "no_id", trace_id, span_id)
    kind = value.get("span_kind")
    if isinstance(kind, str) and "openinference.span.kind" not in attributes:
        attributes["openinference.span.kind"] = kind
    status, message = _status(value)
    span = SpanRecord(
        trace_id,
        span_id,
        parent_id=_id(value.get("parent_id", value.get("parentId"))) or None,
        name=str(value.get("name") or ""),
        kind=_KINDS.get(str(value.get("kind")).lower().rpartition(".")[2], 0),
        start_ns=nanoseconds(value.get("start_time")),
        end_ns=nanoseconds(value.get("end_time")),
        status=status,
        status_message=message,
        attributes=attributes,
        events=tuple(_events(value.get("events"))),
        links=tuple(_links(value.get("links"))),
        scope=_scope(value),
    )
    return Found(span, size, attributes=_session(value), notes=item.notes)


def _context(value: dict[str, Json]) -> Mapping[str, Json]:
    context = value.get("context")
    if isinstance(context, dict):
        return context
    return {key: value.get(f"context.{key}") for key in ("trace_id", "span_id")}


def _id(value: Json) -> str:
    return fit_id(value, fallback="").removeprefix("0x")


def _attributes(value: dict[str, Json]) -> dict[str, Json]:
    given = value.get("attributes")
    if isinstance(given, dict):
        return flatten(given)
    prefix = "attributes."
    columns = {
        key.removeprefix(prefix): cell
        for key, cell in value.items()
        # A data frame has a cell for every attribute of any span.
        if key.startswith(prefix) and cell is not None
    }
    return flatten(columns)


def flatten(nested: Mapping[str, Json]) -> dict[str, Json]:
    """Attributes by dotted key, lists of objects by index; values stay whole."""
    flat: dict[str, Json] = {}
    stack: list[tuple[str, Json]] = [
        (key, nested[key]) for key in reversed(list(nested))
    ]
    while stack:
        key, value = stack.pop()
        whole = len(key) > LONGEST_KEY or key.endswith(_VALUES)
        if isinstance(value, dict) and value and not whole:
            stack.extend((f"{key}.{k}", value[k]) for k in reversed(value))
        elif _is_objects(value) and not whole:
            indexed = reversed(list(enumerate(value)))
            stack.extend((f"{key}.{index}", item) for index, item in indexed)
        else:
            flat[key] = value
    return flat


def _is_objects(value: Json) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) for item in value)
    )


def _status(value: dict[str, Json]) -> tuple[SpanStatus, str]:
    status = value.get("status")
    given = status if isinstance(status, dict) else {}
    code = value.get("status_code") or given.get("status_code") or given.get("code")
    word = str(code or "").lower().removeprefix("status_code_").rpartition(".")[2]
    texts = (
        value.get("status_message"),
        given.get("message"),
        given.get("description"),
    )
    message = next((text for text in texts if isinstance(text, str) and text), "")
    return _STATUS.get(word, SpanStatus.UNSET), message


def _events(events: Json) -> Iterator[SpanEvent]:
    for event in events if isinstance(events, list) else ():
        if isinstance(event, dict):
            attributes = event.get("attributes")
            yield SpanEvent(
                str(event.get("name") or ""),
                nanoseconds(event.get("timestamp", event.get("time"))),
                attributes if isinstance(attributes, dict) else {},
            )


def _links(links: Json) -> Iterator[SpanLink]:
    for link in links if isinstance(links, list) else ():
        context = link.get("context") if isinstance(link, dict) else None
        if isinstance(context, dict):
            attributes = link.get("attributes")
            yield SpanLink(
                _id(context.get("trace_id")),
                _id(context.get("span_id")),
                attributes if isinstance(attributes, dict) else {},
            )


def _scope(value: dict[str, Json]) -> Scope:
    """The resource, where an export has it."""
    resource = value.get("resource")
    given = resource.get("attributes") if isinstance(resource, dict) else None
    return Scope(resource=given) if isinstance(given, dict) and given else Scope()


def _session(value: dict[str, Json]) -> dict[str, Json]:
    session = value.get("conversation")
    if isinstance(session, dict):
        session = session.get("conversation_id") or session.get("id")
    return {"session": session} if isinstance(session, str) and session else {}
