"""Answers in the words of OTLP, in the encoding of the request."""

from __future__ import annotations

import json

from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceResponse,
)

from traces.importers.otlp.decoded import Decoded, named

LONGEST_MESSAGE = 4_000


def encode_response(decoded: Decoded, *, as_json: bool) -> bytes:
    """The answer to a request that was taken: what of it was refused."""
    message = named(decoded.rejects)[:LONGEST_MESSAGE]
    if as_json:
        partial = {"rejectedSpans": decoded.rejected_spans, "errorMessage": message}
        return json.dumps({"partialSuccess": partial} if message else {}).encode()
    response = ExportTraceServiceResponse()
    if message:
        response.partial_success.rejected_spans = decoded.rejected_spans
        response.partial_success.error_message = message
    return response.SerializeToString()


def encode_status(code: int, message: str, *, as_json: bool) -> bytes:
    """A ``google.rpc.Status``: why nothing of a request was taken."""
    if as_json:
        return json.dumps({"code": code, "message": message[:LONGEST_MESSAGE]}).encode()
    return Status(code=code, message=message[:LONGEST_MESSAGE]).SerializeToString()
