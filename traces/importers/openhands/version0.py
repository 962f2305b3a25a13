"""Events of version 0: actions, and observations that name their action."""

from __future__ import annotations

from collections.abc import Iterator

from traces.domain.records import Json
from traces.importers.gather import Found
from traces.importers.jsonstream import Item
from traces.importers.messages import Part, as_text
from traces.importers.talk import Moment, Talk
from traces.importers.times import nanoseconds
from traces.importers.values import (
    amount,
    fields,
    first_text,
    kept,
    text,
    usage_attributes,
)

_IGNORED = {"null", "agent_state_changed", "change_agent_state"}
_SAID = {"message", "finish"}
_NO_ARGUMENTS = {"thought", "hidden", "confirmation_state", "security_risk"}
_LONGEST_ERROR = 300

Event = dict[str, Json]


def take(talk: Talk, item: Item) -> Iterator[Found]:
    """Take one event."""
    event, number = fields(item.value), talk.next()
    span_id = f"m{event.get('id', number)}"[:128]
    moment = Moment(span_id, nanoseconds(event.get("timestamp")), item)
    action, seen = text(event.get("action")), text(event.get("observation"))
    if {action, seen} & _IGNORED:
        return
    if seen:
        yield from _observation(talk, event, moment)
    elif action == "system":
        words = first_text(fields(event.get("args")), "content")
        yield from talk.outside("system", words, moment)
    elif event.get("source") != "agent":
        kind = "user" if event.get("source") == "user" else "environment"
        yield from talk.outside(kind, _words(event), moment)
    elif action:
        yield from _action(talk, event, moment)


def _words(event: Event) -> str:
    arguments = fields(event.get("args"))
    return first_text(arguments, "content", "final_thought") or first_text(
        event, "content", "message"
    )


def _action(talk: Talk, event: Event, moment: Moment) -> Iterator[Found]:
    metadata = fields(event.get("tool_call_metadata"))
    response = fields(metadata.get("model_response"))
    arguments = fields(event.get("args"))
    parts: list[Part] = []
    if thought := first_text(arguments, "thought"):
        parts.append({"type": "text", "content": thought})
    if event["action"] in _SAID:
        parts.append({"type": "text", "content": _words(event)})
    else:
        given = {k: v for k, v in arguments.items() if k not in _NO_ARGUMENTS}
        call_id = first_text(metadata, "tool_call_id") or f"action-{event.get('id')}"
        talk.act(str(event.get("id")), call_id)
        call: Part = {"type": "tool_call", "id": call_id}
        name = first_text(metadata, "function_name") or text(event["action"])
        parts.append(call | {"name": name, "arguments": given})
    yield from talk.speak(
        parts,
        moment,
        response=first_text(response, "id"),
        model=first_text(response, "model"),
        more=usage_attributes(response.get("usage")),
    )


def _observation(talk: Talk, event: Event, moment: Moment) -> Iterator[Found]:
    content, extras = event.get("content"), fields(event.get("extras"))
    call_id = talk.caused(str(event.get("cause")))
    if not call_id:
        words = as_text(content) if content else first_text(event, "message")
        yield from talk.outside("environment", words, moment)
        return
    code = _exit_code(extras)
    error = ""
    if event["observation"] == "error":
        error = as_text(content)[:_LONGEST_ERROR] or "error"
    elif code:
        error = f"exit code {code}"
    more = kept({"openhands.exit_code": code, "openhands.path": extras.get("path")})
    yield from talk.answer(
        call_id,
        content,
        moment,
        name=text(event["observation"]),
        error=error,
        more=more,
    )


def _exit_code(extras: Event) -> int | None:
    places = (extras, fields(extras.get("metadata")))
    found = (amount(place.get("exit_code")) for place in places)
    code = next((one for one in found if one is not None), None)
    # -1 says that the command was still running.
    return int(code) if code is not None and 0 <= code < 2**31 else None
