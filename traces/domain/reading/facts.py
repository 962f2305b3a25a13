"""Session, user, tags and facts about the trace, from any dialect's keys."""

from __future__ import annotations

from collections.abc import Mapping

from traces.domain.reading.fields import Fields
from traces.domain.reading.values import first, first_text, mapping, strings, text
from traces.domain.records import Json, SpanRecord

_SESSION = (
    "session.id",
    "langfuse.session.id",
    "gen_ai.conversation.id",
    "gcp.vertex.agent.session_id",
    "mlflow.trace.session",
    "ai.telemetry.metadata.sessionId",
    "traceloop.association.properties.session_id",
    "langsmith.trace.session_id",
    "langsmith.metadata.session_id",
    "langsmith.metadata.thread_id",
    "thread_id",
)
_USER = (
    "user.id",
    "langfuse.user.id",
    "enduser.id",
    "mlflow.trace.user",
    "ai.telemetry.metadata.userId",
    "traceloop.association.properties.user_id",
    "langsmith.metadata.user_id",
)
_TAGS = (
    "agenteval.tags",
    "langfuse.trace.tags",
    "tag.tags",
    "ai.telemetry.metadata.tags",
    "langsmith.span.tags",
)
_FACTS: Mapping[str, tuple[str, ...]] = {
    "name": (
        "agenteval.trace.name",
        "langfuse.trace.name",
        "gen_ai.workflow.name",
        "traceloop.workflow.name",
    ),
    "case": ("agenteval.case.id",),
    "run": ("agenteval.run.id",),
    "outcome": ("agenteval.outcome",),
    "version": (
        "langfuse.version",
        "langfuse.release",
        "gen_ai.agent.version",
        "service.version",
    ),
    "environment": (
        "langfuse.environment",
        "deployment.environment.name",
        "deployment.environment",
    ),
}


_WANTED: Mapping[str, tuple[str, int]] = {
    key: (name, rank)
    for name, keys in {"session": _SESSION, "user": _USER, **_FACTS}.items()
    for rank, key in enumerate(keys)
}
"""What a key tells, and how much it counts beside others: the less the more."""


def read_facts(span: SpanRecord) -> Fields:
    """Facts that the span states, or its resource."""
    said, resource = span.attributes, span.scope.resource
    facts = {**_stated(resource), **_stated(said)}
    return {
        "session": facts.pop("session", "") or _thread(said),
        "user": facts.pop("user", ""),
        "tags": _tags(said, resource),
        "metadata": facts,
    }


def _stated(said: Mapping[str, Json]) -> dict[str, str]:
    """Facts by name, from the keys that are there."""
    best: dict[str, tuple[int, str]] = {}
    for key in said:
        if key in _WANTED:
            name, rank = _WANTED[key]
            words = text(said[key])
            if words and (name not in best or rank < best[name][0]):
                best[name] = (rank, words)
    return {name: best[name][1] for name in sorted(best)}


def _thread(said: Mapping[str, Json]) -> str:
    """LangGraph's thread, which OpenInference keeps in the metadata."""
    if "metadata" not in said:
        return ""
    return first_text(mapping(said["metadata"]), "session_id", "thread_id")


def _tags(said: Mapping[str, Json], resource: Mapping[str, Json]) -> tuple[str, ...]:
    value = first(said, *_TAGS) or first(resource, *_TAGS)
    tags = strings(value)
    # LangSmith writes one text with commas.
    if len(tags) == 1 and value == said.get("langsmith.span.tags"):
        tags = tuple(part.strip() for part in tags[0].split(",") if part.strip())
    return tuple(dict.fromkeys(tags))
