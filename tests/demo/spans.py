"""Reading the demo's spans whatever convention they follow."""

import json
import re
from datetime import UTC, datetime

NOW = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)

TOOL_NAMES = ("gen_ai.tool.name", "tool.name")
CALL_IDS = ("gen_ai.tool.call.id", "tool.id")
RESULTS = ("gen_ai.tool.call.result", "output.value", "agenteval.output")


def first(span, keys):
    """The first of these attributes that a span has, "" if it has none."""
    return next((span.attributes[key] for key in keys if key in span.attributes), "")


def tool_of(span):
    return first(span, TOOL_NAMES)


def call_id_of(span):
    return first(span, CALL_IDS)


def results(trace, tool):
    """What the runs of a tool gave, in the order in which they began."""
    spans = [span for span in trace.record.spans if tool_of(span) == tool]
    return [first(s, RESULTS) for s in sorted(spans, key=lambda s: s.start_ns)]


def asked_calls(span):
    """Ids of the tool calls that a model call asks for."""
    if "gen_ai.output.messages" in span.attributes:
        messages = json.loads(span.attributes["gen_ai.output.messages"])
        parts = [part for message in messages for part in message["parts"]]
        return [part["id"] for part in parts if part["type"] == "tool_call"]
    pattern = re.compile(r"llm\.output_messages\..*\.tool_call\.id")
    return [v for k, v in span.attributes.items() if pattern.fullmatch(k)]


def start_of(trace):
    return min(span.start_ns for span in trace.record.spans)


def version_of(trace):
    return trace.record.spans[0].scope.resource["service.version"]
