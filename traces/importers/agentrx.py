"""AgentRx: failed trajectories, and files of the failures that people saw.

Trajectories of Magentic-One are bare lists of turns in a file that is named as
the trajectory; those of τ-bench are its result files. Labels stand in files of
their own and name a trajectory and a step, counted from 1 over all messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from traces.domain.records import (
    Json,
    ReferenceLabel,
    Reject,
    SpanRecord,
    StepType,
    TraceRecord,
)
from traces.importers.base import Limits, Sample
from traces.importers.chat import At, Conversation, boundary, model_turn, tool_run
from traces.importers.jsonstream import Item, JsonSource, digest
from traces.importers.messages import GenAiMessage, plain_text, text_message
from traces.importers.values import (
    amount,
    count,
    fields,
    first_text,
    items,
    kept,
    objects,
    text,
)

NAME = "agentrx"
LABEL = "AgentRx trajectories and labels"

_HUB = "Orchestrator"
_INSTRUCTION = re.compile(r"Orchestrator \(-> ([^)]{1,100})\)")
_PEOPLE = {"human", "user"}
_TERMINAL = "ComputerTerminal"
_LONGEST_ID = 80
_ADHERENCE = "Instruction/Plan Adherence Failure"
_CATEGORIES = (
    _ADHERENCE,
    "Invention of New Information",
    "Invalid Invocation",
    "Misinterpretation of Tool Output",
    "Intent-Plan Misalignment",
    "Underspecified User Intent",
    "Intent Not Supported",
    "Guardrails Triggered",
    "System Failure",
    "Inconclusive",
)


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name[:100]).strip().casefold()


_SPELLINGS = {_bare(name): name for name in _CATEGORIES}
_SPELLINGS["instruction adherence failure"] = _ADHERENCE


def recognises(sample: Sample) -> bool:
    """A list of turns in which an orchestrator thinks or addresses someone."""
    turns = objects(sample.value)
    roles = [text(turn.get("role")) for turn in turns[:4]]
    return any(role.startswith(f"{_HUB} (") for role in roles)


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read trajectories, and labels as traces without spans."""
    values = JsonSource(source, limits=limits, name=name)
    if recognises(values.sample):
        for item in values.documents():
            yield item if isinstance(item, Reject) else _magentic(item, name)
        return
    for item in values.items():
        yield item if isinstance(item, Reject) else _item(item)


def _item(item: Item) -> TraceRecord | Reject:
    value = fields(item.value)
    if isinstance(value.get("traj"), list) and "task_id" in value:
        return _tau(item)
    if isinstance(value.get("failures"), list) and "trajectory_id" in value:
        return _labels_alone(item)
    reason = "neither a trajectory nor the failures of one."
    return Reject("trace", item.place, reason, "no_trajectory")


def _trace_id(given: Json) -> str:
    return f"{NAME}-{str(given)[:_LONGEST_ID]}"


def _tau(item: Item) -> TraceRecord:
    """A run of τ-bench; a message's index is one less than its step number."""
    value = item.value
    talk = Conversation(_trace_id(value["task_id"]))
    talk.add_all(value["traj"])
    reward = amount(value.get("reward"))
    labels: tuple[ReferenceLabel, ...] = ()
    if reward is not None:
        outcome = "passed" if reward >= 1 else "failed"
        labels = (ReferenceLabel("outcome", outcome, "tau_bench"),)
    return TraceRecord(
        talk.trace_id,
        tuple(talk.spans),
        labels=labels,
        attributes=kept(
            {
                "name": f"τ-bench task {value['task_id']}",
                "case": str(value["task_id"]),
                "run": str(value.get("trial", "")),
                "reference": value.get("info"),
            }
        ),
        rejects=item.notes,
    )


def _magentic(item: Item, name: str) -> TraceRecord | Reject:
    turns = items(item.value)
    if not objects(turns):
        reason = "a list without turns."
        return Reject("trace", item.place, reason, "no_turns")
    stem = name.rpartition("/")[2].partition(".")[0]
    hub = _Hub(_trace_id(stem or digest(turns)))
    for position, turn in enumerate(turns):
        if isinstance(turn, dict):
            hub.add(turn, position)
    case = {"case": stem} if stem else {}
    return TraceRecord(
        hub.trace_id, tuple(hub.spans), attributes=case, rejects=item.notes
    )


