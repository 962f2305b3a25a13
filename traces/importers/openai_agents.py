"""Traces of the OpenAI Agents SDK, as its exporter posts them.

Traces and spans stand side by side, a span when it ended: what is inside
comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

from traces.domain.records import (
    Json,
    Reject,
    SpanRecord,
    SpanStatus,
    StepType,
    TraceRecord,
)
from traces.importers.base import Limits, Sample, fit_id
from traces.importers.chat import tool_definitions
from traces.importers.gather import Found, gather
from traces.importers.jsonstream import Item, JsonSource
from traces.importers.jsontext import value_or_text
from traces.importers.messages import GenAiMessage, as_text, read_message, read_messages
from traces.importers.times import nanoseconds
from traces.importers.values import (
    fields,
    first_text,
    items,
    kept,
    objects,
    text,
    usage_attributes,
)

NAME = "openai_agents"
LABEL = "OpenAI Agents SDK traces"

_OBJECTS = {"trace", "trace.span"}
_GIVEN = ("function_call_output", "computer_call_output", "custom_tool_call_output")
_MAX_TRACES = 10_000
Attributes = dict[str, Json]


def recognises(sample: Sample) -> bool:
    """Objects that call themselves ``trace`` or ``trace.span``, or pages of them."""
    first = sample.first
    return _is_ours(first) or any(map(_is_ours, objects(fields(first).get("data"))))


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read spans and put them together by trace."""
    return gather(_spans(JsonSource(source, limits=limits, name=name)), limits)


def _is_ours(value: Json) -> bool:
    return first_text(fields(value), "object") in _OBJECTS


def _spans(values: JsonSource) -> Iterator[Found | TraceRecord | Reject]:
    facts: dict[str, Attributes] = {}
    for item in values.items():
        if isinstance(item, Reject):
            yield item
            continue
        listed = [item.value] if _is_ours(item.value) else _page(item.value)
        for value in listed:
            yield from _one(value, item, item.size // len(listed), facts)
        if not listed:
            reason = "neither a trace nor a span of one."
            yield Reject("span", item.place, reason, "no_span")
    for trace_id, told in facts.items():
        yield TraceRecord(trace_id, (), attributes=told)


def _page(value: Json) -> list[dict[str, Json]]:
    return [one for one in objects(fields(value).get("data")) if _is_ours(one)]


def _one(
    value: dict[str, Json], item: Item, size: int, facts: dict[str, Attributes]
) -> Iterator[Found | Reject]:
    """A span; facts about a trace wait for its next span."""
    if value["object"] == "trace":
        trace_id = fit_id(value.get("id"), fallback="")
        if trace_id and len(facts) < _MAX_TRACES:
            facts[trace_id] = _facts(value)
            return
        yield Reject("trace", item.place, "a trace without an id.", "no_id")
        return
    span = _span(value)
    if span is None:
        yield Reject("span", item.place, "a span without its ids.", "no_id")
        return
    told = facts.pop(span.trace_id, {})
    yield Found(span, size, attributes=told, notes=item.notes)


def _facts(trace: dict[str, Json]) -> Attributes:
    return kept(
        {
            "name": first_text(trace, "workflow_name"),
            "workflow": first_text(trace, "workflow_name"),
            "session": first_text(trace, "group_id"),
            "extra": fields(trace.get("metadata")),
        }
    )


def _span(value: dict[str, Json]) -> SpanRecord | None:
    trace_id = fit_id(value.get("trace_id"), fallback="")
    span_id = fit_id(value.get("id"), fallback="")
    if not trace_id or not span_id:
        return None
    data, error = fields(value.get("span_data")), value.get("error")
    kind = text(data.get("type"))
    return SpanRecord(
        trace_id,
        span_id,
        parent_id=fit_id(value.get("parent_id"), fallback="") or None,
        name=_name(kind, data),
        start_ns=nanoseconds(value.get("started_at")),
        end_ns=nanoseconds(value.get("ended_at")),
        status=SpanStatus.ERROR if error else SpanStatus.UNSET,
        status_message=_words(error),
        attributes=kept(_READERS.get(kind, _other)(data)),
    )


def _name(kind: str, data: Mapping[str, Json]) -> str:
    if kind == "handoff":
        return f"handoff to {text(data.get('to_agent'))}"
    return first_text(data, "name", "server") or kind


def _words(error: Json) -> str:
    """The error's message with its details."""
    told = fields(error)
    message, more = first_text(told, "message"), told.get("data")
    if message and more:
        return f"{message}: {as_text(more)}"
    return message or (as_text(error) if error else "")


def _agent(data: Attributes) -> Attributes:
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": text(data.get("name")),
        "openai_agents.handoffs": data.get("handoffs"),
        "openai_agents.tools": data.get("tools"),
    }


