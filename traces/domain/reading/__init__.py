"""Spans of every dialect read into one vocabulary (``traces.domain.view``).

A span may speak several dialects. They are merged field by field, in the order
of ``DIALECTS``: what the sender declared to us first, then what one framework
says in its own words, then the conventions that many share. ``read_span`` is
total: it gives a view of any attributes whatever, in linear time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from traces.domain.reading.completion import complete
from traces.domain.reading.dialects.adk import read_adk
from traces.domain.reading.dialects.agents import read_agents
from traces.domain.reading.dialects.beeai import read_beeai
from traces.domain.reading.dialects.claude_code import read_claude_code
from traces.domain.reading.dialects.genai import read_genai
from traces.domain.reading.dialects.genai_events import read_genai_events
from traces.domain.reading.dialects.langfuse import read_langfuse
from traces.domain.reading.dialects.langsmith import read_langsmith
from traces.domain.reading.dialects.mlflow import read_mlflow
from traces.domain.reading.dialects.native import read_native, role_of_step
from traces.domain.reading.dialects.openinference import ROOTS as OPENINFERENCE_ROOTS
from traces.domain.reading.dialects.openinference import read_openinference
from traces.domain.reading.dialects.openllmetry import read_openllmetry
from traces.domain.reading.dialects.pydantic_ai import read_pydantic_ai
from traces.domain.reading.dialects.vercel import read_vercel
from traces.domain.reading.errors import read_error
from traces.domain.reading.facts import read_facts
from traces.domain.reading.fields import Fields, merge
from traces.domain.reading.roles import hand_off, plain_role
from traces.domain.records import SpanRecord
from traces.domain.view import Role, SpanView

__all__ = ["DIALECTS", "read_span"]

Reader = Callable[[SpanRecord], Fields]

DIALECTS: tuple[tuple[Reader, frozenset[str]], ...] = (
    (read_native, frozenset()),
    (read_langfuse, frozenset({"langfuse"})),
    (read_beeai, frozenset({"openinference"})),
    (read_claude_code, frozenset({"span"})),
    (read_vercel, frozenset({"ai"})),
    (read_adk, frozenset()),
    (read_pydantic_ai, frozenset()),
    (read_mlflow, frozenset({"mlflow"})),
    (read_langsmith, frozenset({"langsmith"})),
    (read_openllmetry, frozenset({"traceloop", "db"})),
    (read_openinference, OPENINFERENCE_ROOTS),
    (read_genai, frozenset({"gen_ai", "llm"})),
    (read_genai_events, frozenset()),
    (read_agents, frozenset()),
    (read_facts, frozenset()),
)
"""Readers of the dialects, with the first parts of their keys: one of these has
to be there, if any are given. Of two that say the same field the earlier counts.
"""


def read_span(span: SpanRecord) -> SpanView:
    """What a span says, in our own words."""
    roots = {key.partition(".")[0] for key in span.attributes}
    found = merge(
        reader(span)
        for reader, needed in DIALECTS
        if not needed or not roots.isdisjoint(needed)
    )
    found["error"] = read_error(span, found.get("error", ""))
    role = _role(span, found)
    complete(span, role, found)
    return SpanView(**cast("dict[str, Any]", found) | {"role": role})


def _role(span: SpanRecord, found: Fields) -> Role:
    """The role that a dialect gives, or declares, or that the span's keys show."""
    declared = found["declared"].step_type if "declared" in found else ""
    role = found.get("role") or role_of_step(declared) or plain_role(span, found)
    if role in {Role.TOOL, Role.CHAIN, Role.HANDOFF}:
        target = hand_off(span, role, found.get("call"))
        if target:
            found.setdefault("handoff_to", target)
            return Role.HANDOFF
    return role
