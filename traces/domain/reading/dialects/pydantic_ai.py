"""Pydantic AI (and Logfire), whose older versions keep messages as events."""

from __future__ import annotations

from traces.domain.reading.calls import read_tools, run_arguments
from traces.domain.reading.fields import Fields
from traces.domain.reading.jsontext import parsed
from traces.domain.reading.messages import read_messages
from traces.domain.reading.values import (
    first,
    first_decimal,
    first_text,
    given,
    mapping,
    objects,
)
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Message, Role, ToolCall, Usage

SCOPE = "pydantic-ai"
_ALL = ("pydantic_ai.all_messages", "all_messages_events")
_MARKS = frozenset({"model_request_parameters", "tool_arguments", "tool_response",
                    "final_result", *_ALL})  # fmt: skip
_TOOL_LISTS = ("function_tools", "output_tools", "builtin_tools")


def read_pydantic_ai(span: SpanRecord) -> Fields:
    """Fields that Pydantic AI's own attributes give."""
    said = span.attributes
    if span.scope.name != SCOPE and not any(key in said for key in _MARKS):
        return {}
    if "tool_arguments" in said or "tool_response" in said:
        return _tool(span)
    if first(said, *_ALL, "final_result") is not None:
        return _agent(span)
    if span.name.startswith("running ") and "tools" in said:
        return {"role": Role.CHAIN}
    return _model(span)


def _tool(span: SpanRecord) -> Fields:
    said = span.attributes
    arguments, malformed = run_arguments(said.get("tool_arguments"))
    name = first_text(said, "gen_ai.tool.name") or span.name.removeprefix(
        "running tool: "
    )
    call = ToolCall(name, arguments, "", malformed)
    return {
        "role": Role.TOOL,
        "call": call,
        "input": arguments,
        "output": given(said, "tool_response"),
    }


def _agent(span: SpanRecord) -> Fields:
    said = span.attributes
    messages = _conversation(first(said, *_ALL))
    turns = [n for n, one in enumerate(messages) if one.role == "user"]
    asked = messages[: turns[-1] + 1] if turns else ()
    answered = messages[-1:] if messages and messages[-1].role == "assistant" else ()
    return {
        "role": Role.AGENT,
        "agent": first_text(said, "gen_ai.agent.name", "agent_name"),
        "input_messages": asked,
        "output_messages": answered,
        "output": given(said, "final_result"),
        "model": first_text(said, "model_name"),
    }


def _model(span: SpanRecord) -> Fields:
    said = span.attributes
    events = objects(parsed(said.get("events")))
    answers = [one for one in events if one.get("event.name") == "gen_ai.choice"]
    asked = [one for one in events if one.get("event.name") != "gen_ai.choice"]
    parameters = mapping(said.get("model_request_parameters"))
    offered = [tool for key in _TOOL_LISTS for tool in objects(parameters.get(key))]
    return {
        "input_messages": _conversation(asked),
        "output_messages": read_messages(answers, "assistant"),
        "tools": read_tools(offered),
        "usage": Usage(cost_usd=first_decimal(said, "operation.cost")),
    }


def _conversation(value: Json) -> tuple[Message, ...]:
    """Messages, of which the answer is marked only by the name of its event."""
    return tuple(
        message
        for one in objects(parsed(value))
        for message in read_messages(
            one, "assistant" if one.get("event.name") == "gen_ai.choice" else "user"
        )
    )
