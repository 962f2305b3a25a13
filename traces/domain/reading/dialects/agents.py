"""Who acts, where a framework says it in places of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping

from traces.domain.reading.fields import Fields
from traces.domain.reading.values import first_text, given, mapping, text, under
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Role

_STARTS = (
    "langsmith.metadata.",
    "langfuse.observation.metadata.",
    "traceloop.association.properties.",
    "langgraph.",
)
_NO_AGENT = frozenset({"tools", "tool_node", "__start__", "__end__", "__finish__"})
_CREW_ROLE = re.compile(r"\brole=(?:'([^'\n]{1,200})'|\"([^\"\n]{1,200})\")")
CREW_SCOPE = "crewai.telemetry"
MAX_LOOKED_AT = 5_000


def read_agents(span: SpanRecord) -> Fields:
    """The agent that a framework's own marks name."""
    if span.scope.name.startswith(CREW_SCOPE):
        return {"role": Role.PLUMBING}
    name = _langgraph(span.attributes) or _crew(span) or _by_span_name(span.name)
    return {"agent": name} if name else {}


def _langgraph(said: Mapping[str, Json]) -> str:
    """The node; within a sub-graph, the node that is the sub-graph."""
    if not any("langgraph" in key or key == "metadata" for key in said):
        return ""
    inner = mapping(said.get("metadata"))
    space = _stated(said, inner, "langgraph_checkpoint_ns")
    path = [part.split(":")[0] for part in space.split("|") if part]
    if len(path) > 1:
        return path[-2]
    node = _stated(said, inner, "langgraph_node")
    return "" if node in _NO_AGENT else node


def _stated(said: Mapping[str, Json], inner: Mapping[str, Json], name: str) -> str:
    keys = (f"{start}{name}" for start in _STARTS)
    return first_text(inner, name) or first_text(
        said, *keys, name.replace("langgraph_", "langgraph.")
    )


def _crew(span: SpanRecord) -> str:
    """CrewAI writes the whole agent into the input of its task."""
    if "crew_key" not in span.attributes and "task_key" not in span.attributes:
        return ""
    agent = text(under(given(span.attributes, "input.value"), "agent"))
    found = _CREW_ROLE.search(agent[:MAX_LOOKED_AT])
    return (found[1] or found[2] or "").strip() if found else ""


def _by_span_name(name: str) -> str:
    """``CodeAgent.run`` of smolagents, ``Writer._execute_core`` of CrewAI."""
    for ending in (".run", "._execute_core"):
        before = name.removesuffix(ending)
        if before != name and before not in {"", "Task", "Crew"}:
            return before[:MAX_LOOKED_AT]
    return ""
