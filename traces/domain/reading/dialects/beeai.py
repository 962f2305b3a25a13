"""BeeAI's instrumentation, which makes a span of every event of a run."""

from __future__ import annotations

import re

from traces.domain.reading.fields import Fields
from traces.domain.reading.values import first_text
from traces.domain.records import SpanRecord
from traces.domain.view import Role, ToolCall

SCOPE = "openinference.instrumentation.beeai"
_EVENT = re.compile(r"(?P<path>[\w.]{1,200})\.(?P<event>[a-z_]{1,40})-\d{1,9}\Z")
_KEPT = {
    ("TOOL", "success"): Role.TOOL,
    ("TOOL", "error"): Role.TOOL,
    ("LLM", "start"): Role.LLM,
    ("LLM", "success"): Role.LLM,
    ("LLM", "error"): Role.LLM,
    ("AGENT", "start"): Role.CHAIN,
}
"""Of the events of one thing those that say what it was given or gave."""


def read_beeai(span: SpanRecord) -> Fields:
    """The role of an event; the tool that it is about."""
    if span.scope.name != SCOPE:
        return {}
    event = _EVENT.match(span.name)
    if event is None:
        return {}
    kind = first_text(span.attributes, "openinference.span.kind").upper()
    role = _KEPT.get((kind, event["event"]), Role.PLUMBING)
    if role is not Role.TOOL:
        return {"role": role}
    return {"role": role, "call": ToolCall(event["path"].rpartition(".")[2])}
