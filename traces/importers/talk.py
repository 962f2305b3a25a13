"""What an agent said, did and was shown, event by event, in bounded memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from traces.domain.records import Json, SpanRecord
from traces.importers.base import MIB
from traces.importers.chat import At, boundary, model_turn, tool_run
from traces.importers.gather import Found
from traces.importers.jsonstream import Item
from traces.importers.messages import GenAiMessage, Part, text_message

MAX_CALLS = 10_000
"""Calls that may wait for their results; the latest count."""
MAX_WAITING = 8 * MIB


@dataclass(frozen=True, slots=True)
class Moment:
    """One event: the id of its span, its time, where it stood."""

    span_id: str
    time_ns: int | None
    item: Item


@dataclass
class Call:
    """A call that waits for its result."""

    part: Part
    time_ns: int | None
    agent: str = ""


@dataclass
class _Turn:
    """One answer of a model, perhaps with several calls."""

    span_id: str
    position: int
    response: str
    parts: list[Part]
    start_ns: int | None
    end_ns: int | None
    unread: list[GenAiMessage]
    size: int
    model: str = ""
    agent: str = ""
    more: dict[str, Json] = field(default_factory=dict)


class Talk:
    """Events in, spans out."""

    def __init__(self, trace_id: str) -> None:
        self.trace_id = trace_id
        self.tools: list[Json] = []
        self._unread: list[GenAiMessage] = []
        self._waiting = 0
        self._calls: OrderedDict[str, Call] = OrderedDict()
        self._actions: OrderedDict[str, str] = OrderedDict()
        self._turn: _Turn | None = None
        self._position = -1

    def next(self) -> int:
        """Position of the event that is taken now."""
        self._position += 1
        return self._position

    def hear(self, message: GenAiMessage, size: int) -> None:
        """Keep what the model is given with its next answer."""
        self._waiting += size
        if self._waiting > MAX_WAITING:
            self._unread, self._waiting = [], size
        self._unread.append(message)

    def outside(self, kind: str, words: str, moment: Moment) -> Iterator[Found]:
        """What a person or the environment said."""
        yield from self.end()
        at = At(self.trace_id, moment.span_id, self._position)
        role = "system" if kind == "system" else "user"
        self.hear(text_message(role, words), moment.item.size)
        yield self._found(boundary(at, kind, words), moment.time_ns, moment)

    def speak(
        self,
        parts: list[Part],
        moment: Moment,
        *,
        response: str = "",
        model: str = "",
        agent: str = "",
        more: Mapping[str, Json] | None = None,
    ) -> Iterator[Found]:
        """What a model answered; events of one response are one answer."""
        turn, time_ns, size = self._turn, moment.time_ns, moment.item.size
        if turn and response and turn.response == response and turn.size < MAX_WAITING:
            known = [part for part in turn.parts if part["type"] != "tool_call"]
            turn.parts.extend(part for part in parts if part not in known)
            turn.end_ns = time_ns or turn.end_ns
            turn.size += size
        else:
            yield from self.end()
            self._turn = _Turn(
                moment.span_id,
                self._position,
                response,
                list(parts),
                time_ns,
                time_ns,
                self._unread,
                size,
                model,
                agent,
                dict(more or {}),
            )
            self._unread, self._waiting = [], 0
        for part in parts:
            if part["type"] == "tool_call":
                self._calls[part["id"]] = Call(part, time_ns, agent)
                if len(self._calls) > MAX_CALLS:
                    self._calls.popitem(last=False)

    def note(self, more: Mapping[str, Json], time_ns: int | None) -> None:
        """Add what is told later of the answer that is being given."""
        if self._turn:
            self._turn.more |= more
            self._turn.end_ns = time_ns or self._turn.end_ns

    def answer(
        self,
        call_id: str,
        result: Json,
        moment: Moment,
        *,
        name: str = "",
        error: str = "",
        more: Mapping[str, Json] | None = None,
    ) -> Iterator[Found]:
        """What a tool gave."""
        call = self._calls.pop(call_id, None)
        part = call.part if call else {}
        response: Part = {"type": "tool_call_response", "id": call_id}
        parts = [response | {"response": result}]
        self.hear({"role": "tool", "parts": parts}, moment.item.size)
        agent = {"gen_ai.agent.name": call.agent} if call and call.agent else {}
        span = tool_run(
            At(self.trace_id, moment.span_id, self._position),
            name=str(part.get("name") or name),
            call_id=call_id,
            arguments=part.get("arguments"),
            result=result,
            error=error,
            more=agent | dict(more or {}),
        )
        yield self._found(span, call.time_ns if call else moment.time_ns, moment)

    def act(self, action: str, call_id: str) -> None:
        """Remember which call an action makes."""
        self._actions[action] = call_id
        if len(self._actions) > MAX_CALLS:
            self._actions.popitem(last=False)

    def caused(self, action: str) -> str:
        """The call of an action if it waits for its result, else ""."""
        call_id = self._actions.get(action, "")
        return call_id if call_id in self._calls else ""

    def end(self) -> Iterator[Found]:
        """Close the answer that is being given."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        span = model_turn(
            At(self.trace_id, turn.span_id, turn.position),
            output={"role": "assistant", "parts": turn.parts},
            unread=turn.unread,
            agent=turn.agent,
            model=turn.model,
            tools=self.tools,
            more=turn.more,
        )
        self.tools = []
        span = replace(span, start_ns=turn.start_ns, end_ns=turn.end_ns)
        yield Found(span, turn.size)

    def _found(self, span: SpanRecord, start: int | None, moment: Moment) -> Found:
        timed = replace(span, start_ns=start, end_ns=moment.time_ns)
        return Found(timed, moment.item.size, notes=moment.item.notes)
