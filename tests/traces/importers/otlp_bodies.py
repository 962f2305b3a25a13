"""Small OTLP requests, in both encodings."""

from __future__ import annotations

import json
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

TRACE = "5b8aa5a2d2c872e8321cf37308d69df2"
SPAN = "051581bf3cb55c13"
PARENT = "5fb397be34d26b51"


def text(key: str, value: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value}}


def span(**more: Any) -> dict[str, Any]:
    """A span of OTLP/JSON."""
    return {"traceId": TRACE, "spanId": SPAN, "name": "step"} | more


def document(*spans: Any, **more: Any) -> dict[str, Any]:
    """A request of OTLP/JSON with one resource and one scope."""
    scope = {"scope": {"name": "my.scope", "version": "2"}, "spans": list(spans)}
    resource = {"attributes": [text("service.name", "shop")]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]} | more


def as_json(*spans: Any) -> bytes:
    return json.dumps(document(*spans)).encode()


def proto_span(**more: Any) -> Span:
    """A span of OTLP protobuf."""
    ids = {"trace_id": bytes.fromhex(TRACE), "span_id": bytes.fromhex(SPAN)}
    return Span(**{"name": "step", **ids, **more})


def pair(key: str, **value: Any) -> KeyValue:
    return KeyValue(key=key, value=AnyValue(**value))


def request(*spans: Span) -> ExportTraceServiceRequest:
    """A request of OTLP protobuf with one resource and one scope."""
    made = ExportTraceServiceRequest()
    resource = made.resource_spans.add()
    resource.resource.attributes.append(pair("service.name", string_value="shop"))
    scope = resource.scope_spans.add()
    scope.scope.name, scope.scope.version = "my.scope", "2"
    scope.spans.extend(spans)
    return made


def as_protobuf(*spans: Span) -> bytes:
    return request(*spans).SerializeToString()
