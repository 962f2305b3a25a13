"""Messages in every shape that providers and frameworks write them."""

from __future__ import annotations

from collections.abc import Iterable

from traces.domain.reading.values import (
    dicts,
    first,
    joined,
    parsed,
    text,
    under,
)
from traces.domain.records import Json
from traces.domain.view import Message, ToolCall, ToolDefinition

MAX_MESSAGES = 5_000
ROLES = {
    "human": "user",
    "ai": "assistant",
    "model": "assistant",
    "developer": "system",
    "function": "tool",
    "choice": "assistant",
    "humanmessage": "user",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "systemmessage": "system",
    "toolmessage": "tool",
}
NOT_TEXT = ("image", "audio", "video", "file", "document", "blob", "uri")


def read_messages(value: Json, role: str = "user") -> tuple[Message, ...]:
    """Messages of a conversation, oldest first.

    Args:
        value: A list, one message, an object that holds a list, or JSON text
            of these. Plain text is one message.
        role: Role of messages that don't say theirs.
    """
    value = parsed(value)
    if isinstance(value, str):
        return (Message(role, value),) if value else ()
    if isinstance(value, dict):
        inner = first(value, "messages", "contents", "choices", "candidates", "generations")
        if isinstance(parsed(inner), list):
            return read_messages(inner, role)
    items = value if isinstance(value, list) else [value]
    found: list[Message] = []
    for item in items[:MAX_MESSAGES]:
        if isinstance(item, list):
            found.extend(message for one in item for message in _read(one, role))
        else:
            found.extend(_read(item, role))
    return tuple(found)


def _read(item: Json, role: str) -> list[Message]:
    item = parsed(item)
    if isinstance(item, str):
        return [Message(role, item)] if item else []
    if not isinstance(item, dict):
        return []
    for wrapper in ("message", "delta"):
        if isinstance(item.get(wrapper), dict):
            return _read(item[wrapper], role)
    if "kwargs" in item and isinstance(item["kwargs"], dict):
        kind = str(item.get("id", [""])[-1] if isinstance(item.get("id"), list) else "")
        return _read({"type": kind, **item["kwargs"]}, role)
    return _one(item, role)


def _one(item: dict[str, Json], role: str) -> list[Message]:
    said = _role(item, role)
    parts = first(item, "parts", "content", "contents", "text")
    parts = parsed(parts) if not isinstance(parts, str) else parts
    body = _Body()
    body.add(parts)
    calls = [*body.calls, *_calls(item)]
    reasoning = joined(
        [*body.reasoning, text(first(item, "reasoning_content", "reasoning", "thinking"))]
    )
    result_id = text(first(item, "tool_call_id", "call_id")) if said == "tool" else ""
    messages = []
    words = joined(body.texts) or text(item.get("refusal"))
    plain = Message(
        said, words, reasoning, tuple(calls), result_id, text(item.get("name")),
        tuple(body.omitted),
    )  # fmt: skip
    if words or reasoning or calls or body.omitted or not body.results:
        messages.append(plain)
    messages += [Message("tool", words, call_id=call) for call, words in body.results]
    return messages if any(_says(one) for one in messages) else []


def _says(message: Message) -> bool:
    return bool(
        message.text
        or message.reasoning
        or message.tool_calls
        or message.omitted
        or message.call_id
    )


def _role(item: dict[str, Json], default: str) -> str:
    role = text(item.get("role")) or text(item.get("type"))
    role = role.casefold()
    if role in {"text", "message", "input_text", ""}:
        return default
    return ROLES.get(role, role)


