"""OTLP, the protocol of OpenTelemetry: requests and files, protobuf and JSON.

What a sender gets wrong costs as little as possible: a bad attribute is left
out of its span, a bad span out of its request, and each is named. Only a body
that isn't an OTLP traces request at all raises ``DecodeError``.
"""

from traces.importers.otlp.decoded import Bounds, Decoded, DecodeError
from traces.importers.otlp.files import LABEL, NAME, read, recognises
from traces.importers.otlp.jsonbody import decode_document, decode_json
from traces.importers.otlp.protobuf import decode_protobuf
from traces.importers.otlp.response import encode_response, encode_status

__all__ = [
    "LABEL",
    "NAME",
    "Bounds",
    "DecodeError",
    "Decoded",
    "decode_document",
    "decode_json",
    "decode_protobuf",
    "encode_response",
    "encode_status",
    "read",
    "recognises",
]
