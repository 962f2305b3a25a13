"""OTLP/JSON into spans.

The rules of OTLP differ from those of protobuf's JSON: ids are hexadecimal
(base64 of the right length is taken, too), 64-bit numbers may be text, unknown
fields are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import orjson

from traces.domain.records import Json, Scope
from traces.domain.storable import REPLACEMENT
from traces.importers import base
from traces.importers.base import Unreadable
from traces.importers.jsontext import parse
from traces.importers.otlp.camel import with_camel_case
from traces.importers.otlp.decoded import (
    DEEPEST,
    DEFAULT_BOUNDS,
    Bounds,
    Decoded,
    DecodeError,
)
from traces.importers.otlp.jsonspan import read_span
from traces.importers.otlp.jsonvalues import attributes_of, dict_at, list_at, text_at
from traces.importers.otlp.ledger import Ledger
from traces.importers.otlp.signals import other_signal, wrong_signal

JSON_LEVELS = 16 + 4 * DEEPEST
"""Nesting of a document: 16 levels around a value, four for each of its own."""


def decode_json(body: bytes, bounds: Bounds = DEFAULT_BOUNDS) -> Decoded:
    """Read an ``ExportTraceServiceRequest`` in JSON.

    Raises:
        DecodeError: If the body isn't one at all, with line and column where
            it isn't JSON.
    """
    ledger = Ledger(bounds)
    return _decode(_loads(body, ledger), ledger)


def decode_document(document: Json, bounds: Bounds = DEFAULT_BOUNDS) -> Decoded:
    """Read a request that has been parsed as JSON already.

    Raises:
        DecodeError: If it isn't one.
    """
    return _decode(document, Ledger(bounds))


def _loads(body: bytes, ledger: Ledger) -> Json:
    """The JSON value of a body; what JSON forbids is repaired where possible."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        ledger.tolerant = True
    text = body.decode("utf-8", "replace")
    bad = text.count(REPLACEMENT) - body.count(REPLACEMENT.encode())
    if bad > 0:
        reason = f"{bad} place(s) that aren't UTF-8 were replaced by U+FFFD."
        ledger.attribute("", reason, "text_cleaned")
    try:
        return json.loads(text, parse_constant=str, strict=False)
    except (ValueError, RecursionError):
        return _loads_deep(body, ledger)


def _loads_deep(body: bytes, ledger: Ledger) -> Json:
    """Slower by far, but it knows no bounds of depth, and says what is wrong."""
    limits = base.Limits(max_depth=JSON_LEVELS, max_text=ledger.bounds.attribute)
    try:
        return parse(body, limits=limits).value
    except Unreadable as error:
        if body[:1] == b"\n":
            hint = " If it is protobuf, send Content-Type: application/x-protobuf."
            raise DecodeError(f"This is not JSON.{hint}") from None
        raise DecodeError(f"{error.reason}.", error.place) from None


def _decode(document: Json, ledger: Ledger) -> Decoded:
    if not isinstance(document, dict):
        kind = "a list" if isinstance(document, list) else "a single value"
        raise DecodeError(f"This is {kind}; an object with resourceSpans is expected.")
    document = with_camel_case(document)
    signal = other_signal(document)
    if signal:
        raise wrong_signal(signal)
    resources = document.get("resourceSpans")
    if document and "resourceSpans" not in document:
        names = ", ".join(sorted(document)[:5])[:200]
        raise DecodeError(
            f"This is not an OTLP traces request: resourceSpans is missing; it has {names}."
        )
    if resources is not None and not isinstance(resources, list):
        raise DecodeError("resourceSpans is not a list.", "resourceSpans")
    for ledger.resource, resource in enumerate(resources or ()):
        _read_resource(resource, ledger)
    return ledger.decoded


def _read_resource(message: Json, ledger: Ledger) -> None:
    ledger.scope = ledger.span = -1
    if not isinstance(message, dict):
        ledger.refuse("span", "", "An object is expected here.", "not_an_object")
        return
    resource = attributes_of(
        dict_at(message, "resource").get("attributes"), "resource.attributes", ledger
    )
    scopes = list_at(message, "scopeSpans", ledger) or list_at(
        message, "instrumentationLibrarySpans", ledger
    )
    for ledger.scope, scope_spans in enumerate(scopes):
        ledger.span = -1
        if isinstance(scope_spans, dict):
            _read_scope(scope_spans, resource, ledger)
        else:
            ledger.refuse("span", "", "An object is expected here.", "not_an_object")
    ledger.scope = ledger.span = -1


def _read_scope(
    message: Mapping[str, Json], resource: dict[str, Json], ledger: Ledger
) -> None:
    said = dict_at(message, "scope") or dict_at(message, "instrumentationLibrary")
    scope = Scope(
        text_at(said, "name", "scope.name", ledger),
        text_at(said, "version", "scope.version", ledger),
        attributes_of(said.get("attributes"), "scope.attributes", ledger),
        resource,
    )
    spans = list_at(message, "spans", ledger)
    for ledger.span, span in enumerate(spans):
        if ledger.full():
            ledger.refuse_rest(len(spans) - ledger.span)
            return
        record = read_span(span, scope, ledger)
        if record is not None:
            ledger.decoded.spans.append(record)
        ledger.trace_id = ledger.span_id = ""
