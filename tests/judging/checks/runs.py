"""Small runs for tests of checks, put together from what is said and done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from judging.domain.findings import Finding, Run
from judging.domain.text import text_of
from judging.judges.offline import run_checks
from traces.domain.records import Edge, EdgeKind, Graph, Step
from traces.domain.view import StepContent, ToolCall, ToolDefinition

GET = ToolDefinition(
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
TOOLS = (GET, CANCEL)
ASKED = "Where is order TB-4821?"


@dataclass
class Talk:
    """A run in the making; every step follows the one before."""

    request: str = ASKED
    policy: str = ""
    tools: tuple[ToolDefinition, ...] = TOOLS
    steps: list[Step] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    contents: dict[str, StepContent] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.user(self.request)

    def add(
        self,
        kind: str,
        edge: EdgeKind = EdgeKind.MESSAGE,
        *,
        content: StepContent,
        **step: Any,
    ) -> Talk:
        number = len(self.steps)
        key = f"s{number}"
        step.setdefault("span_id", key)
        self.steps.append(Step(key, number, kind, kind, **step))
        self.contents[key] = content
        if number:
            self.edges.append(Edge(f"s{number - 1}", key, edge, 1.0))
        return self

    def user(self, text: Any) -> Talk:
        return self.add("BOUNDARY", content=StepContent(output=text), part="user")

    def plan(self, text: Any, *, agent: str = "", span: str = "", **more: Any) -> Talk:
        made = StepContent(output=text, **more)
        named = {"span_id": span} if span else {}
        return self.add("PLAN", content=made, agent=agent, part="plan", **named)

    def say(self, text: Any, *, agent: str = "", **more: Any) -> Talk:
        made = StepContent(output=text, **more)
        return self.add(
            "SYNTH", content=made, agent=agent, part="answer", error=bool(made.error)
        )

    def ask(
        self,
        tool: str,
        arguments: Any,
        *,
        malformed: str = "",
        span: str = "",
        finish: str = "",
    ) -> Talk:
        """Choose a tool and give its arguments."""
        call = ToolCall(tool, arguments, f"c{len(self.steps)}", malformed)
        span = span or f"m{len(self.steps)}"
        chosen = StepContent(output=tool, call=call, tools=self.tools)
        self.add("TOOLSEL", content=chosen, tool=tool, span_id=span, part="select:0")
        given = StepContent(
            output=arguments, call=call, tools=self.tools, finish_reason=finish
        )
        return self.add(
            "PARAMGEN", EdgeKind.CALL, content=given, tool=tool, span_id=span
        )

    def get(self, result: Any, *, error: str = "", finished: bool = True) -> Talk:
        """The result of the call before."""
        call = self.contents[self.steps[-1].key].call
        made = StepContent(output=result, call=call, error=error)
        tool = call.name if call else "python"
        edge = EdgeKind.CALL if call else EdgeKind.DECLARED
        return self.add(
            "EXEC", edge, content=made, tool=tool, error=bool(error), finished=finished
        )

    def call(self, tool: str, arguments: Any, result: Any, *, error: str = "") -> Talk:
        return self.ask(tool, arguments).get(result, error=error)

    def hand(self, agent: str, text: str, *, by: str = "boss") -> Talk:
        call = ToolCall(f"handoff to {agent}")
        made = StepContent(output=text, call=call)
        return self.add("TOOLSEL", content=made, agent=by, part="handoff")

    @property
    def run(self) -> Run:
        graph = Graph(tuple(self.steps), tuple(self.edges))
        return Run(graph, self.contents, self.request, self.policy)


def findings(talk: Talk) -> tuple[Finding, ...]:
    """What the judge finds; evidence stands where it says, and nothing broke."""
    run = talk.run
    judged = run_checks(run)
    assert judged.broken == ()
    for finding in judged.findings:
        assert finding.evidence, finding
        for one in finding.evidence:
            if one.start >= 0:
                text = text_of(where(run, one.step)[one.where])
                assert text[one.start : one.start + len(one.text)] == one.text, finding
    return judged.findings


def where(run: Run, key: str) -> dict[str, Any]:
    content = run.content(key)
    return {
        "output": content.output,
        "input": content.input,
        "error": content.error,
        "arguments": content.call.arguments if content.call else None,
    }


def fired(talk: Talk) -> set[str]:
    """Ids of the checks that fire."""
    return {finding.check for finding in findings(talk)}


def found(talk: Talk, check: str) -> Finding:
    """The first finding of one check."""
    return next(finding for finding in findings(talk) if finding.check == check)


GOOD = {"order_id": "TB-4821"}


def lookup(
    result: Any = "shipped",
    answer: Any = "It is shipped.",
    *,
    arguments: Any = GOOD,
    tool: str = "get_order",
    error: str = "",
    request: str = ASKED,
    policy: str = "",
) -> Talk:
    """User, one call, answer."""
    talk = Talk(request=request, policy=policy).call(
        tool, arguments, result, error=error
    )
    return talk.say(answer)


def said(*texts: str, request: str = ASKED, result: Any = "shipped") -> Talk:
    """One call, then answers with a user's turn between them."""
    talk = Talk(request=request).call("get_order", GOOD, result)
    for number, text in enumerate(texts):
        if number:
            talk.user("And then?")
        talk.say(text)
    return talk


def room(*turns: tuple[str, Any], request: str = "How many moons?") -> Talk:
    """Agents and a terminal that speak in turn."""
    talk = Talk(request=request)
    for agent, text in turns:
        if agent == "terminal":
            talk.get(text)
        else:
            talk.say(text, agent=agent)
    return talk


def all_fired(talks: Iterable[Talk]) -> set[str]:
    return set().union(*map(fired, talks))
