"""Chat messages of any provider in the shape of OpenTelemetry's conventions.

A message is ``{"role", "parts": [{"type": "text", "content"}, …]}`` with parts
``text``, ``reasoning``, ``tool_call`` (``id``, ``name``, ``arguments``),
``tool_call_response`` (``id``, ``response``), and ``uri`` or ``blob`` with a
``modality`` for what isn't text. Arguments that are JSON text are parsed; text
that isn't JSON stays as it is. Read are the messages of OpenAI (chat and
responses), Anthropic, Gemini, LangChain, the Vercel AI SDK and OpenTelemetry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import orjson

from traces.domain.records import Json
from traces.importers.jsontext import value_or_text

Part = dict[str, Json]
GenAiMessage = dict[str, Json]

ROLES = {
    "ai": "assistant",
    "model": "assistant",
    "human": "user",
    "developer": "system",
    "function": "tool",
}
_SPEAKERS = ("human", "ai")
_LISTS = ("messages", "contents", "input_messages", "choices", "candidates")
_SINGLES = ("message", "content")
_MEDIA = ("image", "audio", "video", "file", "document")
_REASONING = ("reasoning_content", "reasoning", "thinking")


def role_of(message: Mapping[str, Json]) -> str:
    """``system``, ``user``, ``assistant``, ``tool`` or the source's own word."""
    role = str(message.get("role") or message.get("type") or "").lower()
    return ROLES.get(role, role)


def is_message(value: Json) -> bool:
    """Whether a value has a role and something said or called."""
    return (
        isinstance(value, dict)
        and (isinstance(value.get("role"), str) or value.get("type") in _SPEAKERS)
        and any(key in value for key in ("content", "parts", "tool_calls", "text"))
    )


def read_messages(value: Json, role: str = "user") -> list[GenAiMessage]:
    """The messages in what was given to or came from a model.

    Args:
        value: A list of messages, one message, an object around them, or text.
        role: Who speaks where the value doesn't say.

    Returns:
        Messages in their order; empty if nothing in the value is one.
    """
    if isinstance(value, str):
        return [text_message(role, value)] if value else []
    if isinstance(value, list):
        return _from_list(value, role)
    return _from_object(value, role) if isinstance(value, dict) else []


def _from_list(values: list[Json], role: str) -> list[GenAiMessage]:
    if values and not any(is_message(v) or _wrapped(v) for v in values):
        parts = [part for block in values for part in _block(block)]
        typed = any(isinstance(v, dict) and _block_type(v) for v in values)
        return [{"role": role, "parts": parts}] if typed and parts else []
    return [m for v in values if isinstance(v, dict) for m in _from_object(v, role)]


def _wrapped(value: Json) -> bool:
    """Whether an object is only the wrapping of one message."""
    inner = value.get("message", value.get("content")) if isinstance(value, dict) else 0
    return isinstance(inner, dict)


def _from_object(value: dict[str, Json], role: str) -> list[GenAiMessage]:
    if is_message(value):
        return [read_message(value)]
    for key in _LISTS:
        if isinstance(value.get(key), list):
            return _preface(value) + _from_list(value[key], role)
    if isinstance(value.get("prompt"), str):
        return [*_preface(value), text_message("user", value["prompt"])]
    for key in _SINGLES:
        if key in value:
            found = read_messages(value[key], role)
            return [_finished(message, value) for message in found]
    return []


def _preface(value: dict[str, Json]) -> list[GenAiMessage]:
    system = value.get("system")
    return [text_message("system", system)] if isinstance(system, str) else []


def _finished(message: GenAiMessage, around: Mapping[str, Json]) -> GenAiMessage:
    reason = around.get("finish_reason") or around.get("finishReason")
    return message | {"finish_reason": reason} if isinstance(reason, str) else message


