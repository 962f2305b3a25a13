"""Trajectories in the agent trajectory interchange format (ATIF).

One step of an agent holds what its model said, its calls and their results.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from traces.domain.records import Json, Reject, SpanRecord, TraceRecord
from traces.importers.base import Limits, Sample, fit_id
from traces.importers.chat import At, boundary, model_turn, tool_definitions, tool_run
from traces.importers.jsonstream import Item, JsonSource, digest
from traces.importers.messages import (
    GenAiMessage,
    Part,
    plain,
    plain_text,
    read_message,
    text_message,
)
from traces.importers.times import nanoseconds
from traces.importers.values import (
    amount,
    fields,
    first_text,
    items,
    kept,
    objects,
    text,
    usage_attributes,
)

NAME = "atif"
LABEL = "ATIF trajectories"

_VERSION = "ATIF-"


def recognises(sample: Sample) -> bool:
    """Objects whose ``schema_version`` is ATIF's and that have steps."""
    first = fields(sample.first)
    ours = text(first.get("schema_version")).startswith(_VERSION)
    return ours and isinstance(first.get("steps"), list)


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one trajectory after another."""
    for item in JsonSource(source, limits=limits, name=name).items():
        yield item if isinstance(item, Reject) else _trace(item)


def _trace(item: Item) -> TraceRecord | Reject:
    value = fields(item.value)
    steps = objects(value.get("steps"))
    if not steps:
        reason = "a trajectory without steps."
        return Reject("trace", item.place, reason, "no_steps")
    session = first_text(value, "session_id")
    own = f"atif-{digest(steps)}"
    trace_id = fit_id(first_text(value, "trajectory_id") or session, fallback=own)
    agent = fields(value.get("agent"))
    run = _Run(trace_id, first_text(agent, "name"), first_text(agent, "model_name"))
    run.tools = tool_definitions(agent.get("tool_definitions"))
    for position, step in enumerate(steps):
        run.add(step, position)
    return TraceRecord(
        trace_id,
        tuple(run.spans),
        attributes=_facts(value, agent, session),
        rejects=item.notes,
    )


@dataclass
class _Run:
    trace_id: str
    agent: str
    model: str
    tools: list[Json] = field(default_factory=list)
    spans: list[SpanRecord] = field(default_factory=list)
    unread: list[GenAiMessage] = field(default_factory=list)

    def add(self, step: dict[str, Json], position: int) -> None:
        time = nanoseconds(step.get("timestamp"))
        if step.get("source") == "agent":
            self._turn(step, position, time)
        else:
            self._outside(step, position, time)

    def _outside(self, step: dict[str, Json], position: int, time: int | None) -> None:
        kind = "system" if step.get("source") == "system" else "user"
        words = plain_text(step.get("message") or "")
        at = At(self.trace_id, f"m{position}", position)
        self.spans.append(_timed(boundary(at, kind, words), time))
        self.unread.append(text_message(kind, words))
        # A step of the system may show what an operation gave.
        for number, result in enumerate(_results(step)):
            self._result(result, {}, (position, number), time)

    def _turn(self, step: dict[str, Json], position: int, time: int | None) -> None:
        calls = objects(step.get("tool_calls"))
        message = {
            "role": "assistant",
            "content": step.get("message"),
            "reasoning_content": step.get("reasoning_content"),
            "tool_calls": [_call(call) for call in calls],
        }
        usage = fields(step.get("metrics")) or fields(step.get("usage"))
        span = model_turn(
            At(self.trace_id, f"m{position}", position),
            output=read_message(message),
            unread=self.unread,
            agent=self.agent,
            model=first_text(step, "model_name") or self.model,
            tools=self.tools,
            more=usage_attributes(usage, _cost(usage)),
        )
        self.tools, self.unread = [], []
        self.spans.append(_timed(span, time))
        known = {text(call.get("tool_call_id")): call for call in calls}
        for number, result in enumerate(_results(step)):
            asked = known.get(text(result.get("source_call_id")), {})
            self._result(result, asked, (position, number), time)

    def _result(
        self,
        result: dict[str, Json],
        asked: dict[str, Json],
        place: tuple[int, int],
        time: int | None,
    ) -> None:
        """What a call gave; without a call, what the environment showed."""
        position, number = place
        at = At(self.trace_id, f"m{position}.c{number}", position)
        content = plain(result.get("content"))
        call_id = first_text(result, "source_call_id")
        if not call_id:
            words = plain_text(content or "")
            self.unread.append(text_message("user", words))
            self.spans.append(_timed(boundary(at, "environment", words), time))
            return
        answer: Part = {"type": "tool_call_response", "id": call_id}
        self.unread.append({"role": "tool", "parts": [answer | {"response": content}]})
        span = tool_run(
            at,
            name=first_text(asked, "function_name"),
            call_id=call_id,
            arguments=asked.get("arguments"),
            result=content,
            more=kept({"atif.subagents": items(result.get("subagent_trajectory_ref"))}),
        )
        self.spans.append(_timed(span, time))


def _results(step: dict[str, Json]) -> list[dict[str, Json]]:
    return objects(fields(step.get("observation")).get("results"))


def _call(call: dict[str, Json]) -> dict[str, Json]:
    function = {"name": call.get("function_name"), "arguments": call.get("arguments")}
    return {"id": text(call.get("tool_call_id")), "function": function}


def _cost(usage: dict[str, Json]) -> float | None:
    return next((c for k in ("cost_usd", "cost") if (c := amount(usage.get(k)))), None)


def _timed(span: SpanRecord, time: int | None) -> SpanRecord:
    return replace(span, start_ns=time, end_ns=time)


def _facts(
    value: dict[str, Json], agent: dict[str, Json], session: str
) -> dict[str, Json]:
    return kept(
        {
            "session": session,
            "agent": first_text(agent, "name"),
            "version": first_text(agent, "version"),
            "usage": fields(value.get("final_metrics")),
            "notes": first_text(value, "notes"),
            "extra": fields(value.get("extra")),
        }
    )
