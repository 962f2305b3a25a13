"""Claude Code's own spans: ``span.type`` says what they are."""

from __future__ import annotations

from collections.abc import Mapping

from traces.domain.reading.fields import Fields
from traces.domain.reading.usage import settled
from traces.domain.reading.values import first, first_text, first_whole, given
from traces.domain.records import Json, SpanRecord, SpanStatus
from traces.domain.view import Role, ToolCall, Usage

PREFIX = "claude_code."
_ARGUMENTS = {
    "full_command": "command",
    "file_path": "file_path",
    "skill_name": "skill",
    "subagent_type": "subagent_type",
    "tool_input": "input",
}


def read_claude_code(span: SpanRecord) -> Fields:
    """Fields that Claude Code's attributes give."""
    if not span.name.startswith(PREFIX):
        return {}
    said = span.attributes
    kind = first_text(said, "span.type") or span.name.removeprefix(PREFIX)
    if kind == "interaction":
        named = first_text(said, "gen_ai.agent.name") or "Claude Code"
        return {"role": Role.AGENT, "input": given(said, "user_prompt"), "agent": named}
    if kind == "llm_request":
        return _model(said)
    if kind == "tool":
        return _tool(span)
    if kind == "tool.execution" and span.status is SpanStatus.ERROR:
        # The failure stands here alone, not on the span of the tool.
        call = ToolCall(span.name, None, first_text(said, "tool_use_id"))
        return {"role": Role.TOOL, "call": call, "error": first_text(said, "error")}
    return {"role": Role.PLUMBING}


def _model(said: Mapping[str, Json]) -> Fields:
    usage = Usage(
        input=first_whole(said, "input_tokens"),
        output=first_whole(said, "output_tokens"),
        cached=first_whole(said, "cache_read_tokens"),
        cache_write=first_whole(said, "cache_creation_tokens"),
    )
    return {
        "role": Role.LLM,
        "model": first_text(said, "model"),
        "finish_reason": first_text(said, "stop_reason"),
        "usage": settled(usage),
        "error": first_text(said, "error"),
    }


def _tool(span: SpanRecord) -> Fields:
    said = span.attributes
    arguments = {
        name: said[key] for key, name in _ARGUMENTS.items() if said.get(key) is not None
    }
    outputs = (
        first(event.attributes, "output", "content")
        for event in span.events
        if event.name == "tool.output"
    )
    return {
        "role": Role.TOOL,
        "call": ToolCall(
            first_text(said, "tool_name"),
            arguments or None,
            first_text(said, "tool_use_id"),
        ),
        "input": arguments or None,
        "output": next(outputs, None),
    }
