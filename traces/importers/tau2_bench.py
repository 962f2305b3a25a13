"""Result files of τ²-bench: simulations of a user and an agent, both with tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from traces.domain.records import (
    Json,
    ReferenceLabel,
    Reject,
    SpanRecord,
    TraceRecord,
)
from traces.importers.base import Limits, Sample, fit_id
from traces.importers.chat import At, Conversation, boundary
from traces.importers.jsonstream import Item, JsonSource, digest
from traces.importers.messages import as_text, plain_text
from traces.importers.times import nanoseconds
from traces.importers.values import (
    amount,
    fields,
    first_text,
    kept,
    objects,
    text,
    usage_attributes,
)

NAME = "tau2_bench"
LABEL = "τ²-bench results"

_MARKS = {"reward_info", "termination_reason", "agent_cost", "task_id"}
_REFERENCE = ("description", "user_scenario", "evaluation_criteria")


def recognises(sample: Sample) -> bool:
    """An object with ``simulations``, or simulations alone."""
    first = fields(sample.first)
    tasks = isinstance(first.get("tasks"), list) and "environment_info" in fields(
        first.get("info")
    )
    return tasks or _is_run(first) or any(map(_is_run, objects(_runs(first))))


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one simulation after another."""
    for item in JsonSource(source, limits=limits, name=name).items():
        if isinstance(item, Reject):
            yield item
        elif _is_run(item.value):
            yield _run(item.value, {}, item, item.place)
        else:
            yield from _file(item)


def _runs(value: Mapping[str, Json]) -> list[Json]:
    found = value.get("simulations")
    return found if isinstance(found, list) else []


def _is_run(value: Json) -> bool:
    messages = fields(value).get("messages")
    return isinstance(messages, list) and len(_MARKS & fields(value).keys()) > 1


def _file(item: Item) -> Iterator[TraceRecord | Reject]:
    value = fields(item.value)
    runs = _runs(value)
    if not runs:
        reason = "no list of simulations here."
        yield Reject("trace", item.place, reason, "no_simulations")
    tasks = {str(task.get("id")): task for task in objects(value.get("tasks"))}
    info = fields(value.get("info"))
    for number, run in enumerate(runs):
        place = f"{item.place}: simulations[{number}]"
        task = tasks.get(str(fields(run).get("task_id")), {})
        yield _run(run, {"info": info, "task": task}, item, place)


def _run(
    run: Json, around: Mapping[str, dict[str, Json]], item: Item, place: str
) -> TraceRecord | Reject:
    value = fields(run)
    messages = value.get("messages")
    if not isinstance(messages, list):
        reason = "a simulation without a list of messages."
        return Reject("trace", place, reason, "no_messages")
    info = around.get("info", {})
    task, trial = value.get("task_id"), value.get("trial", 0)
    own = f"tau2-{task}-{trial}-{digest(messages)}"[:128]
    trace_id = fit_id(text(value.get("id")), fallback=own)
    talk = _Simulation(trace_id, _model(info))
    policy = fields(info.get("environment_info")).get("policy")
    talk.brief(policy, nanoseconds(value.get("start_time")))
    talk.add_all(messages)
    reward = amount(fields(value.get("reward_info")).get("reward"))
    return TraceRecord(
        trace_id,
        tuple(talk.spans),
        labels=tuple(_labels(reward, fields(value.get("reward_info")))),
        attributes=_attributes(value, around, reward),
        rejects=item.notes,
    )


def _model(info: Mapping[str, Json]) -> str:
    return first_text(fields(info.get("agent_info")), "llm")


