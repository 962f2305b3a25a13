"""Requests of another signal, sent to the address for traces by mistake."""

from __future__ import annotations

from google.protobuf.message import DecodeError as ProtobufError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)

from traces.domain.records import Json
from traces.importers.otlp.decoded import DecodeError

SIGNALS = {
    "resourceLogs": "logs",
    "resourceMetrics": "metrics",
    "resourceProfiles": "profiles",
}


def other_signal(document: dict[str, Json]) -> str:
    """The signal that a JSON request carries if it isn't traces, else ""."""
    if "resourceSpans" in document:
        return ""
    return next((word for key, word in SIGNALS.items() if key in document), "")


def wrong_signal(signal: str) -> DecodeError:
    """What to tell a sender of something else than traces."""
    return DecodeError(f"This is an OTLP {signal} request; traces are expected here.")


def refuse_other_signal(body: bytes) -> None:
    """Say so if a protobuf body holds logs or metrics.

    The three requests look alike on the wire: lists of resources, scopes and
    items with numbered fields. Only what the items say tells them apart.

    Raises:
        DecodeError: If it does.
    """
    if _has_logs(body):
        raise wrong_signal("logs")
    if _has_metrics(body):
        raise wrong_signal("metrics")


def _has_logs(body: bytes) -> bool:
    try:
        request = ExportLogsServiceRequest.FromString(body)
    except ProtobufError:
        return False
    records = (
        record
        for resource in request.resource_logs
        for scope in resource.scope_logs
        for record in scope.log_records
    )
    return any(
        record.time_unix_nano or record.observed_time_unix_nano for record in records
    )


def _has_metrics(body: bytes) -> bool:
    try:
        request = ExportMetricsServiceRequest.FromString(body)
    except ProtobufError:
        return False
    metrics = (
        metric
        for resource in request.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    )
    return any(metric.name and metric.WhichOneof("data") for metric in metrics)
