"""Small spans for graph tests, in the words of the GenAI conventions."""

from __future__ import annotations

from typing import Any

from traces.domain.graph.build import BuiltTrace, build_graph
from traces.domain.records import Edge, SpanLink, SpanRecord

TRACE = "t" * 32


def span(
    name: str, start: int | None = None, end: int | None = None, **more: Any
) -> SpanRecord:
    """A span whose id is its name; times in milliseconds."""
    attributes = more.pop("attributes", {})
    links = tuple(SpanLink(TRACE, other) for other in more.pop("links", ()))
    parent = more.pop("parent", None)
    return SpanRecord(
        trace_id=TRACE,
        span_id=name,
        parent_id=parent,
        name=more.pop("label", name),
        start_ns=None if start is None else start * 1_000_000,
        end_ns=None if end is None else end * 1_000_000,
        attributes=attributes,
        links=links,
        **more,
    )


def agent(
    name: str, start: int | None = None, end: int | None = None, **more: Any
) -> SpanRecord:
    says = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
    return span(name, start, end, attributes=says | more.pop("attributes", {}), **more)


def user(name: str, text: str, **more: Any) -> SpanRecord:
    says = {"agenteval.boundary": "user", "agenteval.output": text}
    return span(name, attributes=says, **more)


def llm(
    name: str,
    start: int | None = None,
    end: int | None = None,
    *,
    text: str = "",
    calls: list[tuple[str, str, dict[str, Any]]] | None = None,
    given: list[dict[str, Any]] | None = None,
    **more: Any,
) -> SpanRecord:
    """A model call; ``calls`` are (id, tool, arguments), ``given`` messages."""
    parts: list[dict[str, Any]] = [{"type": "text", "content": text}] if text else []
    parts += [
        {"type": "tool_call", "id": i, "name": n, "arguments": a}
        for i, n, a in calls or ()
    ]
    says: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.output.messages": [{"role": "assistant", "parts": parts}],
    }
    if given:
        says["gen_ai.input.messages"] = given
    return span(name, start, end, attributes=says | more.pop("attributes", {}), **more)


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def answered(call_id: str, result: Any) -> dict[str, Any]:
    part = {"type": "tool_call_response", "id": call_id, "response": result}
    return {"role": "tool", "parts": [part]}


def tool(
    name: str,
    start: int | None = None,
    end: int | None = None,
    *,
    run: str,
    call_id: str = "",
    result: Any = None,
    arguments: Any = None,
    **more: Any,
) -> SpanRecord:
    says = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": run,
        "gen_ai.tool.call.arguments": arguments if arguments is not None else {},
        "gen_ai.tool.call.result": result if result is not None else "done",
    }
    if call_id:
        says["gen_ai.tool.call.id"] = call_id
    return span(name, start, end, attributes=says | more.pop("attributes", {}), **more)


def build(*spans: SpanRecord) -> BuiltTrace:
    return build_graph(spans)


def named(built: BuiltTrace) -> dict[str, str]:
    """``span/part`` by step key."""
    return {s.key: f"{s.span_id}/{s.part}" for s in built.graph.steps}


def edges(built: BuiltTrace) -> set[tuple[str, str, str]]:
    """(source, target, kind) in the words of ``named``."""
    names = named(built)

    def row(edge: Edge) -> tuple[str, str, str]:
        return names[edge.source], names[edge.target], str(edge.kind)

    return {row(edge) for edge in built.graph.edges}


def kinds(built: BuiltTrace) -> list[str]:
    return [repair.kind for repair in built.graph.repairs]


def types(built: BuiltTrace) -> list[str]:
    return [step.type for step in built.graph.steps]
