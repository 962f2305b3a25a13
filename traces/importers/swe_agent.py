"""Trajectories of SWE-agent (``.traj``), of its first and its later schema.

A step is a thought with one command and what the command printed. The
``history`` repeats the steps as messages, with the prompts before them; what
it marks as a demonstration belongs to another task and is left out. Files with
outcomes that lie beside trajectories are named as such.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO

from traces.domain.records import Json, Reject, SpanRecord, TraceRecord
from traces.importers.base import Limits, Sample
from traces.importers.chat import At, boundary, model_turn, tool_run
from traces.importers.jsonstream import Item, JsonSource, digest
from traces.importers.jsontext import value_or_text
from traces.importers.messages import (
    GenAiMessage,
    Part,
    plain_text,
    read_message,
    text_message,
    text_of,
)

NAME = "swe_agent"
LABEL = "SWE-agent trajectories"

_STEP = {"action", "observation"}
_OUTCOMES = (
    {"resolved", "no_generation"},
    {"resolved_ids", "unresolved_ids"},
)
_REPORT = {"patch_successfully_applied", "tests_status", "patch_exists"}
_LONGEST_NAME = 64


def recognises(sample: Sample) -> bool:
    """A trajectory, a history of one, or a file with outcomes."""
    first = sample.first
    if not isinstance(first, dict):
        return False
    return _has_steps(first) or _has_history(first) or _is_outcome(first)


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one trajectory after another."""
    for item in JsonSource(source, limits=limits, name=name).items():
        yield item if isinstance(item, Reject) else _trajectory(item, name)


def _has_steps(value: dict[str, Json]) -> bool:
    steps = value.get("trajectory")
    first = steps[0] if isinstance(steps, list) and steps else None
    if first is None:
        return isinstance(steps, list) and "history" in value
    return isinstance(first, dict) and bool(_STEP & first.keys())


def _has_history(value: dict[str, Json]) -> bool:
    history = value.get("history")
    first = history[0] if isinstance(history, list) and history else None
    return isinstance(first, dict) and {"role", "agent", "content"} <= first.keys()


def _is_outcome(value: dict[str, Json]) -> bool:
    if any(marks <= value.keys() for marks in _OUTCOMES):
        return True
    first = next(iter(value.values()), None)
    return isinstance(first, dict) and bool(_REPORT & first.keys())


def _trajectory(item: Item, name: str) -> TraceRecord | Reject:
    value = item.value
    if not isinstance(value, dict):
        reason = "not an object with a trajectory."
        return Reject("trace", item.place, reason, "no_steps")
    history, steps = _history(value), value.get("trajectory")
    if not isinstance(steps, list):
        if not history:
            return _refused(value, item.place)
        steps = _steps_of(history)
    trace_id = f"swe-{digest([steps, history])}"
    run = _Run(trace_id, calls=_calls(history), model=_model(value))
    run.open(history)
    for position, step in enumerate(steps):
        if isinstance(step, dict):
            run.add(step, position)
    return TraceRecord(
        run.trace_id,
        tuple(run.spans),
        attributes=_attributes(value, name),
        rejects=item.notes,
    )


def _refused(value: dict[str, Json], place: str) -> Reject:
    if _is_outcome(value):
        reason = "outcomes of runs, no trajectory: import the .traj files."
        return Reject("file", place, reason, "not_traces")
    return Reject("trace", place, "no trajectory and no history here.", "no_steps")


def _history(value: dict[str, Json]) -> list[dict[str, Json]]:
    """Messages of this run, without demonstrations of other tasks."""
    found = value.get("history")
    return [
        message
        for message in (found if isinstance(found, list) else [])
        if isinstance(message, dict)
        and not message.get("is_demo")
        and message.get("message_type") != "demonstration"
    ]


def _steps_of(history: list[dict[str, Json]]) -> list[Json]:
    """The steps, where only the messages were kept."""
    steps: list[dict[str, Json]] = []
    for message in history:
        if message.get("role") == "assistant":
            steps.append(
                {
                    "thought": message.get("thought", message.get("content")),
                    "action": message.get("action", ""),
                }
            )
        elif steps and "observation" not in steps[-1]:
            steps[-1]["observation"] = message.get("content")
    return list(steps)


def _calls(history: list[dict[str, Json]]) -> dict[str, Part]:
    """Function calls by the command they became, where the model made such."""
    found: dict[str, Part] = {}
    for message in history:
        parts = read_message(message)["parts"] if message.get("tool_calls") else []
        calls = [part for part in parts if part["type"] == "tool_call"]
        if calls:
            found.setdefault(str(message.get("action")).strip(), calls[0])
    return found


