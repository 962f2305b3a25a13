"""The ``agenteval.*`` convention (docs/convention.md)."""

from __future__ import annotations

from traces.domain.reading.fields import Fields
from traces.domain.reading.values import given, strings, text
from traces.domain.records import SpanRecord, StepType
from traces.domain.view import NOT_DECLARED, Declared, Role

START = "agenteval."
LINK_KIND = "agenteval.link.kind"
MAX_TYPE = 32
_ROLES = {
    StepType.PLAN: Role.LLM,
    StepType.TOOLSEL: Role.LLM,
    StepType.PARAMGEN: Role.LLM,
    StepType.SYNTH: Role.LLM,
    StepType.EXEC: Role.TOOL,
}


def read_native(span: SpanRecord) -> Fields:
    """Fields that the convention states."""
    said = span.attributes
    if not span.links and not any(key.startswith(START) for key in said):
        workflow = text(span.scope.resource.get(f"{START}workflow"))
        return {"declared": Declared(workflow=workflow)} if workflow else {}
    found: Fields = {
        "input": given(said, "agenteval.input"),
        "output": given(said, "agenteval.output"),
        "agent": text(said.get("agenteval.agent")),
        "handoff_to": text(said.get("agenteval.handoff_to")),
        "boundary": text(said.get("agenteval.boundary")),
    }
    declared = _declared(span)
    if declared != NOT_DECLARED:
        found["declared"] = declared
    if found["boundary"]:
        found["role"] = Role.BOUNDARY
    return found


def role_of_step(step_type: str) -> Role | None:
    """What a span with a declared step type stands for if nothing else says."""
    if not step_type:
        return None
    return next(
        (role for kind, role in _ROLES.items() if kind == step_type), Role.CHAIN
    )


def _declared(span: SpanRecord) -> Declared:
    said = span.attributes
    linked = (
        link.span_id
        for link in span.links
        if text(link.attributes.get(LINK_KIND)) == "depends_on"
        and link.trace_id == span.trace_id
    )
    named = strings(said.get("agenteval.depends_on"))
    return Declared(
        step_type=text(said.get("agenteval.step.type")).strip()[:MAX_TYPE],
        depends_on=tuple(dict.fromkeys((*named, *linked))),
        workflow=_stated(span, "agenteval.workflow"),
        step=text(said.get("agenteval.step.name")),
    )


def _stated(span: SpanRecord, key: str) -> str:
    """An attribute of the span, else of its resource."""
    return text(span.attributes.get(key)) or text(span.scope.resource.get(key))
