"""LangSmith's OpenTelemetry export: ``langsmith.*``."""

from __future__ import annotations

from traces.domain.reading.calls import run_arguments
from traces.domain.reading.fields import Fields
from traces.domain.reading.values import first_text, given, under
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Role, ToolCall

KINDS = {
    "llm": Role.LLM,
    "chain": Role.CHAIN,
    "tool": Role.TOOL,
    "retriever": Role.RETRIEVER,
    "embedding": Role.EMBEDDING,
    "prompt": Role.CHAIN,
    "parser": Role.CHAIN,
}


def read_langsmith(span: SpanRecord) -> Fields:
    """Fields that LangSmith's attributes give."""
    said = span.attributes
    kind = first_text(said, "langsmith.span.kind").casefold()
    if not kind:
        return {}
    role = KINDS.get(kind)
    found: Fields = {
        "role": role,
        "model": first_text(said, "langsmith.metadata.ls_model_name"),
        "provider": first_text(said, "langsmith.metadata.ls_provider"),
    }
    if role in {Role.TOOL, Role.RETRIEVER}:
        arguments, malformed = run_arguments(
            _alone(given(said, "gen_ai.prompt"), "input")
        )
        name = first_text(said, "gen_ai.tool.name") or span.name
        found["call"] = ToolCall(name, arguments, "", malformed)
        found["input"] = arguments
        found["output"] = _alone(given(said, "gen_ai.completion"), "output")
    return found


def _alone(value: Json, key: str) -> Json:
    """The one thing that an object holds, without the object."""
    inner = under(value, key)
    return value if inner is None or len(value) > 1 else inner