class _Body:
    """What the parts of one message hold."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.reasoning: list[str] = []
        self.calls: list[ToolCall] = []
        self.results: list[tuple[str, str]] = []
        self.omitted: list[str] = []

    def add(self, parts: Json) -> None:
        """Sort parts by what they are."""
        if isinstance(parts, (str, int, float)) and not isinstance(parts, bool):
            self.texts.append(str(parts))
            return
        for part in parts if isinstance(parts, list) else [parts]:
            if isinstance(part, str):
                self.texts.append(part)
            elif isinstance(part, dict):
                self._part(part)

    def _part(self, part: dict[str, Json]) -> None:
        part = _unwrapped(part)
        kind = text(part.get("type")).casefold().replace("-", "_")
        if kind in {"tool_call", "tool_use", "function_call", "toolcall"}:
            self.calls.append(read_call(part))
        elif "functionCall" in part or "function_call" in part:
            self.calls.append(read_call(first(part, "functionCall", "function_call")))
        elif kind in {"tool_call_response", "tool_result", "function_response"}:
            self._result(part)
        elif "functionResponse" in part or "function_response" in part:
            self._result(first(part, "functionResponse", "function_response"))
        elif kind in {"reasoning", "thinking", "redacted_thinking"}:
            self.reasoning.append(_words(first(part, "content", "text", "thinking")))
        elif any(word in kind for word in NOT_TEXT) or "inlineData" in part:
            self.omitted.append(kind or "file")
        else:
            self.texts.append(_words(first(part, "content", "text", "output_text")))

    def _result(self, part: Json) -> None:
        call = text(first(part, "id", "tool_use_id", "tool_call_id", "call_id")) if isinstance(part, dict) else ""
        value = first(part, "response", "result", "content", "output") if isinstance(part, dict) else part
        self.results.append((call, _words(value)))


def _unwrapped(part: dict[str, Json]) -> dict[str, Json]:
    """OpenInference wraps a part once more: ``message_content``."""
    inner = part.get("message_content")
    return inner if isinstance(inner, dict) else part


def _words(value: Json) -> str:
    """Text of a content value; objects as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [under(one, "text") if isinstance(one, dict) else one for one in value]
        if all(isinstance(one, str) for one in parts):
            return joined(str(one) for one in parts)
    return as_text(value)


def as_text(value: Json) -> str:
    """A value as text: text itself, JSON for the rest, "" for nothing."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    import json  # noqa: PLC0415  # only for structured results

    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, TypeError, RecursionError):
        return str(type(value).__name__)


def _calls(item: dict[str, Json]) -> list[ToolCall]:
    listed = parsed(first(item, "tool_calls", "toolCalls"))
    calls = [read_call(_tool_call(one)) for one in dicts(listed)]
    single = item.get("function_call")
    if isinstance(single, dict):
        calls.append(read_call(single))
    return calls


def _tool_call(item: dict[str, Json]) -> dict[str, Json]:
    inner = item.get("tool_call")
    return inner if isinstance(inner, dict) else item


def read_call(value: Json) -> ToolCall:
    """A tool call in any provider's words."""
    if not isinstance(value, dict):
        return ToolCall(text(value))
    function = value.get("function")
    inner = function if isinstance(function, dict) else value
    name = text(first(inner, "name", "toolName", "tool_name")) or text(function)
    raw = first(inner, "arguments", "args", "input", "parameters")
    arguments, problem = read_arguments(raw)
    call_id = text(first(value, "id", "call_id", "tool_call_id", "toolCallId"))
    return ToolCall(name, arguments, call_id, problem)


def read_arguments(raw: Json) -> tuple[Json, str]:
    """Arguments of a call, and why they could not be parsed ("" if they could)."""
    if not isinstance(raw, str):
        return raw, ""
    found = parsed(raw)
    if not isinstance(found, str):
        return found, ""
    stripped = raw.strip()
    if stripped[:1] in {"{", "["}:
        return raw, "not valid JSON"
    return raw, ""


def read_tools(value: Json) -> tuple[ToolDefinition, ...]:
    """Tool definitions in any provider's words; names are unique."""
    found: dict[str, ToolDefinition] = {}
    for item in _definitions(parsed(value)):
        function = item.get("function")
        inner = function if isinstance(function, dict) else item
        name = text(inner.get("name"))
        if name:
            schema = first(inner, "parameters", "input_schema", "inputSchema", "parametersJsonSchema")
            tool = ToolDefinition(name, text(inner.get("description")), parsed(schema))
            found.setdefault(name, tool)
    return tuple(found.values())


def _definitions(value: Json) -> Iterable[dict[str, Json]]:
    items = [parsed(one) for one in value] if isinstance(value, list) else [value]
    for item in dicts(items):
        for wrapper in ("tool", "json_schema"):
            wrapped = parsed(item.get(wrapper))
            if isinstance(wrapped, dict):
                item = wrapped  # noqa: PLW2901  # unwrapped
        inner = first(item, "functionDeclarations", "function_declarations")
        if isinstance(inner, list):
            yield from dicts(inner)
        else:
            yield item
