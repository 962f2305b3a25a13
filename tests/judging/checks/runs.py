"""Small runs for tests of checks: one call, its result, an answer."""

from __future__ import annotations

from typing import Any

from judging.domain.checks import CHECKS
from judging.domain.findings import Finding, Run
from judging.judges.offline import judge
from traces.domain.records import Edge, EdgeKind, Graph, Step
from traces.domain.view import StepContent, ToolCall, ToolDefinition

TOOL = ToolDefinition(
    "get_order",
    "Look an order up",
    {
        "type": "object",
        "properties": {
            "order_id": {"type": "string"},
            "count": {"type": "integer"},
            "kind": {"type": "string", "enum": ["new", "old"]},
        },
        "required": ["order_id"],
        "additionalProperties": False,
    },
)
CANCEL = ToolDefinition("cancel_order", "Cancel an order")
GOOD = {"order_id": "TB-4821"}


def run(
    *,
    arguments: Any = GOOD,
    result: Any = "shipped",
    error: str = "",
    answer: Any = "It is shipped.",
    request: str = "Where is TB-4821?",
    tool: str = "get_order",
    malformed: str = "",
    finish: str = "stop",
    policy: str = "",
    again: int = 1,
    later: Any = None,
) -> Run:
    """User → choose → arguments → result (``again`` times) → answer.

    ``later`` is the result of one more call of the same tool.
    """
    steps: list[Step] = [Step("u", 0, "BOUNDARY", "user", part="user")]
    edges: list[Edge] = []
    contents = {"u": StepContent(output=request)}
    results = [result] * again + ([later] if later is not None else [])
    before = "u"
    for number, given in enumerate(results):
        keys = [f"{kind}{number}" for kind in "tpe"]
        last = later is not None and number == len(results) - 1
        call = ToolCall(tool, arguments, f"c{number}", malformed)
        outputs = (tool, arguments, given)
        for key, kind, output in zip(
            keys, ("TOOLSEL", "PARAMGEN", "EXEC"), outputs, strict=True
        ):
            failed = bool(error) and kind == "EXEC" and not last
            steps.append(Step(key, len(steps), kind, tool, tool=tool, error=failed))
            said = error if failed else ""
            contents[key] = StepContent(
                output=output, call=call, tools=(TOOL, CANCEL), error=said
            )
        chain = [before, *keys]
        kinds = [EdgeKind.MESSAGE, EdgeKind.CALL, EdgeKind.CALL]
        for source, target, kind in zip(chain, chain[1:], kinds, strict=False):
            edges.append(Edge(source, target, kind, 1.0))
        before = keys[-1]
    steps.append(Step("s", len(steps), "SYNTH", "answer", part="answer"))
    contents["s"] = StepContent(output=answer, finish_reason=finish)
    edges.append(Edge(before, "s", EdgeKind.MESSAGE, 1.0))
    return Run(Graph(tuple(steps), tuple(edges)), contents, request, policy)


def fired(made: Run) -> set[str]:
    """Ids of the checks that fire on a run."""
    return {finding.check for finding in judge(made)}


def found(made: Run, check: str) -> Finding:
    """The first finding of one check."""
    return next(finding for finding in judge(made) if finding.check == check)


IDS = [check.id for check in CHECKS]
