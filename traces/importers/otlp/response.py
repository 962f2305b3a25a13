"""What a sender is told: how much was taken in, or why nothing was."""

from __future__ import annotations

import orjson
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceResponse,
)

from traces.domain.records import Reject
from traces.importers.otlp.decoded import Decoded

MOST_NAMED, LONGEST_REASON, LONGEST_MESSAGE = 5, 300, 4_000


def encode_response(decoded: Decoded, *, as_json: bool) -> bytes:
    """An ``ExportTraceServiceResponse`` in the encoding of the request.

    ``partialSuccess`` is there if anything was refused or changed; with
    ``rejectedSpans`` 0 it is a warning, as OTLP has it.
    """
    message = _message(decoded)
    if as_json:
        partial = {
            "rejectedSpans": str(decoded.rejected_spans),
            "errorMessage": message,
        }
        return orjson.dumps({"partialSuccess": partial} if message else {})
    response = ExportTraceServiceResponse()
    if message:
        response.partial_success.rejected_spans = decoded.rejected_spans
        response.partial_success.error_message = message
    encoded: bytes = response.SerializeToString()
    return encoded


def encode_status(code: int, message: str, *, as_json: bool) -> bytes:
    """A ``google.rpc.Status``, the body of an answer that isn't 200.

    Args:
        code: Of ``google.rpc.Code``, for example 3 (INVALID_ARGUMENT).
        message: For the developer who sent the request.
        as_json: Whether the request was in JSON.
    """
    message = message[:LONGEST_MESSAGE]
    if as_json:
        return orjson.dumps({"code": code, "message": message})
    encoded: bytes = Status(code=code, message=message).SerializeToString()
    return encoded


def _message(decoded: Decoded) -> str:
    """The first things left out, spans first, and how many more there are."""
    spans = [one for one in decoded.rejects if one.level == "span"]
    others = [one for one in decoded.rejects if one.level != "span"]
    named = [*spans, *others][:MOST_NAMED]
    if not named:
        return ""
    rest = len(decoded.rejects) + decoded.left_out - len(named)
    told = " ".join(_one(reject) for reject in named)
    return f"{told} And {rest} more." if rest else told


def _one(reject: Reject) -> str:
    return f"{reject.place}: {reject.reason}"[:LONGEST_REASON]
