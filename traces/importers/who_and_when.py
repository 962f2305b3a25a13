"""Failure logs of Who&When: multi-agent runs with the decisive error marked.

Two kinds share one outer shape. In the algorithm-generated ones (CaptainAgent)
experts talk in one room and a terminal runs their code; in the hand-crafted
ones (Magentic-One) an orchestrator keeps a ledger and addresses one agent at a
time. Turns have no ids and no times; a label names a turn by its index.
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
from traces.importers.chat import At, boundary, model_turn, tool_run
from traces.importers.jsonstream import Item, JsonSource, digest
from traces.importers.messages import GenAiMessage, plain_text, text_message

NAME = "who_and_when"
LABEL = "Who&When failure logs"

TERMINALS = {"Computer_terminal", "ComputerTerminal"}
ORCHESTRATOR = "Orchestrator"
_MARKS = {"mistake_step", "mistake_agent", "question_ID"}
_INSTRUCTION = re.compile(r"Orchestrator \(-> ([^)]{1,100})\)")
_PEOPLE = {"human", "user"}
_FENCE = "```"
_SHELLS = {"sh", "shell", "bash", "console"}
_EXIT = re.compile(r"exit ?code:? *(?:was: *)?(-?[0-9]{1,6})", re.IGNORECASE)


def recognises(sample: Sample) -> bool:
    """An object with ``history`` and the marks of a labelled failure."""
    first = sample.first
    if not isinstance(first, dict) or not isinstance(first.get("history"), list):
        return False
    if _MARKS & first.keys():
        return True
    roles = [t.get("role") for t in first["history"][:4] if isinstance(t, dict)]
    return any(str(role).startswith(f"{ORCHESTRATOR} (") for role in roles)


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one log after another."""
    for item in JsonSource(source, limits=limits, name=name).items():
        yield item if isinstance(item, Reject) else _log(item)


def _log(item: Item) -> TraceRecord | Reject:
    log = item.value
    turns = log.get("history") if isinstance(log, dict) else None
    if not isinstance(turns, list):
        reason = "a log without a list of turns under “history”."
        return Reject("trace", item.place, reason, "no_turns")
    question = str(log.get("question_ID") or "unnamed")[:80]
    trace_id = f"whowhen-{question}-{digest(turns)}"
    prompts = log.get("system_prompt")
    given = prompts if isinstance(prompts, dict) else {}
    room = (_Room if _has_names(turns) else _Hub)(trace_id, dict(given))
    room.ask(log.get("question"))
    for position, turn in enumerate(turns):
        if isinstance(turn, dict):
            room.add(turn, position)
    labels, notes = _labels(log, len(turns), item.place)
    return TraceRecord(
        trace_id,
        tuple(room.spans),
        labels=labels,
        attributes=_attributes(log),
        rejects=(*item.notes, *notes),
    )


def _has_names(turns: list[Json]) -> bool:
    return any(isinstance(turn, dict) and turn.get("name") for turn in turns[:5])


@dataclass
class _Turns:
    """Spans of one log, with what each agent has not read yet.

    Attributes:
        trace_id: Trace.
        prompts: System prompts by agent, each given with its first turn.
        spans: Made so far.
        said: Messages that others hear.
        heard: How many of these each agent has read.
        code: Latest code, after a line with its language.
        code_span: Span that wrote it.
    """

    trace_id: str
    prompts: dict[str, Json] = field(default_factory=dict)
    spans: list[SpanRecord] = field(default_factory=list)
    said: list[GenAiMessage] = field(default_factory=list)
    heard: dict[str, int] = field(default_factory=dict)
    code: str = ""
    code_span: str = ""

    def ask(self, question: Json) -> None:
        """Take in the question that stands beside the turns."""

    def at(self, position: int) -> At:
        """Place of the span of one turn."""
        return At(self.trace_id, f"m{position}", position)

    def unread(self, agent: str) -> list[GenAiMessage]:
        """What was said since the agent's last turn, its own words left out."""
        new = self.said[self.heard.get(agent, 0) :]
        self.heard[agent] = len(self.said)
        prompt = self.prompts.pop(agent, None)
        system = [text_message("system", prompt)] if isinstance(prompt, str) else []
        return [*system, *(m for m in new if m["name"] != agent)]

    def say(self, agent: str, text: str) -> None:
        """Let the others hear a turn."""
        self.said.append(text_message("user", text) | {"name": agent})

    def speak(self, agent: str, text: str, position: int, **more: Json) -> None:
        """A turn of an agent."""
        self.spans.append(
            model_turn(
                self.at(position),
                output=text_message("assistant", text),
                unread=self.unread(agent),
                agent=agent,
                more={_KEYS[key]: value for key, value in more.items() if value},
            )
        )
        code = code_blocks(text)
        if code:
            self.code, self.code_span = code, f"m{position}"

    def run(self, agent: str, text: str, position: int, needs: list[str]) -> None:
        """A turn of the terminal: the nearest earlier code was run."""
        needs = [*needs, self.code_span] if self.code_span else needs
        exit_code = _EXIT.search(text[:300])
        failed = exit_code is not None and exit_code[1] != "0"
        language, _, code = self.code.partition("\n")
        self.spans.append(
            tool_run(
                self.at(position),
                name="shell" if language in _SHELLS else "python",
                arguments={"code": code} if self.code_span else None,
                result=text,
                error=text.partition("\n")[0][:300] if failed else "",
                more={"gen_ai.agent.name": agent}
                | ({"agenteval.depends_on": needs} if needs else {}),
            )
        )


