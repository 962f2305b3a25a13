"""What follows from the fields that the dialects gave, by the span's role."""

from __future__ import annotations

from dataclasses import replace

from traces.domain.reading.calls import read_tools, run_arguments
from traces.domain.reading.dialects.genai_events import ELIDED
from traces.domain.reading.errors import failure, flagged_error
from traces.domain.reading.fields import Fields
from traces.domain.reading.messages import (
    finish_reason_of,
    read_messages,
    said_last,
)
from traces.domain.reading.parts import result_words
from traces.domain.reading.usage import settled
from traces.domain.reading.values import first, text
from traces.domain.records import Json, SpanRecord
from traces.domain.view import NO_USAGE, Message, Role, ToolCall

RUNS = frozenset({Role.TOOL, Role.RETRIEVER, Role.HANDOFF})
_PREFIXES = ("execute_tool ", "running tool: ", "tools/call ", "tool.")


def complete(span: SpanRecord, role: Role, found: Fields) -> None:
    """Fill in what is said in another place or another shape, in place."""
    if "usage" in found:
        found["usage"] = settled(found["usage"])
    if role is Role.LLM:
        _model(found)
    elif role in RUNS:
        _run(span, role, found)
    elif role is not Role.BOUNDARY:
        _container(found)
    if role is Role.AGENT and not found.get("agent"):
        found["agent"] = span.name.removeprefix("invoke_agent ").strip()


def _model(found: Fields) -> None:
    """Messages out of input and output; and whether content was recorded."""
    asked, output = found.get("input"), found.get("output")
    if not found.get("input_messages"):
        found["input_messages"] = read_messages(asked)
    if not found.get("output_messages"):
        found["output_messages"] = read_messages(output, "assistant")
    if not found.get("tools") and isinstance(asked, dict):
        found["tools"] = read_tools(first(asked, "tools", "functions"))
    if not found.get("finish_reason"):
        found["finish_reason"] = finish_reason_of(output)
    found["content_omitted"] = _omitted(found)


def _omitted(found: Fields) -> bool:
    """Whether a model call that took place shows neither what it got nor gave."""
    messages = (*found.get("input_messages", ()), *found.get("output_messages", ()))
    if any(one.text in ELIDED for one in messages):
        return True
    if messages or found.get("input") is not None or found.get("output") is not None:
        return False
    took_place = found.get("usage", NO_USAGE).output or found.get("finish_reason")
    return bool(found.get("content_omitted") or took_place) and not found.get("error")


def _run(span: SpanRecord, role: Role, found: Fields) -> None:
    """The call that was run, what it gave, and whether a flag says it failed."""
    call = found.get("call") or ToolCall("")
    asked, answered = _in_messages(found)
    call = replace(
        call, name=call.name or asked.name, call_id=call.call_id or asked.call_id
    )
    if call.arguments is None:
        arguments, malformed = run_arguments(found.get("input"))
        if arguments is None:
            arguments, malformed = asked.arguments, asked.malformed
        call = replace(call, arguments=arguments, malformed=malformed)
    if found.get("output") is None and answered is not None:
        found["output"] = answered
    output, call_id = _unwrapped(found.get("output"))
    found["output"] = output
    found["call"] = replace(
        call, name=call.name or _name(span), call_id=call.call_id or call_id
    )
    if found.get("input") is None:
        found["input"] = call.arguments
    if role is Role.TOOL:
        found["error"] = failure(found.get("error", ""), output)


def _name(span: SpanRecord) -> str:
    name = span.name
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _in_messages(found: Fields) -> tuple[ToolCall, Json]:
    """Call and result of a tool whose span has them as messages."""
    messages = (*found.get("input_messages", ()), *found.get("output_messages", ()))
    calls = [call for one in messages for call in one.tool_calls]
    answers = [one for one in messages if one.role == "tool"]
    call = calls[0] if calls else ToolCall("")
    given = found.get("input_messages", ())
    if not calls and given:
        # Some write the arguments as the tool's message and the result as its answer.
        arguments, malformed = run_arguments(given[-1].text)
        call = ToolCall(given[-1].name, arguments, given[-1].call_id, malformed)
        answers = list(found.get("output_messages", ()))
    return call, answers[-1].text if answers else None


def _unwrapped(output: Json) -> tuple[Json, str]:
    """A result without the message around it, and the call that this names."""
    alone = isinstance(output, dict) and len(output) == 1
    said = _answer(output["output"] if alone and "output" in output else output)
    if said is None:
        return output, ""
    call_id = text(said.get("tool_call_id"))
    failed = bool(flagged_error(said))
    return (said if failed else result_words(said.get("content"))), call_id


def _answer(value: Json) -> dict[str, Json] | None:
    """A tool's message, as LangChain writes it in several ways; else None."""
    if not isinstance(value, dict):
        return None
    for wrapper in ("kwargs", "data"):
        if isinstance(value.get(wrapper), dict):
            value = value[wrapper]
            break
    return value if "tool_call_id" in value and "content" in value else None


def _container(found: Fields) -> None:
    """What an agent was asked and answered, out of its messages."""
    if found.get("input") is None:
        asked = said_last(found.get("input_messages", ()), "user")
        found["input"] = asked or _any_text(found.get("input_messages", ()))
    if found.get("output") is None:
        answered = said_last(found.get("output_messages", ()), "assistant")
        found["output"] = answered or None


def _any_text(messages: tuple[Message, ...]) -> Json:
    return next((one.text for one in reversed(messages) if one.text), None)
