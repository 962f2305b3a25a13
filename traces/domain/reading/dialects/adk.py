"""Google's Agent Development Kit: ``gcp.vertex.agent.*``."""

from __future__ import annotations

from collections.abc import Mapping

from traces.domain.reading.calls import read_tools, run_arguments
from traces.domain.reading.dialects.genai import messages_in
from traces.domain.reading.dialects.genai_events import read_genai_events
from traces.domain.reading.fields import Fields
from traces.domain.reading.messages import finish_reason_of, read_messages
from traces.domain.reading.usage import read_usage
from traces.domain.reading.values import first_text, given, mapping, text, under
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Role, ToolCall

START = "gcp.vertex.agent."
SCOPE = "gcp.vertex.agent"
MERGED = "(merged"
"""The span that repeats the results of calls made at the same time."""


def read_adk(span: SpanRecord) -> Fields:
    """Fields that the kit's attributes and span names give."""
    said = span.attributes
    if span.scope.name != SCOPE and not any(key.startswith(START) for key in said):
        return {}
    request = mapping(said.get(f"{START}llm_request"))
    response = mapping(said.get(f"{START}llm_response"))
    if said.get(f"{START}tool_call_args") is not None or "tool" in span.name:
        return _tool(span, said)
    if request or response:
        return _model(request, response)
    if _repeats_outer(span):
        return {"role": Role.PLUMBING}
    if span.name.startswith("agent_run"):
        name = span.name.removeprefix("agent_run").strip(" []")
        return {"role": Role.AGENT, "agent": name}
    return {}


def _repeats_outer(span: SpanRecord) -> bool:
    """Whether a model call has no content: then only the one around it has.

    The kit makes two spans of a call; with default settings the inner one has
    tokens alone.
    """
    said = span.attributes
    if span.scope.name != SCOPE or not span.name.startswith("generate_content"):
        return False
    events = read_genai_events(span)
    return not any(
        (
            *messages_in(said),
            events.get("input_messages"),
            events.get("output_messages"),
        )
    )


def _tool(span: SpanRecord, said: Mapping[str, Json]) -> Fields:
    if MERGED in span.name or MERGED in first_text(said, "gen_ai.tool.name"):
        return {"role": Role.PLUMBING}
    arguments, malformed = run_arguments(said.get(f"{START}tool_call_args"))
    output = given(said, f"{START}tool_response")
    call_id = text(under(output, "id")) if _is_event(output) else ""
    call = ToolCall("", arguments, call_id, malformed)
    return {"role": Role.TOOL, "call": call, "input": arguments, "output": output}


def _is_event(output: Json) -> bool:
    return isinstance(output, dict) and "function_response" in str(
        output.get("content")
    )


def _model(request: Mapping[str, Json], response: Mapping[str, Json]) -> Fields:
    answer = under(response, "content")
    found: Fields = {
        "role": Role.LLM,
        "input_messages": read_messages(dict(request)),
        "output_messages": read_messages(answer, "assistant"),
        "tools": read_tools(under(request, "config", "tools")),
        "model": text(response.get("model_version")) or text(request.get("model")),
        "finish_reason": finish_reason_of(dict(response)),
        "usage": read_usage(mapping(response.get("usage_metadata"))),
    }
    return found
