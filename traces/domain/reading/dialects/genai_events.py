"""GenAI messages in span events (and in log records that became events)."""

from __future__ import annotations

from collections.abc import Mapping

from traces.domain.reading.calls import read_tools
from traces.domain.reading.dialects.genai import SYSTEM, messages_in
from traces.domain.reading.fields import Fields
from traces.domain.reading.jsontext import parsed
from traces.domain.reading.messages import is_message, read_messages
from traces.domain.reading.values import first, first_text
from traces.domain.records import Json, SpanEvent, SpanRecord
from traces.domain.view import Message, Role

DETAILS = "gen_ai.client.inference.operation.details"
ASKED_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.content.prompt": "user",
}
ANSWER_EVENTS = frozenset({"gen_ai.choice", "gen_ai.content.completion"})
_BODIES = ("body", "gen_ai.event.content", "gen_ai.prompt", "gen_ai.completion")
_AROUND = ("role", "message", "messages", "contents", "choices", "candidates")
ELIDED = frozenset({"<elided>", "__REDACTED__", "[REDACTED]", "<redacted>"})
"""What senders write in place of content that they don't record."""


def read_genai_events(span: SpanRecord) -> Fields:
    """Fields that GenAI events give."""
    events = [event for event in span.events if event.name.startswith("gen_ai.")]
    if not events:
        return {}
    found: Fields = {}
    for event in events:
        if event.name == DETAILS:
            found |= _details(event.attributes)
    said = [(event, _body(event)) for event in events]
    asked = [
        message
        for event, body in said
        if event.name in ASKED_EVENTS
        for message in _messages(body, ASKED_EVENTS[event.name])
    ]
    answered = [
        message
        for event, body in said
        if event.name in ANSWER_EVENTS
        for message in _messages(body, "assistant")
    ]
    found.setdefault("input_messages", _told(asked))
    found.setdefault("output_messages", _told(answered))
    found.setdefault("finish_reason", _finish(said))
    found["content_omitted"] = any(one.text in ELIDED for one in (*asked, *answered))
    if found["input_messages"] or found["output_messages"]:
        # The weakest hint: agents and tools have such events, too.
        found["role"] = Role.LLM
    return found


def _details(said: Mapping[str, Json]) -> Fields:
    asked, answered = messages_in(said)
    found: Fields = {"tools": read_tools(said.get("gen_ai.tool.definitions"))}
    if asked or said.get(SYSTEM) is not None:
        found["input_messages"] = asked
    if answered:
        found["output_messages"] = answered
    return found


def _told(messages: list[Message]) -> tuple[Message, ...]:
    return tuple(one for one in messages if one.text not in ELIDED)


def _body(event: SpanEvent) -> Json:
    """What an event says: its body, or its attributes where it has none."""
    body = parsed(first(event.attributes, *_BODIES))
    if body is not None:
        return body
    own = {
        key: value
        for key, value in event.attributes.items()
        if not key.startswith(("gen_ai.", "event.", "otel."))
    }
    if "message" in own:
        message = parsed(own["message"])
        if isinstance(message, dict) and is_message(message):
            own["message"] = message
        else:
            # A result in itself, which may be any JSON: it stays as it came.
            own["content"] = own.pop("message")
    return own or None


def _messages(body: Json, role: str) -> tuple[Message, ...]:
    if isinstance(body, dict) and not any(key in body for key in _AROUND):
        body = {"role": role, **body}
    return read_messages(body, role)


def _finish(said: list[tuple[SpanEvent, Json]]) -> str:
    for event, body in said:
        if event.name in ANSWER_EVENTS:
            inner = body if isinstance(body, dict) else {}
            found = first_text(inner, "finish_reason") or first_text(
                event.attributes, "finish_reason"
            )
            if found:
                return found
    return ""
