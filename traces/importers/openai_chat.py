"""Messages in OpenAI's chat format: what most programs log of a conversation.

A file holds one conversation (a list of messages, or one message a line) or
many (objects with ``messages``, as a list or one a line; or a list a line).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from traces.domain.records import Json, Reject, TraceRecord
from traces.importers.base import Limits, Sample, fit_id
from traces.importers.chat import Conversation, tool_definitions
from traces.importers.jsonstream import Item, JsonSource, digest
from traces.importers.messages import is_message, role_of

NAME = "openai_chat"
LABEL = "Chat messages (OpenAI)"

_ROLES = {"system", "user", "assistant", "tool"}
_LISTS = ("messages", "conversation")
_IDS = ("trace_id", "id", "conversation_id")
_SESSIONS = ("session_id", "conversation_id", "thread_id")
_KNOWN = {*_LISTS, *_IDS, *_SESSIONS, "tools", "model", "name", "tags", "choices"}
_SHORTEST_ID = 16
"""Shorter ids are row numbers, which are the same in every file."""


def recognises(sample: Sample) -> bool:
    """Messages with the roles of a chat, or objects that hold a list of them."""
    if isinstance(sample.value, list):
        return _are_messages(sample.value) or _messages(sample.first) is not None
    return _is_chat(sample.value) or _messages(sample.value) is not None


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one conversation after another."""
    values = JsonSource(source, limits=limits, name=name)
    first = values.sample.value
    if values.sample.lines and _is_chat(first):
        yield from _one_message_a_line(values, limits)
        return
    whole = isinstance(first, list) and _are_messages(first)
    for item in values.documents() if whole else values.items():
        yield item if isinstance(item, Reject) else _trace(item)


def _is_chat(value: Json) -> bool:
    return is_message(value) and role_of(value) in _ROLES


def _are_messages(values: list[Json]) -> bool:
    return bool(values) and _is_chat(values[0])


def _messages(value: Json) -> list[Json] | None:
    """The conversation in one item, None if it has none."""
    if isinstance(value, list):
        return value if _are_messages(value) else None
    if not isinstance(value, dict):
        return None
    for key in _LISTS:
        found = value.get(key)
        if isinstance(found, list) and _are_messages(found):
            return found + _answer(value)
    return None


def _answer(value: dict[str, Json]) -> list[Json]:
    """The completion that was logged beside its request."""
    choices = value.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return [message] if isinstance(message, dict) else []


def _one_message_a_line(
    values: JsonSource, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    messages: list[Json] = []
    notes: list[Reject] = []
    size, place = 0, ""
    for item in values.documents():
        if isinstance(item, Reject):
            yield item
            continue
        size, place = size + item.size, place or item.place
        if size > limits.max_trace_bytes:
            reason = f"longer than the {limits.max_trace_bytes} bytes allowed."
            yield Reject("trace", item.place, reason, "too_long")
            return
        messages.append(item.value)
        notes.extend(item.notes)
    yield _trace(Item(messages, place, size, tuple(notes)))


def _trace(item: Item) -> TraceRecord | Reject:
    value, messages = item.value, _messages(item.value)
    if messages is None:
        reason = "no list of chat messages here."
        return Reject("trace", item.place, reason, "no_messages")
    about = value if isinstance(value, dict) else {}
    talk = Conversation(
        _trace_id(about, messages),
        tools=tool_definitions(about.get("tools")),
        model=about["model"] if isinstance(about.get("model"), str) else "",
    )
    talk.add_all(messages)
    return TraceRecord(
        talk.trace_id,
        tuple(talk.spans),
        attributes=_attributes(about),
        rejects=item.notes,
    )


def _trace_id(about: dict[str, Json], messages: list[Json]) -> str:
    given = next((about[key] for key in _IDS if about.get(key)), None)
    if isinstance(given, str) and len(given) >= _SHORTEST_ID:
        return fit_id(given, fallback="")
    return f"chat-{digest([given, messages])}"


def _attributes(about: dict[str, Json]) -> dict[str, Json]:
    session = next((about[key] for key in _SESSIONS if about.get(key)), None)
    found = {
        "name": about.get("name"),
        "session": str(session) if session else None,
        "tags": about.get("tags"),
        "extra": {key: about[key] for key in about if key not in _KNOWN},
    }
    return {key: value for key, value in found.items() if value}
