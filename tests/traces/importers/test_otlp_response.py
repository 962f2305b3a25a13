from __future__ import annotations

import json

from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceResponse,
)

from traces.domain.records import Reject
from traces.importers.otlp import Decoded, encode_response, encode_status


def refused(spans, attributes=0):
    decoded = Decoded()
    for number in range(attributes):
        decoded.refuse(Reject("attribute", f"attributes[{number}]", "Odd.", "odd"))
    for number in range(spans):
        decoded.refuse(Reject("span", f"spans[{number}]", "Bad.", "bad"))
    return decoded


def partial(decoded):
    encoded = encode_response(decoded, as_json=False)
    return ExportTraceServiceResponse.FromString(encoded).partial_success


def test_full_success_says_nothing():
    assert encode_response(Decoded(), as_json=True) == b"{}"
    assert encode_response(Decoded(), as_json=False) == b""


def test_refused_spans_are_counted_and_the_first_named():
    found = partial(refused(7))
    assert found.rejected_spans == 7
    assert found.error_message.startswith("spans[0]: Bad. spans[1]: Bad.")
    assert found.error_message.endswith("And 2 more.")


def test_spans_are_named_before_attributes():
    found = partial(refused(1, attributes=6))
    assert found.error_message.startswith("spans[0]: Bad. attributes[0]: Odd.")


def test_changed_attributes_are_a_warning():
    found = partial(refused(0, attributes=1))
    assert (found.rejected_spans, found.error_message) == (0, "attributes[0]: Odd.")


def test_json_says_the_same():
    said = json.loads(encode_response(refused(2), as_json=True))["partialSuccess"]
    assert said == {
        "rejectedSpans": "2",
        "errorMessage": "spans[0]: Bad. spans[1]: Bad.",
    }


def test_status_in_both_encodings():
    encoded = encode_status(3, "no", as_json=False)
    assert Status.FromString(encoded) == Status(code=3, message="no")
    assert json.loads(encode_status(3, "no", as_json=True)) == {
        "code": 3,
        "message": "no",
    }