@dataclass
class _Run:
    """Makes the spans of one trajectory."""

    trace_id: str
    calls: dict[str, Part]
    model: str = ""
    spans: list[SpanRecord] = field(default_factory=list)
    unread: list[GenAiMessage] = field(default_factory=list)
    agent: str = ""

    def open(self, history: list[dict[str, Json]]) -> None:
        """The prompts before the first step."""
        for number, message in enumerate(history):
            read = read_message(message)
            if read["role"] not in {"system", "user"}:
                self.agent = str(message.get("agent") or "")
                return
            at = At(self.trace_id, f"h{number}")
            self.spans.append(boundary(at, read["role"], text_of(read)))
            self.unread.append(read)

    def add(self, step: dict[str, Json], position: int) -> None:
        """A thought with its command, and what the command printed."""
        action = plain_text(step.get("action") or "").strip()
        observation = plain_text(step.get("observation") or "")
        call = self._call(action, position) if action else None
        self._turn(step, call, position)
        if call:
            self._run(step, call, observation, position)
            answer: Part = {"type": "tool_call_response", "id": call["id"]}
            parts = [answer | {"response": observation}]
            self.unread = [{"role": "tool", "parts": parts}]
        elif observation:
            at = At(self.trace_id, f"m{position}.c0", position)
            self.spans.append(boundary(at, "environment", observation))
            self.unread = [text_message("user", observation)]

    def _call(self, action: str, position: int) -> Part:
        known = self.calls.get(action)
        name, arguments = command(action)
        made: Part = {"type": "tool_call", "id": f"m{position}.c0"}
        if known:
            return made | {"name": known["name"], "arguments": known["arguments"]}
        return made | {"name": name, "arguments": arguments}

    def _turn(self, step: dict[str, Json], call: Part | None, position: int) -> None:
        thought = plain_text(step.get("thought") or step.get("response") or "")
        parts: list[Part] = []
        if thought.strip():
            parts.append({"type": "reasoning" if call else "text", "content": thought})
        output: GenAiMessage = {"role": "assistant", "parts": parts}
        if call:
            parts.append(call)
        at = At(self.trace_id, f"m{position}", position)
        turn = model_turn(
            at,
            output=output,
            unread=self.unread,
            agent=self.agent,
            model=self.model,
        )
        self.spans.append(turn)
        self.unread = []

    def _run(
        self, step: dict[str, Json], call: Part, observation: str, position: int
    ) -> None:
        self.spans.append(
            tool_run(
                At(self.trace_id, call["id"], position),
                name=call["name"],
                call_id=call["id"],
                arguments=call["arguments"],
                result=observation,
                more=_state(step),
            )
        )


def command(action: str) -> tuple[str, Json]:
    """The name of a command and the rest of its line and of the lines below.

    >>> command("open src/app.py 40")
    ('open', {'args': 'src/app.py 40'})
    """
    name, *rest = action.split(maxsplit=1)
    return name[:_LONGEST_NAME], {"args": rest[0]} if rest else {}


def _state(step: dict[str, Json]) -> dict[str, Json]:
    """Working directory and open file after the command, and how long it took."""
    state = step.get("state")
    if isinstance(state, str):
        state = value_or_text(state)
    found = {"state": state or None, "execution_time": step.get("execution_time")}
    return {
        f"swe_agent.{key}": value for key, value in found.items() if value is not None
    }


def _model(value: dict[str, Json]) -> str:
    """Name of the model, "" if unknown or if a recording was played back."""
    agent = _object(_object(value.get("replay_config")).get("agent"))
    name = _object(agent.get("model")).get("name")
    return name if isinstance(name, str) and name != "replay" else ""


def _attributes(value: dict[str, Json], name: str) -> dict[str, Json]:
    info = _object(value.get("info"))
    problem = _object(_object(value.get("replay_config")).get("problem_statement"))
    file = name.rpartition("/")[2]
    instance = problem.get("id") or (
        file.removesuffix(".traj") if file.endswith(".traj") else None
    )
    found: dict[str, Json] = {
        "name": instance,
        "case": instance,
        "exit_status": info.get("exit_status"),
        "submission": info.get("submission"),
        "usage": info.get("model_stats"),
        "environment": value.get("environment"),
    }
    return {key: kept for key, kept in found.items() if kept}


def _object(value: Json) -> dict[str, Json]:
    """An object, perhaps written as text; empty if it is none."""
    found = value_or_text(value) if isinstance(value, str) else value
    return found if isinstance(found, dict) else {}
