"""Code to copy for sending traces here, by language."""

from __future__ import annotations

from dataclasses import dataclass

PLACEHOLDER = "YOUR_TOKEN"


@dataclass(frozen=True, slots=True)
class Snippet:
    """A way to send.

    Attributes:
        title: Language or tool.
        label: Accessible name of the code and of its copy button.
        code: The code, complete.
    """

    title: str
    label: str
    code: str


def snippets(base: str, token: str = PLACEHOLDER) -> list[Snippet]:
    """Snippets with the real address and, just after its creation, the token.

    Args:
        base: Address of this installation, ending in a slash.
        token: The secret; a placeholder where it is not known.
    """
    filled = (
        (title, code.replace("BASE", base.rstrip("/")).replace("TOKEN", token))
        for title, code in _CODES
    )
    return [Snippet(title, f"Copy the code: {title}", code) for title, code in filled]


_PYTHON = """\
# pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

exporter = OTLPSpanExporter(
    endpoint="BASE/v1/traces",
    headers={"Authorization": "Bearer TOKEN"},
)
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(exporter))
trace.set_tracer_provider(provider)
"""

_TYPESCRIPT = """\
// npm install @opentelemetry/sdk-node @opentelemetry/exporter-trace-otlp-proto
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";

new NodeSDK({
  traceExporter: new OTLPTraceExporter({
    url: "BASE/v1/traces",
    headers: { Authorization: "Bearer TOKEN" },
  }),
}).start();
"""

_ENVIRONMENT = """\
export OTEL_EXPORTER_OTLP_ENDPOINT="BASE"
export OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf"
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20TOKEN"
"""

_CURL = """\
curl BASE/v1/traces \\
  -H 'Authorization: Bearer TOKEN' \\
  -H 'Content-Type: application/json' \\
  -d '{"resourceSpans": [{"scopeSpans": [{"spans": [{
    "traceId": "5b8efff798038103d269b633813fc60c",
    "spanId": "eee19b7ec3c1b174",
    "name": "hello",
    "startTimeUnixNano": "1767225600000000000",
    "endTimeUnixNano": "1767225601000000000",
    "attributes": [
      {"key": "agenteval.step.type", "value": {"stringValue": "SYNTH"}},
      {"key": "agenteval.output", "value": {"stringValue": "Hello."}}
    ]
  }]}]}]}'
"""

_CODES = (
    ("Python", _PYTHON),
    ("TypeScript", _TYPESCRIPT),
    ("Environment of any OpenTelemetry SDK", _ENVIRONMENT),
    ("curl", _CURL),
)
