"""Pipelines that declare their steps and dependencies themselves.

A pipeline's spans say by ``agenteval.*`` attributes what they are and what they
used, so its graph needs no inference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agenteval_web.demo.models import SMALL, usage
from agenteval_web.demo.script import Fault, Turn, compact
from agenteval_web.demo.stage import Stage
from agenteval_web.demo.tools import Toolbox, ToolError
from agenteval_web.demo.tracing import OpenSpan
from traces.domain.records import Json

Results = Mapping[str, Json]
USER = "user"


@dataclass(frozen=True, slots=True)
class Node:
    """One step of a pipeline.

    Attributes:
        name: Name in the workflow's schema; the tool's name at EXEC nodes.
        type: Step type, or ``user`` for the request.
        after: Names of the nodes whose results it uses.
        run: From the results of all earlier nodes to its own; at EXEC nodes to
            the arguments of the tool.
        fault: The mistake made here.
    """

    name: str
    type: str
    after: tuple[str, ...]
    run: Callable[[Results], Json]
    fault: Fault | None = None


def run_pipeline(
    stage: Stage, name: str, toolbox: Toolbox, nodes: Sequence[Node]
) -> None:
    """Run nodes in order; the last one's result is the answer."""
    attributes: dict[str, Json] = {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.agent.name": name,
        "gen_ai.agent.version": stage.version,
    }
    results: dict[str, Json] = {}
    spans: dict[str, str] = {}
    with stage.tracer.span(f"invoke_workflow {name}", attributes) as root:
        stage.adopt(root)
        for node in nodes:
            given = {earlier: results[earlier] for earlier in node.after}
            declared = _declared(node, given, spans)
            with stage.tracer.span(node.name, declared) as span:
                results[node.name] = _result(stage, toolbox, node, results, span)
            spans[node.name] = span.span_id
    stage.answer = str(results[nodes[-1].name])


def _declared(node: Node, given: Results, spans: Mapping[str, str]) -> dict[str, Json]:
    if node.type == USER:
        return {"agenteval.boundary": USER}
    return {
        "agenteval.step.type": node.type,
        "agenteval.step.name": node.name,
        "agenteval.depends_on": [spans[earlier] for earlier in node.after],
        "agenteval.input": compact(dict(given)),
    }


def _result(
    stage: Stage, toolbox: Toolbox, node: Node, results: Results, span: OpenSpan
) -> Json:
    result = node.run(results)
    if node.fault:
        stage.mark(span.span_id, node.fault)
    if node.type == "EXEC":
        result = _run_tool(stage, toolbox, node.name, result, span)
    elif node.type != USER:
        _model_call(stage, span, result)
    span.attributes["agenteval.output"] = compact(result)
    return result


def _run_tool(
    stage: Stage, toolbox: Toolbox, name: str, arguments: Json, span: OpenSpan
) -> Json:
    span.attributes["gen_ai.operation.name"] = "execute_tool"
    span.attributes["gen_ai.tool.name"] = name
    span.attributes["gen_ai.tool.call.arguments"] = compact(arguments)
    stage.tracer.spend(*toolbox.tools[name].takes_ms)
    try:
        return toolbox.run(name, arguments)
    except ToolError as error:
        span.fail(error.kind, error.message, stage.tracer.now)
        return compact({"error": error.message})


def _model_call(stage: Stage, span: OpenSpan, result: Json) -> None:
    used = usage(SMALL, [span.attributes["agenteval.input"]], Turn(compact(result)))
    stage.tracer.spend(SMALL.first_ms, SMALL.first_ms + SMALL.token_ms * used.written)
    span.attributes.update(
        {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": SMALL.name,
            "gen_ai.usage.input_tokens": used.read,
            "gen_ai.usage.output_tokens": used.written,
            "gen_ai.usage.cost": used.cost_usd,
        }
    )
