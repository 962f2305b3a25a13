"""Conversations in every shape that providers and frameworks write them.

OpenAI (chat and responses), Anthropic, Gemini, OpenTelemetry, OpenInference,
LangChain (serialised and dumped), the Vercel AI SDK; as objects, as JSON text,
as JSON text within JSON text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from traces.domain.reading.calls import CALL_IDS, read_call
from traces.domain.reading.jsontext import parsed
from traces.domain.reading.parts import COMPACTION, Body, is_part, kind_of
from traces.domain.reading.values import first, joined, objects, text
from traces.domain.records import Json
from traces.domain.view import Message

MAX_MESSAGES = 20_000
ROLES = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "developer": "system",
    "function": "tool",
    "ipython": "tool",
    "choice": "assistant",
    "humanmessage": "user",
    "humanmessagechunk": "user",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "systemmessage": "system",
    "toolmessage": "tool",
    "functionmessage": "tool",
    "chatmessage": "user",
}
_SPEAKERS = frozenset({"human", "ai", "system", "tool", "function", "aimessagechunk"})
_ITEMS = {
    "function_call": "assistant",
    "custom_tool_call": "assistant",
    "reasoning": "assistant",
    "function_call_output": "tool",
    "custom_tool_call_output": "tool",
}
"""Items of OpenAI's responses that are messages without a role."""
_LISTS = ("messages", "contents", "choices", "candidates", "generations")
_PROMPTS = ("prompt", "prompts")
_SINGLES = ("message", "response", "content", "output", "input", "text")
_SAYING = ("tool_calls", "toolCalls", "parts")
"""What only messages have, also where their role is missing."""
_BODY = ("parts", "content", "contents", "text")
_PREFACES = ("system", "system_instruction", "systemInstruction", "instructions")
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
MAX_LEVELS = 8


def read_messages(value: Json, role: str = "user") -> tuple[Message, ...]:
    """Messages of a conversation, oldest first.

    Args:
        value: A list, one message, an object around them, JSON text of these,
            or plain text, which is one message.
        role: Who speaks where a message doesn't say.

    Returns:
        The messages; empty where an object holds none.
    """
    return tuple(_read(value, role, MAX_LEVELS))[:MAX_MESSAGES]


def _read(value: Json, role: str, levels: int) -> list[Message]:
    value = parsed(value)
    if isinstance(value, str):
        return [Message(role, value)] if value else []
    if isinstance(value, list):
        return _listed(value, role, levels)
    if isinstance(value, dict) and levels > 0:
        return _object(value, role, levels - 1)
    return []


def _listed(values: list[Json], role: str, levels: int) -> list[Message]:
    items = [parsed(value) for value in values[:MAX_MESSAGES]]
    if items and all(isinstance(one, str) or is_part(one) for one in items):
        return _message({"content": items}, role)
    if levels <= 0:
        return []
    return [message for item in items for message in _read(item, role, levels - 1)]


def _object(value: dict[str, Json], role: str, levels: int) -> list[Message]:
    inner = _single(value)
    if inner is not None:
        return _read(inner, role, levels)
    if is_message(value):
        return _message(value, role)
    if is_part(value):
        return _message({"content": [value]}, role)
    before = [message for key in _PREFACES for message in _preface(value, key, levels)]
    return before + _read(_conversation(value), role, levels)


def _single(value: dict[str, Json]) -> Json:
    """The message that an object is wrapped around, None if it isn't."""
    for wrapper in ("message", "delta"):
        if isinstance(value.get(wrapper), dict):
            return value[wrapper]
    kwargs, data = value.get("kwargs"), value.get("data")
    if isinstance(kwargs, dict) and "lc" in value:
        return {"type": _class_name(value), **kwargs}
    if isinstance(data, dict) and text(value.get("type")) in _SPEAKERS:
        return {"type": value["type"], **data}
    return None


def _conversation(value: dict[str, Json]) -> Json:
    """The messages that an object holds beside other things."""
    for key in _LISTS:
        listed = parsed(value.get(key))
        if listed and isinstance(listed, (list, str)):
            return listed
    spoken = (value[key] for key in _PROMPTS if value.get(key))
    others = (value[key] for key in _SINGLES if _speaks(value.get(key)))
    return next(chain(spoken, others), None)


def _class_name(value: Mapping[str, Json]) -> str:
    path = value.get("id")
    return text(path[-1]) if isinstance(path, list) and path else ""


