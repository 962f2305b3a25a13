"""The parts of a sample that stand outside of its events."""

from __future__ import annotations

from traces.domain.records import Json, SpanRecord
from traces.importers.base import MIB
from traces.importers.chat import Conversation
from traces.importers.values import fields, text

_REFERENCES = ("attachment://", "tc://")
_MAX_ATTACHED = 64 * MIB
"""Characters put in for references in one sample; the rest stay references."""


def attached(sample: dict[str, Json]) -> None:
    """Put long texts back where the log refers to them."""
    texts = fields(sample.get("attachments"))
    if not texts:
        return
    left = _MAX_ATTACHED
    stack: list[Json] = [v for key, v in sample.items() if key != "attachments"]
    while stack:
        value = stack.pop()
        for key, inner in _inside(value):
            if isinstance(inner, dict | list):
                stack.append(inner)
            elif (found := _text_of(inner, texts)) and len(found) <= left:
                left -= len(found)
                value[key] = found


def _inside(value: Json) -> list[tuple[Json, Json]]:
    if isinstance(value, dict):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list) else []


def _text_of(value: Json, texts: dict[str, Json]) -> str:
    refers = isinstance(value, str) and value.startswith(_REFERENCES)
    return text(texts.get(value.partition("://")[2])) if refers else ""


def read_messages_of(
    trace_id: str, messages: list[Json], model: str
) -> list[SpanRecord]:
    """Spans of a sample whose log has no events of models and tools."""
    talk = Conversation(trace_id, model=model)
    talk.add_all(messages)
    return talk.spans
