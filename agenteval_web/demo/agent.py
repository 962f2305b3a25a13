"""The agent loop: ask the model, run its tools, hand back what they gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agenteval_web.demo.dialects import Exchange
from agenteval_web.demo.models import SMALL, Model, message_text, usage
from agenteval_web.demo.script import (
    Call,
    Message,
    Policy,
    Replies,
    Reply,
    Turn,
    compact,
)
from agenteval_web.demo.stage import Stage
from agenteval_web.demo.tools import Toolbox, ToolError
from agenteval_web.demo.tracing import CLIENT, OpenSpan


@dataclass
class Agent:
    """An agent: who it is, what it is told, and how much it remembers.

    Attributes:
        name: Agent name.
        system: System prompt.
        toolbox: Its tools.
        model: Its model.
        reads: Characters of a tool's result that reach the model.
        window: Messages after the first one that reach the model.
        messages: The conversation so far.
    """

    name: str
    system: str
    toolbox: Toolbox
    model: Model = SMALL
    reads: int = 200_000
    window: int = 10_000
    messages: list[Message] = field(default_factory=list)

    @property
    def visible(self) -> list[Message]:
        """The part of the conversation that the model is given."""
        gone = len(self.messages) - self.window - 1
        if gone <= 0:
            return self.messages
        note = f"[{gone} earlier messages were removed to fit the context window]"
        rest = self.messages[-self.window :]
        return [self.messages[0], Message("system", note), *rest]

    def recalls(self, tool: str) -> list[Reply]:
        """Results of a tool that still stand in the model's window."""
        return [
            Reply(m.tool, m.text)
            for m in self.visible
            if m.role == "tool" and m.tool == tool
        ]


def run_agent(stage: Stage, agent: Agent, asked: str, policy: Policy) -> str:
    """Run an agent to its final answer, inside one agent span."""
    attributes = stage.dialect.agent(agent.name, stage.version, asked)
    name = stage.dialect.names("agent", agent.name)
    with stage.tracer.span(name, attributes) as span:
        stage.adopt(span)
        agent.messages.append(Message("user", asked))
        answer = converse(stage, agent, policy)
        span.attributes.update(stage.dialect.agent_answer(answer))
    if span is stage.root:
        stage.answer = answer
    return answer


def converse(stage: Stage, agent: Agent, policy: Policy) -> str:
    """Play a policy against the agent's tools; gives the final answer."""
    try:
        turn = next(policy)
        while True:
            turn = policy.send(_act(stage, agent, turn))
    except StopIteration as stop:
        return ask(stage, agent, stop.value).text


def ask(stage: Stage, agent: Agent, turn: Turn) -> Turn:
    """One model call that gives this turn; numbers its tool calls."""
    calls = tuple(replace(call, call_id=stage.call_id()) for call in turn.calls)
    turn = replace(turn, calls=calls)
    exchange = _exchange(stage, agent, turn)
    name = stage.dialect.names("llm", agent.model.name)
    with stage.tracer.span(name, stage.dialect.llm(exchange), CLIENT) as span:
        if turn.fault:
            stage.mark(span.span_id, turn.fault)
        takes = agent.model.first_ms + agent.model.token_ms * exchange.usage.written
        stage.tracer.spend(takes * 0.8, takes * 1.3)
    agent.messages.append(Message("assistant", turn.text, turn.calls))
    return turn


def _exchange(stage: Stage, agent: Agent, turn: Turn) -> Exchange:
    tools = list(agent.toolbox.tools.values())
    given = [agent.system, *(message_text(m) for m in agent.visible)]
    given += [tool.description + compact(dict(tool.parameters)) for tool in tools]
    return Exchange(
        model=agent.model,
        system=agent.system,
        messages=list(agent.visible),
        tools=tools,
        turn=turn,
        usage=usage(agent.model, given, turn),
        response_id=f"resp_{stage.rng.getrandbits(64):016x}",
    )


def _act(stage: Stage, agent: Agent, turn: Turn) -> Replies:
    turn = ask(stage, agent, turn)
    jobs = [
        lambda call=call: run_tool(stage, agent.toolbox, call) for call in turn.calls
    ]
    replies = stage.tracer.side_by_side(jobs)
    cut = tuple(replace(reply, text=_cut(reply.text, agent.reads)) for reply in replies)
    for call, reply in zip(turn.calls, cut, strict=True):
        agent.messages.append(
            Message("tool", reply.text, call_id=call.call_id, tool=call.tool)
        )
    return cut


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}... [truncated]"


def run_tool(stage: Stage, toolbox: Toolbox, call: Call) -> Reply:
    """Run one call inside its own span."""
    tool = toolbox.tools.get(call.tool)
    description = tool.description if tool else ""
    attributes = stage.dialect.tool(call.tool, description, call)
    name = stage.dialect.names("tool", call.tool)
    with stage.tracer.span(name, attributes) as span:
        try:
            text = _outcome(stage, toolbox, call, span)
        except ToolError as error:
            text = compact({"error": error.message})
            span.fail(error.kind, error.message, stage.tracer.now)
        span.attributes.update(stage.dialect.tool_result(text))
    failed = bool(span.status_message)
    return Reply(call.tool, text, ok=not failed)


def _outcome(stage: Stage, toolbox: Toolbox, call: Call, span: OpenSpan) -> str:
    outage = toolbox.next_outage(call.tool)
    if outage is None:
        tool = toolbox.tools.get(call.tool)
        stage.tracer.spend(*(tool.takes_ms if tool else (1, 4)))
        return toolbox.run(call.tool, call.arguments)
    stage.tracer.spend(outage.takes_ms, outage.takes_ms * 1.02)
    if outage.fault:
        stage.mark(span.span_id, outage.fault)
    if outage.kind:
        raise ToolError(outage.text, outage.kind)
    return outage.text


def history(pairs: Sequence[tuple[str, str]]) -> list[Message]:
    """Earlier turns of a session: (what the user said, what was answered)."""
    return [
        message
        for asked, answered in pairs
        for message in (Message("user", asked), Message("assistant", answered))
    ]
