"""Spans into typed steps.

A model call that asks for tools becomes PLAN (its text or reasoning, if any),
one TOOLSEL and one PARAMGEN a call; a tool run becomes EXEC; an answer becomes
SYNTH, or PLAN where it only prepares the next call (METHOD section 1).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from traces.domain.graph.draft import (
    NAME_LENGTH,
    Build,
    Bundle,
    CallSite,
    Draft,
    compact,
    excerpt,
    plain,
    step_key,
)
from traces.domain.graph.tree import Node
from traces.domain.records import BOUNDARY, Json, StepType
from traces.domain.view import Message, Role, SpanView, StepContent, ToolCall

CONTAINERS = frozenset({Role.AGENT, Role.CHAIN})
RUNS = frozenset({Role.TOOL, Role.RETRIEVER, Role.EMBEDDING, Role.RERANKER})
_PLANNING = re.compile(
    r"\b(?:plan|planner|planning|decompos\w*|router?|routing|supervisor"
    r"|orchestrat\w*|thought|think|reason\w*|ledger)\b",
    re.IGNORECASE,
)


def expand(build: Build) -> None:
    """Fill ``drafts``, ``bundles`` and ``groups`` from the tree and the views."""
    uses = _uses(build)
    for span_id, use in uses.items():
        if use in {"group", "both"}:
            agent = build.views[span_id].role in {Role.AGENT, *RUNS}
            build.groups[span_id] = "agent" if agent else "chain"
    build.locate()
    for span_id in build.tree.walk():
        if uses[span_id] in {"step", "both"}:
            _add_steps(build, span_id)
    _settle_text_steps(build)


def _uses(build: Build) -> Mapping[str, str]:
    """What each span is used as: ``step``, ``group``, ``both`` or ``skip``."""
    order = list(build.tree.walk())
    yields: dict[str, bool] = {}
    models: dict[str, bool] = {}
    uses: dict[str, str] = {}
    for span_id in reversed(order):
        node, view = build.tree.nodes[span_id], build.views[span_id]
        inside = any(yields[child] for child in node.children)
        model_inside = any(models[child] for child in node.children)
        uses[span_id] = _use(build, node, view, inside, model_inside)
        yields[span_id] = inside or uses[span_id] in {"step", "both"}
        models[span_id] = model_inside or view.role is Role.LLM
    return {span_id: uses[span_id] for span_id in order}


def _use(
    build: Build, node: Node, view: SpanView, inside: bool, model_inside: bool
) -> str:
    if view.declared.step_type:
        return "both" if inside else "step"
    if node.missing or view.role in CONTAINERS:
        return _container_use(node, view, inside)
    if view.role is Role.PLUMBING:
        return "skip"
    if view.role is Role.LLM:
        return "group" if model_inside else "step"
    if _repeats_container(build, node, view):
        return "skip"
    return "both" if inside and view.role in RUNS else "step"


def _container_use(node: Node, view: SpanView, inside: bool) -> str:
    says = view.input is not None or view.output is not None or view.error
    if inside or node.missing or not (says or view.output_messages):
        return "group"
    return "step"


def _repeats_container(build: Build, node: Node, view: SpanView) -> bool:
    """Whether a tool span is the inner half (client, server) of its container."""
    above = build.views.get(node.parent)
    if above is None or above.role is not Role.TOOL or view.role is not Role.TOOL:
        return False
    return _tool_name(above, "") == _tool_name(view, "")


def _add_steps(build: Build, span_id: str) -> None:
    view, node = build.views[span_id], build.tree.nodes[span_id]
    bundle = build.bundles.setdefault(span_id, Bundle())
    if view.declared.step_type:
        _add_declared(build, node, view, bundle)
    elif view.role in {Role.BOUNDARY, Role.EVALUATOR}:
        _add_boundary(build, node, view, bundle)
    elif view.role is Role.HANDOFF or view.handoff_to:
        _add_handoff(build, node, view, bundle)
    elif view.role in {Role.LLM, Role.AGENT}:
        _add_model_steps(build, node, view, bundle)
    else:
        _add_run(build, node, view, bundle)


def add_draft(
    build: Build,
    node: Node,
    part: str,
    step_type: str,
    name: str,
    content: StepContent,
    tool: str = "",
) -> Draft:
    """Add one step of a span; its agent and group come from the tree."""
    span_id = node.span.span_id
    draft = Draft(
        key=step_key(build.trace_id, span_id, part),
        type=step_type,
        name=name[:NAME_LENGTH],
        span_id=span_id,
        part=part,
        start=node.start,
        end=node.end,
        content=content,
        agent=build.agent_of[span_id],
        group=build.group_of[span_id],
        tool=tool,
        position=node.span.position,
    )
    build.drafts[draft.key] = draft
    return draft


def _add_declared(build: Build, node: Node, view: SpanView, bundle: Bundle) -> None:
    name = view.declared.step or node.span.name
    content = StepContent(
        input=view.input if view.input is not None else _inputs(view),
        output=view.output if view.output is not None else answer(view),
        call=view.call,
        tools=view.tools,
        error=view.error,
        finish_reason=view.finish_reason,
    )
    tool = view.call.name if view.call else ""
    draft = add_draft(build, node, "step", view.declared.step_type, name, content, tool)
    draft.error = bool(view.error)
    bundle.heads = bundle.tails = [draft.key]


def _add_boundary(build: Build, node: Node, view: SpanView, bundle: Bundle) -> None:
    text = plain(view.output) or plain(view.input)
    part = view.boundary or "check"
    name = f"{part}: {excerpt(text)}" if text else node.span.name
    value = view.output if view.output is not None else view.input
    content = StepContent(output=value, error=view.error)
    draft = add_draft(build, node, part, BOUNDARY, name, content)
    bundle.heads = bundle.tails = [draft.key]


def _add_handoff(build: Build, node: Node, view: SpanView, bundle: Bundle) -> None:
    text = answer(view) or plain(view.output)
    target = view.handoff_to or "another agent"
    content = StepContent(
        input=view.input if view.input is not None else _inputs(view),
        output=text or target,
        call=view.call or ToolCall(name=f"handoff to {target}"),
        tools=view.tools,
        error=view.error,
        finish_reason=view.finish_reason,
    )
    name = f"→ {target}" + (f": {excerpt(text)}" if text else "")
    draft = add_draft(build, node, "handoff", StepType.TOOLSEL, name, content)
    draft.error = bool(view.error)
    bundle.heads = bundle.tails = [draft.key]


def _add_run(build: Build, node: Node, view: SpanView, bundle: Bundle) -> None:
    tool = _tool_name(view, node.span.name)
    call = view.call or ToolCall(name=tool, arguments=view.input)
    content = StepContent(
        input=view.input if view.input is not None else call.arguments,
        output=view.output,
        call=call,
        error=view.error,
    )
    draft = add_draft(build, node, "result", StepType.EXEC, tool, content, tool)
    draft.error = bool(view.error)
    if node.span.span_id in build.groups:
        draft.start = draft.end
    bundle.heads = bundle.tails = [draft.key]


def _tool_name(view: SpanView, fallback: str) -> str:
    return view.call.name if view.call and view.call.name else fallback


def _add_model_steps(build: Build, node: Node, view: SpanView, bundle: Bundle) -> None:
    calls = [call for message in view.output_messages for call in message.tool_calls]
    text, reasoning = answer(view), thinking(view)
    given = _inputs(view)
    if not calls:
        _add_answer(build, node, view, bundle, given)
        return
    plan = ""
    if text or reasoning:
        content = StepContent(
            input=given,
            output=text or reasoning,
            tools=view.tools,
            reasoning=reasoning,
            finish_reason=view.finish_reason,
        )
        name = excerpt(text or reasoning)
        plan = add_draft(build, node, "plan", StepType.PLAN, name, content).key
    for number, call in enumerate(calls):
        _add_call(build, node, view, bundle, call, number, plan)
    bundle.heads = [plan] if plan else [site.select for site in bundle.sites]
    bundle.tails = [site.arguments for site in bundle.sites]


def _add_call(
    build: Build,
    node: Node,
    view: SpanView,
    bundle: Bundle,
    call: ToolCall,
    number: int,
    plan: str,
) -> None:
    thought = build.drafts[plan].content.output if plan else _inputs(view)
    select = add_draft(
        build,
        node,
        f"select:{number}",
        StepType.TOOLSEL,
        f"choose {call.name}",
        StepContent(input=thought, output=call.name, call=call, tools=view.tools),
        call.name,
    )
    tools = tuple(tool for tool in view.tools if tool.name == call.name)
    arguments = add_draft(
        build,
        node,
        f"arguments:{number}",
        StepType.PARAMGEN,
        f"{call.name}({excerpt(compact(call.arguments), 60)})",
        StepContent(
            input=thought,
            output=call.arguments,
            call=call,
            tools=tools,
            finish_reason=view.finish_reason,
        ),
        call.name,
    )
    frame = build.frame_of[node.span.span_id]
    bundle.sites.append(
        CallSite(call, select.key, arguments.key, node.span.span_id, frame)
    )


def _add_answer(
    build: Build, node: Node, view: SpanView, bundle: Bundle, given: Json
) -> None:
    text = answer(view)
    output: Json = text or view.output
    if output is None:
        output = thinking(view) or None
    content = StepContent(
        input=given,
        output=output,
        tools=view.tools,
        error=view.error,
        finish_reason=view.finish_reason,
        reasoning=thinking(view),
        omitted=tuple(kind for m in view.output_messages for kind in m.omitted),
    )
    name = excerpt(plain(output)) or node.span.name or "answer"
    draft = add_draft(build, node, "answer", StepType.SYNTH, name, content)
    draft.error = bool(view.error)
    bundle.heads = bundle.tails = [draft.key]


def answer(view: SpanView) -> str:
    """The text that a model answered, "" if it gave none."""
    return "\n".join(m.text for m in view.output_messages if m.text)


def thinking(view: SpanView) -> str:
    """The reasoning that a model gave beside its answer."""
    return "\n".join(m.reasoning for m in view.output_messages if m.reasoning)


def _inputs(view: SpanView) -> Json:
    """What a model call worked on: its input text, else the last messages."""
    if view.input_messages:
        return "\n\n".join(_rendered(m) for m in _latest(view.input_messages))
    return view.input


def _latest(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Messages after the model's own last one; all if it hasn't spoken."""
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].role == "assistant":
            return messages[at + 1 :] or messages[at:]
    return messages


def _rendered(message: Message) -> str:
    speaker = f"{message.role} {message.name}".strip()
    return f"[{speaker}] {message.text}"


def _settle_text_steps(build: Build) -> None:
    """Turn answers that only prepare a later call of the same agent into PLAN."""
    calls_next: dict[str, bool] = {}
    for draft in reversed(build.drafts.values()):
        frame = build.frame_of[draft.span_id]
        if draft.type == BOUNDARY:
            calls_next.clear()
        elif draft.part == "answer":
            if calls_next.get(frame) or _sounds_like_planning(build, draft):
                draft.type = StepType.PLAN
            calls_next[frame] = False
        elif draft.part.startswith("select:"):
            calls_next[frame] = True


def _sounds_like_planning(build: Build, draft: Draft) -> bool:
    name = build.tree.nodes[draft.span_id].span.name.replace("_", " ")
    return bool(_PLANNING.search(name[:200]))