def text_message(role: str, text: str) -> GenAiMessage:
    """A message that is only text."""
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def read_message(message: Mapping[str, Json]) -> GenAiMessage:
    """One message with all its parts."""
    role = role_of(message)
    parts = [*_reasoning(message), *_content(message, role), *_calls(message)]
    if parts and all(part["type"] == "tool_call_response" for part in parts):
        role = "tool"
    read: GenAiMessage = {"role": role, "parts": parts}
    name = message.get("name")
    if isinstance(name, str) and name:
        read["name"] = name
    return _finished(read, message)


def _reasoning(message: Mapping[str, Json]) -> Iterator[Part]:
    for key in _REASONING:
        text = message.get(key)
        if isinstance(text, str) and text:
            yield {"type": "reasoning", "content": text}
            return


def _content(message: Mapping[str, Json], role: str) -> Iterator[Part]:
    content = next(
        (message[key] for key in ("content", "parts", "text") if message.get(key)),
        message.get("content"),
    )
    if role == "tool" and not _has_responses(content):
        call = message.get("tool_call_id") or message.get("id") or ""
        yield {
            "type": "tool_call_response",
            "id": str(call),
            "response": plain(content),
        }
        return
    yield from _blocks(content)
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal:
        yield {"type": "text", "content": refusal}


def _has_responses(content: Json) -> bool:
    return isinstance(content, list) and any(
        part["type"] == "tool_call_response" for part in _blocks(content)
    )


def _blocks(content: Json) -> Iterator[Part]:
    if content is None or content == "":
        return
    for block in content if isinstance(content, list) else [content]:
        yield from _block(block)


def _block(block: Json) -> list[Part]:
    """The parts one content block stands for."""
    if isinstance(block, str):
        return _text_parts(block)
    if not isinstance(block, dict):
        return [{"type": "text", "content": as_text(block)}]
    read = _BLOCKS.get(_block_type(block))
    if read:
        part = read(block)
        return [part] if part else []
    known = _media(block) or (dict(block) if _is_typed(block) else None)
    return [known or {"type": "text", "content": as_text(block)}]


def _text_parts(text: str) -> list[Part]:
    """Text; calls where the text is nothing but a list of calls (Koog)."""
    if text.startswith('[{"') and '"function"' in text[:200]:
        calls = value_or_text(text)
        if isinstance(calls, list) and all(_is_call(call) for call in calls):
            return [_call(call) for call in calls]
    return [{"type": "text", "content": text}] if text else []


def _is_call(value: Json) -> bool:
    function = value.get("function") if isinstance(value, dict) else None
    return isinstance(function, dict) and isinstance(function.get("name"), str)


def _is_typed(block: Mapping[str, Json]) -> bool:
    return isinstance(block.get("type"), str) and bool(block["type"])


def _block_type(block: Mapping[str, Json]) -> str:
    """The block's own type, or what its keys tell (Gemini, Vercel)."""
    kind = block.get("type")
    if isinstance(kind, str) and kind:
        return kind
    for key in (
        "functionCall",
        "function_call",
        "functionResponse",
        "toolName",
        "text",
    ):
        if key in block:
            return key
    return "functionResponse" if "function_response" in block else ""


def _text(block: Mapping[str, Json]) -> Part | None:
    text = block.get("text", block.get("content"))
    return {"type": "text", "content": as_text(text)} if text else None


def _thought(block: Mapping[str, Json]) -> Part | None:
    keys = ("thinking", "content", "text", "reasoning", "summary")
    found = next((block[key] for key in keys if block.get(key)), None)
    return {"type": "reasoning", "content": plain_text(found)} if found else None


def _gemini_call(block: Mapping[str, Json]) -> Part | None:
    call = block.get("functionCall") or block.get("function_call")
    return _call(call) if isinstance(call, dict) else None


def _gemini_response(block: Mapping[str, Json]) -> Part | None:
    given = block.get("functionResponse") or block.get("function_response")
    return _response(given) if isinstance(given, dict) else None


