"""One span in one vocabulary, whatever dialect its sender spoke.

``traces.domain.reading`` makes these from span records; the graph and the
checks read nothing else. Content is complete here: cutting for display or for
prompts happens where it is shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from traces.domain.records import Json


class Role(StrEnum):
    """What a span stands for in an agent's run."""

    AGENT = "agent"
    LLM = "llm"
    TOOL = "tool"
    RETRIEVER = "retriever"
    EMBEDDING = "embedding"
    RERANKER = "reranker"
    GUARDRAIL = "guardrail"
    EVALUATOR = "evaluator"
    HANDOFF = "handoff"
    CHAIN = "chain"
    BOUNDARY = "boundary"
    """User query, system prompt: given from outside, never scored."""
    PLUMBING = "plumbing"
    """HTTP, gRPC, database client spans and the like: no step, no group."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request to run a tool.

    Attributes:
        name: Tool name, "" if the source doesn't say.
        arguments: Parsed arguments; the raw text where it isn't valid JSON.
        call_id: The source's id of the call, "" if none.
        malformed: Why the arguments could not be parsed, "" if they could.
    """

    name: str
    arguments: Json = None
    call_id: str = ""
    malformed: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation.

    Attributes:
        role: ``system``, ``user``, ``assistant``, ``tool`` (lower case).
        text: Text parts joined by newlines; "" if there is none.
        reasoning: Thinking that the model gave beside its answer.
        tool_calls: Calls the message asks for.
        call_id: For a tool message: the call it answers.
        name: Speaker's or tool's name where given.
        omitted: What was there but isn't text: ``image``, ``audio``, ``file``.
    """

    role: str
    text: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    name: str = ""
    omitted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool the model could choose from.

    Attributes:
        name: Tool name.
        description: What it does.
        parameters: JSON Schema of the arguments, None where unknown.
    """

    name: str
    description: str = ""
    parameters: Json = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money of one model call.

    ``input`` and ``output`` include their parts; ``cached``, ``cache_write``
    and ``reasoning`` are parts, never added again. None means not said.
    ``cost_usd`` is what the sender stated.
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    cost_usd: float | None = None


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Declared:
    """What the sender declared by the ``agenteval.*`` convention.

    Attributes:
        step_type: Step type, "" if not declared.
        depends_on: Span ids this span depends on.
        workflow: Name of the workflow.
        step: Name of the step within the workflow's schema.
    """

    step_type: str = ""
    depends_on: tuple[str, ...] = ()
    workflow: str = ""
    step: str = ""


NOT_DECLARED = Declared()


@dataclass(frozen=True, slots=True)
class SpanView:
    """A span in our own words.

    Attributes:
        role: What the span stands for.
        agent: Agent that acts in this very span, "" if it doesn't say.
        input: What went in: text or JSON; None if not recorded.
        output: What came out: text or JSON; None if not recorded.
        input_messages: Conversation given to a model, oldest first.
        output_messages: What the model answered.
        call: For TOOL spans the call that was run (RETRIEVER too, with the
            query as argument).
        tools: Tools the model could choose from.
        error: The source's own words for a failure, "" if it reports none.
        model: Model that answered, else the one that was asked, else "".
        provider: Provider name, else "".
        finish_reason: Why the model stopped, "" if not said.
        usage: Tokens and money.
        declared: The sender's declaration.
        handoff_to: Agent that takes over (HANDOFF spans, addressed turns).
        session: Conversation or session id, else "".
        user: User id, else "".
        tags: Tags in the order given.
        boundary: ``user``, ``system`` or ``environment`` for BOUNDARY spans.
        content_omitted: True where the sender switched content recording off.
        metadata: Facts about the trace that the span carries: ``name``,
            ``case``, ``run``, ``version``, ``environment``, ``outcome``.
    """

    role: Role
    agent: str = ""
    input: Json = None
    output: Json = None
    input_messages: tuple[Message, ...] = ()
    output_messages: tuple[Message, ...] = ()
    call: ToolCall | None = None
    tools: tuple[ToolDefinition, ...] = ()
    error: str = ""
    model: str = ""
    provider: str = ""
    finish_reason: str = ""
    usage: Usage = NO_USAGE
    declared: Declared = NOT_DECLARED
    handoff_to: str = ""
    session: str = ""
    user: str = ""
    tags: tuple[str, ...] = ()
    boundary: str = ""
    content_omitted: bool = False
    metadata: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StepContent:
    """What one step was given and what it gave: the judge's view of it.

    Attributes:
        input: Text or JSON the step worked on; None if not recorded.
        output: Text or JSON the step gave; None if not recorded.
        call: For TOOLSEL, PARAMGEN, EXEC: the tool call concerned.
        tools: For TOOLSEL, PARAMGEN: tools that could be chosen.
        error: The source's own words for a failure, "" if it reports none.
        finish_reason: Why the model stopped, "" if not said.
        reasoning: The model's own thinking beside the output.
        omitted: Non-text parts that were left out.
    """

    input: Json = None
    output: Json = None
    call: ToolCall | None = None
    tools: tuple[ToolDefinition, ...] = ()
    error: str = ""
    finish_reason: str = ""
    reasoning: str = ""
    omitted: tuple[str, ...] = ()