_KEYS = {
    "step_type": "agenteval.step.type",
    "handoff_to": "agenteval.handoff_to",
    "depends_on": "agenteval.depends_on",
}


class _Room(_Turns):
    """Experts in one room: everyone hears everything."""

    def ask(self, question: Json) -> None:
        # Turn 0 wraps the question into the first expert's own instructions.
        if isinstance(question, str) and question:
            self.spans.append(boundary(At(self.trace_id, "q"), "user", question))

    def add(self, turn: dict[str, Json], position: int) -> None:
        agent, text = str(turn.get("name") or ""), plain_text(turn.get("content"))
        if agent not in TERMINALS:
            self.speak(agent, text, position)
        elif text.startswith("exitcode"):
            self.run(agent, text, position, [])
        else:
            # The terminal says that it found no code: nothing was run.
            self.spans.append(boundary(self.at(position), "environment", text))
        self.say(agent, text)


@dataclass
class _Hub(_Turns):
    """An orchestrator that addresses one agent at a time and keeps its thoughts."""

    thought: str = ""
    answer: str = ""
    instructions: dict[str, str] = field(default_factory=dict)

    def add(self, turn: dict[str, Json], position: int) -> None:
        role, text = str(turn.get("role") or ""), plain_text(turn.get("content"))
        instruction = _INSTRUCTION.fullmatch(role)
        if instruction:
            self._instruct(instruction[1], text, position)
        elif role.startswith(f"{ORCHESTRATOR} ("):
            self._think(role, text, position)
        elif role in _PEOPLE:
            self.spans.append(boundary(self.at(position), "user", text))
            self.say(role, text)
        else:
            self._act(role, text, position)

    def _think(self, role: str, text: str, position: int) -> None:
        plan = str(StepType.PLAN) if role.endswith("(thought)") else ""
        needs = [span for span in (self.thought, self.answer) if span]
        self.speak(ORCHESTRATOR, text, position, step_type=plan, depends_on=needs)
        self.thought, self.answer = f"m{position}", ""

    def _instruct(self, agent: str, text: str, position: int) -> None:
        needs = [self.thought] if self.thought else []
        self.speak(ORCHESTRATOR, text, position, handoff_to=agent, depends_on=needs)
        self.say(ORCHESTRATOR, text)
        self.instructions[agent] = f"m{position}"

    def _act(self, agent: str, text: str, position: int) -> None:
        asked = self.instructions.get(agent)
        needs = [asked] if asked else []
        if agent in TERMINALS:
            self.run(agent, text, position, needs)
        else:
            self.speak(agent, text, position, depends_on=needs)
        self.say(agent, text)
        self.answer = f"m{position}"


def code_blocks(text: str) -> str:
    """The code in a text's fences, after a first line with its language.

    "" if there is no closed fence with a line break after the language.
    """
    parts = text.split(_FENCE)
    found = [part.split("\n", 1) for part in parts[1::2][: (len(parts) - 1) // 2]]
    blocks = [block for block in found if len(block) == 2]
    if not blocks:
        return ""
    language = blocks[0][0].strip().lower()
    return "\n".join([language, *(block[1].rstrip("\n") for block in blocks)])


def _failed(log: dict[str, Json]) -> bool:
    return log.get("is_correct", log.get("is_corrected")) is False


def _labels(
    log: dict[str, Json], turns: int, place: str
) -> tuple[tuple[ReferenceLabel, ...], tuple[Reject, ...]]:
    """The labels, and a note on one that names no turn."""
    agent, note = str(log.get("mistake_agent") or ""), log.get("mistake_reason")
    reason = note if isinstance(note, str) else ""
    found = []
    if _failed(log):
        found.append(ReferenceLabel("outcome", "failed", NAME))
    if agent:
        found.append(ReferenceLabel("root_agent", agent, NAME, note=reason))
    step = log.get("mistake_step")
    if step is None:
        return tuple(found), ()
    number = str(step)
    if not (number.isdecimal() and len(number) < 9 and int(number) < turns):
        reason = f"mistake_step {number[:40]!r} names none of the {turns} turns."
        return tuple(found), (Reject("attribute", place, reason, "bad_label"),)
    label = ReferenceLabel("root_step", number, NAME, f"m{int(number)}", reason)
    return (*found, label), ()


def _attributes(log: dict[str, Json]) -> dict[str, Json]:
    reference = {key: log[key] for key in ("ground_truth", "level") if key in log}
    found: dict[str, Json] = {
        "name": log.get("question"),
        "case": log.get("question_ID"),
        "outcome": "failed" if _failed(log) else None,
        "reference": reference,
    }
    return {key: value for key, value in found.items() if value}
