"""The ``agenteval.*`` convention (docs/convention.md) and what all dialects share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traces.domain.reading.values import first, first_text, parsed, strings, text
from traces.domain.records import Json, SpanRecord
from traces.domain.view import NOT_DECLARED, Declared, Role

LINK_KIND = "agenteval.link.kind"


def read_native(span: SpanRecord) -> dict[str, Any]:
    """Fields that the convention states."""
    said = span.attributes
    found: dict[str, Any] = {}
    boundary = text(said.get("agenteval.boundary"))
    if boundary:
        found |= {"role": Role.BOUNDARY, "boundary": boundary}
    for name in ("input", "output"):
        value = said.get(f"agenteval.{name}")
        if value is not None:
            found[name] = parsed(value)
    if text(said.get("agenteval.agent")):
        found["agent"] = text(said["agenteval.agent"])
    if text(said.get("agenteval.handoff_to")):
        found["handoff_to"] = text(said["agenteval.handoff_to"])
    declared = _declared(span)
    if declared != NOT_DECLARED:
        found["declared"] = declared
    return found


def _declared(span: SpanRecord) -> Declared:
    said = span.attributes
    linked = tuple(
        link.span_id
        for link in span.links
        if text(link.attributes.get(LINK_KIND)) == "depends_on"
        and link.trace_id == span.trace_id
    )
    named = strings(said.get("agenteval.depends_on"))
    return Declared(
        step_type=text(said.get("agenteval.step.type"))[:32],
        depends_on=tuple(dict.fromkeys((*named, *linked))),
        workflow=_stated(span, "agenteval.workflow"),
        step=text(said.get("agenteval.step.name")),
    )


def _stated(span: SpanRecord, key: str) -> str:
    """An attribute of the span, else of its resource."""
    return text(span.attributes.get(key)) or text(span.scope.resource.get(key))


def read_common(span: SpanRecord) -> dict[str, Any]:
    """Session, user, tags and facts about the trace, from any dialect's keys."""
    both: Mapping[str, Json] = {**span.scope.resource, **span.attributes}
    found: dict[str, Any] = {
        "session": first_text(
            both,
            "session.id",
            "gen_ai.conversation.id",
            "langfuse.session.id",
            "langsmith.metadata.session_id",
            "traceloop.association.properties.session_id",
            "thread_id",
        ),
        "user": first_text(both, "user.id", "langfuse.user.id", "enduser.id"),
        "tags": strings(
            first(both, "agenteval.tags", "tag.tags", "langfuse.trace.tags", "tags")
        ),
    }
    metadata = {
        "name": first_text(both, "agenteval.trace.name", "langfuse.trace.name"),
        "case": first_text(both, "agenteval.case.id"),
        "run": first_text(both, "agenteval.run.id"),
        "outcome": first_text(both, "agenteval.outcome"),
        "version": first_text(
            both, "gen_ai.agent.version", "service.version", "langfuse.version"
        ),
        "environment": first_text(
            both, "deployment.environment.name", "deployment.environment", "langfuse.environment"
        ),
    }
    found["metadata"] = {key: value for key, value in metadata.items() if value}
    return {key: value for key, value in found.items() if value}


def read_error(span: SpanRecord) -> str:
    """The source's own words for a failure, "" if it reports none."""
    for event in span.events:
        if event.name == "exception":
            said = event.attributes
            kind = text(said.get("exception.type"))
            words = text(said.get("exception.message"))
            return ": ".join(part for part in (kind, words) if part) or "exception"
    if span.status == "error":
        return span.status_message or text(span.attributes.get("error.type")) or "error"
    return text(span.attributes.get("error.type"))
