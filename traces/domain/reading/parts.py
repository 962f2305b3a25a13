"""The parts of one message: text, thinking, tool calls, results, the rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from traces.domain.reading.calls import CALL_IDS, read_call
from traces.domain.reading.jsontext import dumps, parsed
from traces.domain.reading.values import first, text
from traces.domain.records import Json
from traces.domain.view import ToolCall

TEXTS = frozenset(
    {"text", "input_text", "output_text", "summary_text", "refusal", "plain_text"}
)
REASONING = frozenset(
    {"reasoning", "thinking", "thought", "redacted_thinking", "reasoning_text"}
)
CALLS = frozenset({"tool_call", "tool_use", "function_call", "function", "toolcall"})
RESULTS = frozenset(
    {
        "tool_result",
        "tool_call_response",
        "function_response",
        "function_call_output",
        "tool_response",
    }
)
SERVER_TOOLS = (
    "server_tool",
    "web_search",
    "file_search",
    "code_",
    "computer_",
    "mcp_",
)
"""Tools that ran at the provider: no call that the run itself had to make."""
MEDIA = ("image", "audio", "video", "file", "document", "blob", "uri")
COMPACTION = "compaction"
_WORDS = ("text", "content", "refusal", "output_text", "value")
_THOUGHTS = ("content", "text", "thinking", "reasoning", "summary", "data")
_ANSWERS = ("response", "result", "content", "output", "tool_call_response")
# Gemini and Bedrock name the kind of a part by its key.
_CALL = ("functionCall", "function_call", "toolUse")
_RESULT = ("functionResponse", "function_response", "toolResult")
_MEDIA = ("inlineData", "inline_data", "fileData", "file_data")
MAX_PARTS = 10_000
MAX_KIND = 40


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool gave: the call it answers, its name, its words."""

    call_id: str
    name: str
    words: str


@dataclass
class Body:
    """What the parts of one message hold, sorted by kind."""

    texts: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    omitted: list[str] = field(default_factory=list)
    summaries: list[str] = field(default_factory=list)

    def add(self, content: Json) -> None:
        """Sort the content of a message: text, one part or a list of parts."""
        listed = parsed(content) if _lists_parts(content) else content
        items = listed if isinstance(listed, list) else [listed]
        for part in items[:MAX_PARTS]:
            if isinstance(part, dict):
                self._part(part)
            elif part is not None:
                self.texts.append(dumps(part))

    def _part(self, part: dict[str, Json]) -> None:
        inner = part.get("message_content")
        part = inner if isinstance(inner, dict) else part
        kind = kind_of(part)
        if kind in CALLS:
            self.calls.append(read_call(first(part, *_CALL) or part))
        elif kind in RESULTS:
            self.results.append(_result(part))
        elif kind in REASONING or part.get("thought") is True:
            self.reasoning.append(_words(part, _THOUGHTS))
        elif kind == COMPACTION:
            self.summaries.append(_words(part, _WORDS))
        elif kind.startswith(SERVER_TOOLS) or any(word in kind for word in MEDIA):
            self.omitted.append(_omission(part, kind))
        else:
            self._text(part, kind)

    def _text(self, part: dict[str, Json], kind: str) -> None:
        words = _words(part, _WORDS)
        if words or kind in TEXTS:
            self.texts.append(words)
        elif kind:
            self.omitted.append(kind[:MAX_KIND])


def kind_of(part: Mapping[str, Json]) -> str:
    """What a part is; "" if nothing tells."""
    kind = text(part.get("type")) or text(part.get("kind"))
    if kind:
        return kind.casefold().replace("-", "_")
    if first(part, *_CALL) is not None:
        return "function_call"
    if first(part, *_RESULT) is not None:
        return "function_response"
    if first(part, *_MEDIA) is not None:
        return "file"
    return "text" if isinstance(part.get("text"), str) else ""


def is_part(value: Json) -> bool:
    """Whether a value is a part of a message rather than a message."""
    if not isinstance(value, dict) or value.get("role") is not None:
        return False
    if isinstance(value.get("message"), dict):
        return False
    kind = kind_of({} if "message_content" in value else value)
    known = kind in TEXTS | REASONING | CALLS | {"tool_result", "tool_call_response"}
    return "message_content" in value or (known and "call_id" not in value)


def _lists_parts(content: Json) -> bool:
    """Whether a text is JSON for a list of parts."""
    if not isinstance(content, str) or not content.lstrip().startswith("[{"):
        return False
    found = parsed(content)
    return isinstance(found, list) and all(is_part(part) for part in found)


def _result(part: dict[str, Json]) -> Result:
    said = first(part, *_RESULT) or part
    if not isinstance(said, dict):
        return Result("", "", dumps(said))
    call_id = text(first(said, *CALL_IDS))
    name = text(first(said, "name", "toolName", "tool_name"))
    return Result(call_id, name, result_words(first(said, *_ANSWERS)))


def result_words(value: Json) -> str:
    """What a tool gave as text: of a list of text parts the texts, else JSON."""
    body = Body()
    if isinstance(value, list) and value and all(is_part(part) for part in value):
        body.add(value)
        return "\n".join(body.texts)
    if isinstance(value, dict) and kind_of(value) in {"text", "json", "error_text"}:
        return _words(value, ("value", "text", "content")) or dumps(value)
    return dumps(value)


def _words(part: Mapping[str, Json], keys: tuple[str, ...]) -> str:
    value = first(part, *keys)
    if isinstance(value, list):
        words = (
            _words(one, keys) if isinstance(one, dict) else dumps(one) for one in value
        )
        return "\n".join(word for word in words if word)
    if isinstance(value, dict):
        # OpenInference and others: {"text": {"value": ...}}.
        return text(first(value, *_WORDS)) or dumps(value)
    return dumps(value)


def _omission(part: Mapping[str, Json], kind: str) -> str:
    """A short word for what isn't text: the medium, or the kind of the part."""
    said = text(part.get("modality")).casefold() or kind
    mime = text(first(part, "mime_type", "mimeType", "media_type")).casefold()
    for word in MEDIA[:3]:
        if word in said or mime.startswith(word):
            return word
    return "file" if any(word in said for word in MEDIA) else said[:MAX_KIND]