@dataclass
class _Simulation:
    """Messages in their order; the user's own tools are outside of the agent."""

    trace_id: str
    model: str
    spans: list[SpanRecord] = field(default_factory=list)
    asked: dict[str, int | None] = field(default_factory=dict)
    acted: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.talk = Conversation(self.trace_id, model=self.model)

    def brief(self, policy: Json, time: int | None) -> None:
        """The policy that the agent was given."""
        if isinstance(policy, str) and policy:
            self.talk.add({"role": "system", "content": policy}, -1)
            span = self.talk.spans.pop()
            span = replace(span, span_id="policy", start_ns=time, end_ns=time)
            self.spans.append(span)

    def add_all(self, messages: list[Json]) -> None:
        for position, message in enumerate(messages):
            for one in _single(message):
                self._add(one, position)

    def _add(self, message: dict[str, Json], position: int) -> None:
        time = nanoseconds(message.get("timestamp"))
        calls = objects(message.get("tool_calls"))
        for call in calls:
            self.asked[text(call.get("id"))] = time
        if message.get("role") == "user" and calls:
            self._user_acts(message, calls, position)
        elif message.get("requestor") == "user":
            self._user_sees(message, position)
        else:
            self._agent_part(message, position)

    def _agent_part(self, message: dict[str, Json], position: int) -> None:
        self.talk.add(message, position)
        made, self.talk.spans = self.talk.spans, []
        time = nanoseconds(message.get("timestamp"))
        for number, span in enumerate(made):
            more = self._more(message) if number == 0 else {}
            call = span.attributes.get("gen_ai.tool.call.id")
            start = self.asked.pop(call, time) if isinstance(call, str) else time
            taken = {one.span_id for one in self.spans[-len(made) :]}
            own = f"{span.span_id}.{call}"[:128]
            self.spans.append(
                replace(
                    span,
                    span_id=own if span.span_id in taken else span.span_id,
                    start_ns=start,
                    end_ns=time,
                    attributes=dict(span.attributes) | more,
                )
            )

    def _more(self, message: dict[str, Json]) -> dict[str, Json]:
        role = message.get("role")
        if role == "user" and self.acted:
            acted, self.acted = self.acted, []
            return {"agenteval.depends_on": acted}
        if role != "assistant":
            return {}
        return usage_attributes(message.get("usage"), message.get("cost"))

    def _user_acts(
        self, message: dict[str, Json], calls: list[dict[str, Json]], position: int
    ) -> None:
        words = [
            f"{text(call.get('name'))}({as_text(call.get('arguments') or {})})"
            for call in calls
        ]
        said = plain_text(message.get("content") or "")
        told = "\n".join(part for part in (said, *words) if part)
        self._outside("user", told, message, position, self.acted)
        self.acted = [f"m{position}"]

    def _user_sees(self, message: dict[str, Json], position: int) -> None:
        told = plain_text(message.get("content") or "")
        call = first_text(message, "id", "tool_call_id")
        taken = any(span.span_id == f"m{position}" for span in self.spans[-1:])
        own = f"m{position}.{call}"[:128] if taken else f"m{position}"
        asked = [key for key in self.acted[:1] if key]
        self._outside("environment", told, message, position, asked, own)
        self.acted.append(own)

    def _outside(
        self,
        kind: str,
        told: str,
        message: dict[str, Json],
        position: int,
        needs: list[str],
        own: str = "",
    ) -> None:
        time = nanoseconds(message.get("timestamp"))
        at = At(self.trace_id, own or f"m{position}", position)
        span = boundary(at, kind, told)
        more = {"agenteval.depends_on": list(needs)} if needs else {}
        attributes = dict(span.attributes) | more
        self.spans.append(
            replace(span, start_ns=time, end_ns=time, attributes=attributes)
        )


def _single(message: Json) -> list[dict[str, Json]]:
    """A message, or the answers of parallel calls that stand in one."""
    value = fields(message)
    inner = objects(value.get("tool_messages"))
    return inner or ([value] if value else [])


def _labels(reward: float | None, info: dict[str, Json]) -> Iterator[ReferenceLabel]:
    if reward is None:
        return
    yield ReferenceLabel("outcome", _outcome(reward), NAME)
    yield ReferenceLabel("score", str(float(reward)), NAME, note="reward")
    for name, part in fields(info.get("reward_breakdown")).items():
        if (given := amount(part)) is not None:
            yield ReferenceLabel("score", str(float(given)), NAME, note=name[:100])


def _outcome(reward: float) -> str:
    return "passed" if reward >= 1 else "failed"


def _attributes(
    run: dict[str, Json], around: Mapping[str, dict[str, Json]], reward: float | None
) -> dict[str, Json]:
    info, task = around.get("info", {}), around.get("task", {})
    domain = first_text(fields(info.get("environment_info")), "domain_name")
    number, trial = run.get("task_id"), run.get("trial", 0)
    reference = {key: task[key] for key in _REFERENCE if task.get(key)}
    costs = {key: run.get(key) for key in ("agent_cost", "user_cost", "duration")}
    return kept(
        {
            "name": f"{domain or 'τ²-bench'} task {number}, trial {trial}",
            "workflow": domain,
            "case": f"{domain}-{number}" if domain else str(number),
            "run": str(trial),
            "outcome": _outcome(reward) if reward is not None else "",
            "termination_reason": first_text(run, "termination_reason"),
            "version": first_text(info, "git_commit"),
            "reference": reference | kept({"reward_info": run.get("reward_info")}),
            "usage": kept(costs),
        }
    )