def _generation(data: Attributes) -> Attributes:
    asked = said(data.get("input"), "user")
    answered = said(data.get("output"), "assistant")
    found: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": text(data.get("model")),
        "gen_ai.input.messages": asked,
        "gen_ai.output.messages": _joined(answered),
        "llm.invocation_parameters": _text(data.get("model_config")),
    }
    return found | usage_attributes(data.get("usage"))


def _response(data: Attributes) -> Attributes:
    """A call of the Responses API; what it answered may be left out."""
    response = fields(data.get("response"))
    inner = data | {"output": response.get("output", data.get("output"))}
    inner["model"] = first_text(response, "model") or data.get("model")
    inner["usage"] = data.get("usage") or response.get("usage")
    more = {
        "gen_ai.response.id": data.get("response_id"),
        "gen_ai.system_instructions": text(response.get("instructions")),
        "gen_ai.tool.definitions": tool_definitions(response.get("tools")),
    }
    return _generation(inner) | more


def _function(data: Attributes) -> Attributes:
    given = data.get("input")
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": text(data.get("name")),
        "gen_ai.tool.call.arguments": value_or_text(given)
        if isinstance(given, str)
        else given,
        "gen_ai.tool.call.result": data.get("output"),
        "openai_agents.mcp_data": data.get("mcp_data"),
    }


def _handoff(data: Attributes) -> Attributes:
    return {
        "agenteval.handoff_to": text(data.get("to_agent")),
        "agenteval.agent": text(data.get("from_agent")),
    }


def _guardrail(data: Attributes) -> Attributes:
    return {
        "openinference.span.kind": "GUARDRAIL",
        "output.value": as_text({"triggered": data.get("triggered")}),
    }


def _tools(data: Attributes) -> Attributes:
    return {"openai_agents.mcp_server": data.get("server")}


def _custom(data: Attributes) -> Attributes:
    """A span of the program's own; the SDK uses it for tasks and turns."""
    inner = fields(data.get("data"))
    found: Attributes = {"openinference.span.kind": "CHAIN"}
    if "sdk_span_type" in inner:
        return found | {"openai_agents.span": inner}
    return found | {"input.value": _text(inner)}


def _speech(data: Attributes) -> Attributes:
    """Sound to text or text to sound: the sound itself is left out."""
    sides = {"input": data.get("input"), "output": data.get("output")}
    words = {f"{side}.value": text(given) for side, given in sides.items()}
    return words | {
        "agenteval.step.type": str(StepType.EXEC),
        "gen_ai.request.model": text(data.get("model")),
    }


def _other(data: Attributes) -> Attributes:
    return {"openinference.span.kind": "CHAIN", "openai_agents.span": data}


def _text(value: Json) -> str:
    return as_text(value) if value else ""


_READERS: Mapping[str, Callable[[Attributes], Attributes]] = {
    "agent": _agent,
    "generation": _generation,
    "response": _response,
    "function": _function,
    "handoff": _handoff,
    "guardrail": _guardrail,
    "mcp_tools": _tools,
    "custom": _custom,
    "transcription": _speech,
    "speech": _speech,
}


def said(value: Json, role: str) -> list[GenAiMessage]:
    """Messages and calls of the Responses API, which stand side by side."""
    if not isinstance(value, list):
        return read_messages(value, role)
    found: list[GenAiMessage] = []
    for one in items(value):
        kind = first_text(fields(one), "type")
        if kind in _GIVEN:
            found.append(read_message({"role": "tool", "content": [one]}))
        elif kind not in {"", "message"} and "role" not in one:
            found.append(read_message({"role": "assistant", "content": [one]}))
        else:
            found.extend(read_messages([one], role))
    return found


def _joined(messages: list[GenAiMessage]) -> list[GenAiMessage]:
    """The parts of one answer as one message."""
    parts = [part for message in messages for part in message["parts"]]
    return [{"role": "assistant", "parts": parts}] if parts else []