@dataclass
class _Hub:
    """An orchestrator that thinks, and addresses one agent at a time."""

    trace_id: str
    spans: list[SpanRecord] = field(default_factory=list)
    said: list[GenAiMessage] = field(default_factory=list)
    heard: dict[str, int] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)
    thought: str = ""
    answer: str = ""

    def add(self, turn: dict[str, Json], position: int) -> None:
        role, words = text(turn.get("role")), plain_text(turn.get("content") or "")
        span_id = f"m{position}"
        instruction = _INSTRUCTION.fullmatch(role)
        if role in _PEOPLE:
            at = At(self.trace_id, span_id, position)
            self.spans.append(boundary(at, "user", words))
            self._tell(role, words)
        elif instruction:
            needs = [self.thought]
            self._speak(_HUB, words, position, needs, handoff=instruction[1])
            self._tell(_HUB, words)
            self.asked[instruction[1]] = span_id
        elif role.startswith(f"{_HUB} ("):
            plan = role.endswith("(thought)")
            self._speak(_HUB, words, position, [self.thought, self.answer], plan=plan)
            self.thought, self.answer = span_id, ""
        else:
            self._act(role, words, position)

    def _act(self, role: str, words: str, position: int) -> None:
        needs = [self.asked.get(role, "")]
        if role == _TERMINAL:
            more: dict[str, Json] = {"gen_ai.agent.name": role}
            at = At(self.trace_id, f"m{position}", position)
            more |= {"agenteval.depends_on": [key for key in needs if key]}
            self.spans.append(tool_run(at, name="shell", result=words, more=kept(more)))
        else:
            self._speak(role, words, position, needs)
        self._tell(role, words)
        self.answer = f"m{position}"

    def _tell(self, role: str, words: str) -> None:
        self.said.append(text_message("user", words) | {"name": role})

    def _speak(
        self,
        agent: str,
        words: str,
        position: int,
        needs: list[str],
        *,
        plan: bool = False,
        handoff: str = "",
    ) -> None:
        new = self.said[self.heard.get(agent, 0) :]
        self.heard[agent] = len(self.said)
        more = {
            "agenteval.depends_on": [key for key in needs if key],
            "agenteval.step.type": str(StepType.PLAN) if plan else "",
            "agenteval.handoff_to": handoff,
        }
        self.spans.append(
            model_turn(
                At(self.trace_id, f"m{position}", position),
                output=text_message("assistant", words),
                unread=[message for message in new if message["name"] != agent],
                agent=agent,
                more=kept(more),
            )
        )


def _labels_alone(item: Item) -> TraceRecord | Reject:
    value = item.value
    root = fields(value.get("root_cause"))
    labels = [
        label
        for failure in objects(value["failures"])
        for label in _labels(failure, root)
    ]
    if not labels:
        reason = "no failure with a step number."
        return Reject("trace", item.place, reason, "no_labels")
    summary = first_text(value, "failure_summary")
    outcome = ReferenceLabel("outcome", "failed", NAME, note=summary)
    trace_id = _trace_id(value["trajectory_id"])
    return TraceRecord(trace_id, (), labels=(*labels, outcome), rejects=item.notes)


def _labels(
    failure: dict[str, Json], root: dict[str, Json]
) -> Iterator[ReferenceLabel]:
    """Labels of one failure; more of them if it is the root cause."""
    number = count(failure.get("step_number"))
    if not number:
        return
    span_id, index = f"m{number - 1}", str(number - 1)
    why = first_text(failure, "step_reason")
    yield ReferenceLabel("failed_step", index, NAME, span_id, why)
    if name := first_text(failure, "failure_category"):
        reason = first_text(failure, "category_reason")
        value = category(name)
        yield ReferenceLabel("category", value, NAME, span_id, reason)
    if failure.get("failure_id") != root.get("failure_id", ""):
        return
    reason = first_text(root, "reason_for_root_cause")
    yield ReferenceLabel("root_step", index, NAME, span_id, reason)
    if agent := first_text(failure, "failed_agent"):
        yield ReferenceLabel("root_agent", agent, NAME, note=reason)


def category(name: str) -> str:
    """The category as AgentRx's list spells it; what isn't in it stays.

    >>> category("Intent not supported")
    'Intent Not Supported'
    """
    return _SPELLINGS.get(_bare(name), name)
