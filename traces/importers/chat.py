"""Conversations as spans: one span a message, in the order of the messages.

A model's turn becomes a ``chat`` span whose input is only what is new since
the last turn (the whole history again and again would be quadratic); a tool's
answer an ``execute_tool`` span; what users and operators wrote a boundary.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from traces.domain.records import Json, SpanRecord, SpanStatus
from traces.importers.messages import (
    GenAiMessage,
    Part,
    as_text,
    read_message,
    text_of,
)

BOUNDARIES = {"user": "user", "system": "system"}
LONGEST_ERROR = 300


@dataclass(frozen=True, slots=True)
class At:
    """Where a span stands: its trace, its id, the index of its message."""

    trace_id: str
    span_id: str
    position: int | None = None

    def span(self, name: str, attributes: Mapping[str, Json], error: str) -> SpanRecord:
        """The span; failed if there is an error."""
        return SpanRecord(
            self.trace_id,
            self.span_id,
            name=name.strip(),
            status=SpanStatus.ERROR if error else SpanStatus.UNSET,
            status_message=error,
            attributes=attributes,
            position=self.position,
        )


@dataclass
class Conversation:
    """Makes the spans of one trace, message by message.

    Attributes:
        trace_id: Trace id of every span.
        tools: Definitions of the tools, put on the first model turn.
        model: Model that answered, "" if unknown.
        agent: Name of the agent that speaks as ``assistant``, "" if unknown.
    """

    trace_id: str
    tools: Sequence[Json] = ()
    model: str = ""
    agent: str = ""
    spans: list[SpanRecord] = field(default_factory=list)
    _unread: list[GenAiMessage] = field(default_factory=list)
    _calls: dict[str, Part] = field(default_factory=dict)

    def add_all(self, messages: Iterable[Json]) -> None:
        """Add messages; what isn't one counts in the positions only."""
        for position, message in enumerate(messages):
            if isinstance(message, dict):
                self.add(message, position)

    def add(self, message: Mapping[str, Json], position: int) -> None:
        """Add one message of the source."""
        read = read_message(message)
        if read["role"] == "assistant":
            self._turn(read, message, position)
            return
        self._unread.append(read)
        answers = [p for p in read["parts"] if p["type"] == "tool_call_response"]
        for number, answer in enumerate(answers):
            alone = len(answers) == 1 and len(read["parts"]) == 1
            span_id = f"m{position}" if alone else f"m{position}.c{number}"
            self._tool(answer, message, position, span_id)
        if len(answers) < len(read["parts"]) or not answers:
            self._boundary(read, position)

    def _turn(
        self, read: GenAiMessage, message: Mapping[str, Json], position: int
    ) -> None:
        for part in read["parts"]:
            if part["type"] == "tool_call":
                self._calls[part["id"] or _by_name(part["name"])] = part
        self.spans.append(
            model_turn(
                At(self.trace_id, f"m{position}", position),
                output=read,
                unread=self._unread,
                agent=str(message.get("name") or message.get("agent") or self.agent),
                model=self.model,
                tools=self.tools,
            )
        )
        self.tools = ()
        self._unread = []

    def _tool(
        self, answer: Part, message: Mapping[str, Json], position: int, span_id: str
    ) -> None:
        name = str(message.get("name") or "")
        call = self._calls.get(answer["id"] or _by_name(name), {})
        self.spans.append(
            tool_run(
                At(self.trace_id, span_id, position),
                name=str(call.get("name") or name),
                call_id=answer["id"],
                arguments=call.get("arguments"),
                result=answer["response"],
                error=_error(message.get("error") or answer.get("is_error"), answer),
            )
        )

    def _boundary(self, read: GenAiMessage, position: int) -> None:
        kind = BOUNDARIES.get(read["role"], "environment")
        text = text_of(read)
        at = At(self.trace_id, f"m{position}", position)
        self.spans.append(boundary(at, kind, text))


def _by_name(name: str) -> str:
    """Key of a call without id: its tool's latest call is the one answered."""
    return f"\0{name}"


def _error(stated: Json, answer: Part) -> str:
    """The source's words for a failure, "" if it states none."""
    if isinstance(stated, dict):
        stated = stated.get("message") or True
    if isinstance(stated, str):
        return stated
    return as_text(answer["response"])[:LONGEST_ERROR] if stated else ""


def tool_definitions(tools: Json) -> list[Json]:
    """Tools of a request, each with its name, description and parameters."""
    found = tools if isinstance(tools, list) else []
    return [
        {"type": "function"} | tool["function"]
        if isinstance(tool, dict) and isinstance(tool.get("function"), dict)
        else tool
        for tool in found
    ]


def model_turn(
    at: At,
    *,
    output: GenAiMessage,
    unread: Sequence[GenAiMessage] = (),
    agent: str = "",
    model: str = "",
    tools: Sequence[Json] = (),
    more: Mapping[str, Json] | None = None,
) -> SpanRecord:
    """A span for one answer of a model.

    Args:
        at: Where it stands.
        output: What the model answered.
        unread: Messages it was given that are new since its last answer.
        agent: Who spoke.
        model: Model that answered.
        tools: Definitions of the tools it could call.
        more: Further attributes.
    """
    given = {
        "gen_ai.agent.name": agent,
        "gen_ai.request.model": model,
        "gen_ai.input.messages": list(unread),
        "gen_ai.tool.definitions": list(tools),
    }
    attributes: dict[str, Json] = {"gen_ai.operation.name": "chat"}
    attributes |= {key: value for key, value in given.items() if value}
    attributes["gen_ai.output.messages"] = [output]
    attributes |= more or {}
    return at.span(f"chat {agent or model}", attributes, "")


def tool_run(
    at: At,
    *,
    name: str,
    call_id: str = "",
    arguments: Json = None,
    result: Json = None,
    error: str = "",
    more: Mapping[str, Json] | None = None,
) -> SpanRecord:
    """A span for one run of a tool.

    Args:
        at: Where it stands; the index is that of the result's message.
        name: Tool name, "" if unknown.
        call_id: Id of the call that asked for it, "" if there is none.
        arguments: What it was given; text where the source's isn't JSON.
        result: What it gave.
        error: The source's words, if the source itself says that it failed.
        more: Further attributes.
    """
    given = {
        "gen_ai.tool.name": name or None,
        "gen_ai.tool.call.id": call_id or None,
        "gen_ai.tool.call.arguments": arguments,
        "gen_ai.tool.call.result": result,
    }
    attributes: dict[str, Json] = {"gen_ai.operation.name": "execute_tool"}
    attributes |= {key: value for key, value in given.items() if value is not None}
    attributes |= more or {}
    return at.span(f"execute_tool {name}", attributes, error)


def boundary(at: At, kind: str, text: str) -> SpanRecord:
    """A span for what came from outside: ``user``, ``system``, ``environment``."""
    attributes = {"agenteval.boundary": kind, "agenteval.output": text}
    return at.span(f"{kind} message", attributes, "")
