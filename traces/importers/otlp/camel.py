"""Requests whose field names are those of protobuf (``resource_spans``)."""

from __future__ import annotations

from typing import Any

from traces.domain.records import Json

FIELDS = {
    name: first + "".join(part.title() for part in rest)
    for name in (
        "array_value", "bool_value", "bytes_value", "double_value",
        "dropped_attributes_count", "dropped_events_count", "dropped_links_count",
        "end_time_unix_nano", "event_name", "int_value", "kvlist_value",
        "log_records", "observed_time_unix_nano", "parent_span_id",
        "resource_logs", "resource_metrics", "resource_spans", "scope_logs",
        "scope_spans", "severity_number", "severity_text", "span_id",
        "start_time_unix_nano", "string_value", "time_unix_nano", "trace_id",
        "trace_state",
    )
    for first, *rest in (name.split("_"),)
}  # fmt: skip
_TOP = ("resource_spans", "resource_logs", "resource_metrics")


def with_camel_case(document: dict[str, Json]) -> dict[str, Json]:
    """The request with the field names of OTLP/JSON, changed in place.

    Attribute keys are values there, so nothing that a sender chose changes.
    """
    if not any(name in document for name in _TOP):
        return document
    stack: list[Any] = [document]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            for name in [name for name in value if name in FIELDS]:
                value.setdefault(FIELDS[name], value.pop(name))
            stack.extend(value.values())
        elif isinstance(value, list):
            stack.extend(value)
    return document
