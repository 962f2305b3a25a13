"""Tool calls, their arguments and tool definitions in any provider's words."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import orjson

from traces.domain.reading.jsontext import loads, parsed
from traces.domain.reading.values import first, objects, text
from traces.domain.records import Json
from traces.domain.view import ToolCall, ToolDefinition

CALL_IDS = (
    "call_id",
    "tool_call_id",
    "toolCallId",
    "tool_use_id",
    "toolUseId",
    "id",
)
_NAMES = ("name", "toolName", "tool_name")
_ARGUMENTS = ("arguments", "args", "input", "parameters", "argsText")
_SCHEMAS = (
    "parameters",
    "input_schema",
    "inputSchema",
    "parameters_json_schema",
    "parametersJsonSchema",
    "json_schema",
)
MAX_LITERAL = 100_000
"""Characters of a Python literal that is read."""
_WRAPPERS = frozenset({"args", "kwargs", "sanitize_inputs_outputs"})


def read_call(value: Json) -> ToolCall:
    """A tool call that a model asked for; arguments must be a JSON object."""
    value = parsed(value)
    if not isinstance(value, dict):
        return ToolCall(text(value))
    inner = value.get("tool_call")
    if isinstance(inner, dict):
        value = inner
    function = value.get("function")
    said = function if isinstance(function, dict) else value
    name = text(first(said, *_NAMES)) or text(function)
    arguments, malformed = asked_arguments(first(said, *_ARGUMENTS))
    call_id = text(first(value, *CALL_IDS)) or text(said.get("id"))
    return ToolCall(name, arguments, call_id, malformed)


def asked_arguments(raw: Json) -> tuple[Json, str]:
    """Arguments that a model wrote, and why they can't be read ("" if they can)."""
    if not isinstance(raw, str):
        return raw, ""
    if not raw.strip():
        return {}, ""
    try:
        found = loads(raw.strip())
    except ValueError as error:
        return raw, f"not valid JSON: {error}"[:200]
    if isinstance(found, str):
        found = parsed(found)
    if isinstance(found, (dict, list)):
        return found, ""
    return found, "not a JSON object"


def run_arguments(raw: Json) -> tuple[Json, str]:
    """Arguments that a tool was run with, as an instrumentation noted them.

    Plain text is one argument. Python's own notation is read, too: several
    frameworks write it.
    """
    if not isinstance(raw, str):
        return _unwrapped(raw), ""
    found = parsed(raw)
    if not isinstance(found, str):
        return _unwrapped(found), ""
    stripped = raw.strip()
    if not stripped.startswith(("{", "[")):
        return raw, ""
    literal = _literal(stripped)
    if literal is not None:
        return _unwrapped(literal), ""
    return asked_arguments(raw)


def _literal(raw: str) -> Json:
    """A dictionary or list in Python's notation, None if it isn't one."""
    if len(raw) > MAX_LITERAL or raw[-1:] not in {"}", "]"}:
        return None
    try:
        found = ast.literal_eval(raw)
        # Only what JSON has is kept: sets, bytes and complex numbers aren't it.
        return orjson.loads(orjson.dumps(found)) if found else found
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _unwrapped(value: Json) -> Json:
    """Keyword arguments without what a decorator puts around them."""
    if not isinstance(value, dict):
        return value
    keywords = value.get("kwargs")
    if isinstance(keywords, dict) and value.keys() <= _WRAPPERS:
        positional = value.get("args")
        return {"args": positional, **keywords} if positional else keywords
    return value


def read_tools(value: Json) -> tuple[ToolDefinition, ...]:
    """Tool definitions in any provider's words; the first of a name counts."""
    found: dict[str, ToolDefinition] = {}
    for item in _definitions(parsed(value)):
        function = item.get("function")
        said = function if isinstance(function, dict) else item
        name = text(said.get("name"))
        if name and name not in found:
            schema = parsed(first(said, *_SCHEMAS))
            found[name] = ToolDefinition(name, text(said.get("description")), schema)
    return tuple(found.values())


def _definitions(value: Json) -> Iterator[dict[str, Json]]:
    items = [parsed(one) for one in value] if isinstance(value, list) else value
    for item in objects(items):
        inner = _inner(item)
        declared = first(inner, "functionDeclarations", "function_declarations")
        yield from objects(declared) if declared is not None else [inner]


def _inner(item: dict[str, Json]) -> dict[str, Json]:
    """The definition without the levels of OpenInference around it."""
    for wrapper in ("tool", "json_schema"):
        wrapped = parsed(item.get(wrapper))
        if isinstance(wrapped, dict) and "name" not in item:
            item = wrapped
    return item
