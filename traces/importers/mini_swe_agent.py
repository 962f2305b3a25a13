"""Trajectories of mini-SWE-agent: a chat in which a model runs shell commands.

Version 2 calls a tool; version 1 writes the command into a fenced block, and
the next message of the user is what the shell printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from traces.domain.records import Json, Reject, SpanRecord, TraceRecord
from traces.importers.base import Limits, Sample
from traces.importers.chat import Conversation
from traces.importers.jsonstream import Item, JsonSource, digest
from traces.importers.messages import plain_text
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

NAME = "mini_swe_agent"
LABEL = "mini-SWE-agent trajectories"

_FORMAT = "mini-swe-agent"
_FENCE = "```"
_LANGUAGES = ("bash", "sh", "mswea_bash_command")
_RETURN_CODE = re.compile(r"<returncode>(-?[0-9]{1,6})</returncode>")
_FACTS = ("returncode", "exception_info")
TOOL = "bash"


def recognises(sample: Sample) -> bool:
    """Objects whose ``trajectory_format`` or ``info`` is this program's."""
    first = fields(sample.first)
    info = fields(first.get("info"))
    ours = text(first.get("trajectory_format")).startswith(_FORMAT)
    return isinstance(first.get("messages"), list) and (ours or "mini_version" in info)


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one trajectory after another."""
    for item in JsonSource(source, limits=limits, name=name).items():
        yield item if isinstance(item, Reject) else _trace(item)


def _trace(item: Item) -> TraceRecord | Reject:
    value = fields(item.value)
    messages = value.get("messages")
    if not isinstance(messages, list):
        reason = "a trajectory without a list of messages."
        return Reject("trace", item.place, reason, "no_messages")
    instance = first_text(value, "instance_id")
    trace_id = f"mini-{instance[:80] or 'run'}-{digest(messages)}"
    run = _Run(trace_id, _model(value))
    for position, message in enumerate(messages):
        if isinstance(message, dict):
            run.add(message, position)
    return TraceRecord(
        trace_id,
        tuple(run.spans),
        attributes=_attributes(value, instance),
        rejects=item.notes,
    )


def _model(value: dict[str, Json]) -> str:
    config = fields(fields(value.get("info")).get("config"))
    return first_text(fields(config.get("model")), "model_name")


@dataclass
class _Run:
    trace_id: str
    model: str
    spans: list[SpanRecord] = field(default_factory=list)
    asked: int | None = None
    open: str = ""

    def __post_init__(self) -> None:
        self.talk = Conversation(self.trace_id, model=self.model)

    def add(self, message: dict[str, Json], position: int) -> None:
        """One message; what leaves the loop says nothing new."""
        role, extra = message.get("role"), fields(message.get("extra"))
        if role == "exit":
            return
        if role == "assistant":
            self._speak(_with_call(message, position), extra, position)
        elif role == "user" and self.open and _is_printed(message):
            self._print(message | {"role": "tool", "tool_call_id": self.open}, position)
        else:
            self._print(message, position)

    def _speak(
        self, message: dict[str, Json], extra: dict[str, Json], position: int
    ) -> None:
        self.talk.add(message, position)
        time = nanoseconds(extra.get("timestamp"))
        response = fields(extra.get("response"))
        cost = extra.get("cost")
        if cost is None:
            cost = extra.get("instance_cost")
        more = usage_attributes(response.get("usage"), cost)
        begun = nanoseconds(response.get("created"))
        # The provider's clock may be ahead of the program's.
        start = begun if begun and time and begun <= time else time
        self._take(more, start, time)
        self.asked = time
        calls = objects(message.get("tool_calls"))
        self.open = text(calls[0].get("id")) if "own_call" in message else ""

    def _print(self, message: dict[str, Json], position: int) -> None:
        extra = fields(message.get("extra"))
        code = _code(message, extra)
        failed = code not in {None, 0} or bool(extra.get("exception_info"))
        tool = message.get("role") == "tool"
        error = {"error": f"exit code {code}"} if failed and tool else {}
        self.talk.add(message | error, position)
        facts = {f"{NAME}.{key}": extra.get(key) for key in _FACTS}
        time = nanoseconds(extra.get("timestamp"))
        start = self.asked if tool and time else time
        self._take(kept(facts) if tool else {}, start, time)
        self.open = ""

    def _take(self, more: dict[str, Json], start: int | None, end: int | None) -> None:
        made, self.talk.spans = self.talk.spans, []
        self.spans.extend(
            replace(
                span,
                start_ns=start,
                end_ns=end,
                attributes=dict(span.attributes) | more,
            )
            for span in made
        )


def _with_call(message: dict[str, Json], position: int) -> dict[str, Json]:
    """The message, with the command in its text as a call of the shell."""
    if objects(message.get("tool_calls")):
        return message
    said = plain_text(message.get("content") or "")
    parts = said.split(_FENCE)
    blocks = [part.partition("\n") for part in parts[1::2][: (len(parts) - 1) // 2]]
    found = [body for name, _, body in blocks if name.strip() in _LANGUAGES]
    if len(found) != 1:
        return message
    function = {"name": TOOL, "arguments": {"command": found[0].strip("\n")}}
    call = {"id": f"m{position}.c0", "type": "function", "function": function}
    return message | {"tool_calls": [call], "own_call": True}


def _is_printed(message: dict[str, Json]) -> bool:
    said = plain_text(message.get("content") or "").lstrip()
    extra = fields(message.get("extra"))
    return said.startswith(("<returncode>", "Observation")) or "returncode" in extra


def _code(message: dict[str, Json], extra: dict[str, Json]) -> int | None:
    stated = amount(extra.get("returncode"))
    if stated is not None:
        return int(stated) if abs(stated) < 2**31 else None
    found = _RETURN_CODE.search(plain_text(message.get("content") or "")[:200])
    return int(found[1]) if found else None


def _attributes(value: dict[str, Json], instance: str) -> dict[str, Json]:
    info = fields(value.get("info"))
    return kept(
        {
            "name": instance,
            "case": instance,
            "exit_status": info.get("exit_status"),
            "submission": info.get("submission"),
            "usage": info.get("model_stats"),
            "version": first_text(info, "mini_version"),
        }
    )
