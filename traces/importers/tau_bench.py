"""Result files of τ-bench: a list of runs with reward and trajectory.

A trajectory is a chat between a simulated user and one agent with tools.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from traces.domain.records import Json, ReferenceLabel, Reject, TraceRecord
from traces.importers.base import Limits, Sample
from traces.importers.chat import Conversation
from traces.importers.jsonstream import Item, JsonSource, digest

NAME = "tau_bench"
LABEL = "τ-bench results"

DOMAINS = ("airline", "retail")
_HEADING = 40


def recognises(sample: Sample) -> bool:
    """Objects with ``task_id``, ``traj`` and a reward."""
    first = sample.first
    return isinstance(first, dict) and "traj" in first and "task_id" in first


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one run after another."""
    for item in JsonSource(source, limits=limits, name=name).items():
        yield item if isinstance(item, Reject) else _run(item, name)


def _domain(messages: list[Json], name: str) -> str:
    """The domain: the policy's heading tells it, else the file's name."""
    policy = messages[0].get("content") if _is_object(messages[:1]) else ""
    heading = policy[:_HEADING] if isinstance(policy, str) else ""
    words = f"{heading} {name}".lower()
    return next((word for word in DOMAINS if word in words), "")


def _is_object(values: list[Json]) -> bool:
    return bool(values) and isinstance(values[0], dict)


def _run(item: Item, name: str) -> TraceRecord | Reject:
    run = item.value
    messages = run.get("traj") if isinstance(run, dict) else None
    if not isinstance(messages, list):
        reason = "a run without a list of messages under “traj”."
        return Reject("trace", item.place, reason, "no_messages")
    task, trial = run.get("task_id"), run.get("trial", 0)
    # Task and trial are the same in every result file; the digest tells them apart.
    trace_id = f"tau-{task}-{trial}-{digest(messages)}"[:128]
    talk = Conversation(trace_id)
    talk.add_all(messages)
    return TraceRecord(
        trace_id,
        tuple(talk.spans),
        labels=_labels(run.get("reward")),
        attributes=_attributes(run, _domain(messages, name)),
        rejects=item.notes,
    )


def _labels(reward: Json) -> tuple[ReferenceLabel, ...]:
    if not isinstance(reward, int | float):
        return ()
    return (
        ReferenceLabel("outcome", _outcome(reward), NAME),
        ReferenceLabel("score", str(float(reward)), NAME, note="reward"),
    )


def _outcome(reward: float) -> str:
    return "passed" if reward >= 1 else "failed"


def _attributes(run: dict[str, Json], domain: str) -> dict[str, Json]:
    task, trial, reward = run.get("task_id"), run.get("trial", 0), run.get("reward")
    case = f"{domain}-{task}" if domain else str(task)
    found: dict[str, Json] = {
        "name": f"{domain or 'τ-bench'} task {task}, trial {trial}",
        "workflow": domain,
        "case": case,
        "run": str(trial),
        "outcome": _outcome(reward) if isinstance(reward, int | float) else "",
        "reference": run.get("info"),
    }
    return {key: value for key, value in found.items() if value}
