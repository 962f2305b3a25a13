"""OTLP: what OpenTelemetry SDKs send, over HTTP and in files."""

from traces.importers.otlp.decoded import Bounds, Decoded, DecodeError
from traces.importers.otlp.jsonbody import decode_json
from traces.importers.otlp.protobuf import decode_protobuf
from traces.importers.otlp.response import encode_response, encode_status

__all__ = [
    "Bounds",
    "DecodeError",
    "Decoded",
    "decode_json",
    "decode_protobuf",
    "encode_response",
    "encode_status",
]