def _speaks(value: Json) -> bool:
    """Whether something may be messages: text, or objects that look like them."""
    if isinstance(value, str):
        return bool(value)
    return any(
        is_message(one) or is_part(one) or "parts" in one for one in objects(value)
    )


def _preface(value: Mapping[str, Json], key: str, levels: int) -> list[Message]:
    """A system prompt that stands beside the conversation."""
    config = value.get("config")
    around = value if value.get(key) else config if isinstance(config, dict) else {}
    return _read(around.get(key), "system", levels)


def is_message(value: Json) -> bool:
    """Whether a value is one message."""
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("role"), str) or any(key in value for key in _SAYING):
        return True
    kind = text(value.get("type")).casefold()
    spoken = kind in _SPEAKERS or (kind in ROLES and kind.endswith("message"))
    return (spoken and "content" in value) or (kind in _ITEMS and not is_part(value))


def _message(value: dict[str, Json], role: str) -> list[Message]:
    """One message; several where it holds the results of several tools."""
    inner = value.get("content")
    if isinstance(inner, dict) and "parts" in inner:
        # Gemini's content, in the words of an older convention.
        value = {**value, "role": inner.get("role"), "content": inner["parts"]}
    said = role_of(value, role)
    body = _body(value)
    found = list(_results(body, said, value))
    main = _main(value, body, said)
    return [main, *found] if _says(main) else found


def _body(value: dict[str, Json]) -> Body:
    body = Body()
    if kind_of(value) in _ITEMS:
        body.add([value])
    else:
        body.add(first(value, *_BODY))
    listed = parsed(first(value, "tool_calls", "toolCalls"))
    more = value.get("additional_kwargs")
    if not listed and isinstance(more, dict):
        listed = more.get("tool_calls")
    body.calls += [read_call(one) for one in objects(listed)]
    single = value.get("function_call")
    if isinstance(single, dict) and not body.calls:
        body.calls.append(read_call(single))
    thought = first(value, *_THOUGHTS)
    if isinstance(thought, str):
        body.reasoning.append(thought)
    refusal = text(value.get("refusal"))
    body.texts += [refusal] if refusal else []
    return body


def _main(value: Mapping[str, Json], body: Body, said: str) -> Message:
    answers = said == "tool" and not body.calls and not body.results
    return Message(
        # Some write the call itself as the tool's message.
        role="assistant" if said == "tool" and body.calls else said,
        text=joined(body.texts),
        reasoning=joined(body.reasoning),
        tool_calls=tuple(body.calls),
        call_id=text(first(value, *CALL_IDS)) if answers else "",
        name="" if kind_of(value) in _ITEMS else text(value.get("name")),
        omitted=tuple(body.omitted),
    )


def _results(body: Body, said: str, value: Mapping[str, Json]) -> Iterator[Message]:
    for one in body.results:
        stated = text(first(value, *CALL_IDS)) if said == "tool" else ""
        yield Message("tool", one.words, call_id=one.call_id or stated, name=one.name)
    for words in body.summaries:
        yield Message("system", words, name=COMPACTION)


def _says(message: Message) -> bool:
    return bool(
        message.text
        or message.reasoning
        or message.tool_calls
        or message.omitted
        or message.call_id
    )


def role_of(value: Mapping[str, Json], default: str) -> str:
    """Who speaks: the message's role, else its type, else the default."""
    role = text(value.get("role")).casefold()
    if role:
        return ROLES.get(role, role)
    kind = text(value.get("type")).casefold()
    return (
        _ITEMS.get(kind) or ROLES.get(kind) or (kind if kind in _SPEAKERS else default)
    )


def finish_reason_of(value: Json) -> str:
    """Why a model stopped, where its answer says so; "" elsewhere."""
    value = parsed(value)
    for one in objects(value):
        for inner in (one, *_answers(one)):
            found = first(inner, "finish_reason", "finishReason", "stop_reason")
            if isinstance(found, str):
                return found
    return ""


def _answers(value: Mapping[str, Json]) -> list[dict[str, Json]]:
    for key in ("choices", "candidates"):
        if isinstance(value.get(key), list):
            return objects(value[key])
    return objects(value.get("response_metadata"))


def said_last(messages: tuple[Message, ...], role: str) -> str:
    """The words of the last message of a role that has some."""
    spoken = (m.text for m in reversed(messages) if m.role == role and m.text)
    return next(spoken, "")