def _call(call: Mapping[str, Json]) -> Part:
    """A tool call in any spelling."""
    inner = call.get("function")
    source = inner if isinstance(inner, dict) else call
    name = source.get("name") or source.get("toolName") or inner
    arguments = next(
        (
            source[k]
            for k in ("arguments", "input", "args")
            if source.get(k) is not None
        ),
        None,
    )
    if isinstance(arguments, str):
        arguments = value_or_text(arguments)
    call_id = call.get("call_id") or call.get("id") or call.get("toolCallId") or ""
    part: Part = {"type": "tool_call", "id": str(call_id), "name": str(name or "")}
    return part | {"arguments": arguments}


def _response(block: Mapping[str, Json]) -> Part:
    """A tool's result in any spelling."""
    keys = ("response", "content", "result", "output")
    given = next((block[key] for key in keys if block.get(key) is not None), None)
    ids = ("tool_use_id", "tool_call_id", "call_id", "toolCallId", "id")
    call_id = next((block[key] for key in ids if block.get(key)), "")
    part: Part = {"type": "tool_call_response", "id": str(call_id)}
    failed = {"is_error": True} if block.get("is_error") else {}
    return part | {"response": plain(given)} | failed


def _calls(message: Mapping[str, Json]) -> Iterator[Part]:
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        yield from (_call(call) for call in calls if isinstance(call, dict))
    elif isinstance(message.get("function_call"), dict):
        yield _call(message["function_call"])


def _media(block: Mapping[str, Json]) -> Part | None:
    """A reference to an image, a sound or a file; its data stays as sent."""
    kind = str(block.get("type") or "")
    modality = next((word for word in _MEDIA if word in kind), "")
    if not modality:
        return dict(block) if isinstance(block.get("modality"), str) else None
    given = block.get("image_url") or block.get("source") or block.get(kind) or {}
    uri = given if isinstance(given, str) else _uri(given)
    if uri and not uri.startswith("data:"):
        return {"type": "uri", "modality": modality, "uri": uri}
    return {"type": "blob", "modality": modality, "content": as_text(uri or given)}


def _uri(given: Json) -> str:
    found = (given.get("url") or given.get("uri")) if isinstance(given, dict) else ""
    return found if isinstance(found, str) else ""


def plain(value: Json) -> Json:
    """A result: text blocks joined to one text, anything else as it is."""
    if isinstance(value, list) and value and all(_is_text(item) for item in value):
        return "\n".join(
            item if isinstance(item, str) else item["text"] for item in value
        )
    return value


def plain_text(value: Json) -> str:
    """A result as text."""
    return as_text(plain(value))


def _is_text(block: Json) -> bool:
    if isinstance(block, dict):
        return set(block) <= {
            "type",
            "text",
            "citations",
            "annotations",
        } and isinstance(block.get("text"), str)
    return isinstance(block, str)


def as_text(value: Json) -> str:
    """Text as it is, anything else as JSON text."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def text_of(message: Mapping[str, Json]) -> str:
    """The text parts of a read message, joined by newlines."""
    return "\n".join(
        part["content"] for part in message["parts"] if part["type"] == "text"
    )


_BLOCKS: Mapping[str, Callable[[Mapping[str, Any]], Part | None]] = {
    "text": _text,
    "input_text": _text,
    "output_text": _text,
    "refusal": _text,
    "thinking": _thought,
    "reasoning": _thought,
    "redacted_thinking": lambda block: None,
    "tool_use": _call,
    "server_tool_use": _call,
    "tool_call": _call,
    "tool-call": _call,
    "function": _call,
    "toolName": _call,
    "function_call": lambda b: _gemini_call(b) or _call(b),
    "functionCall": _gemini_call,
    "tool_result": _response,
    "tool-result": _response,
    "tool_call_response": _response,
    "function_call_output": _response,
    "functionResponse": _gemini_response,
}
