"""Events of opencode, as a plugin logs them: one line an event or a hook.

The same message and the same part are told many times while they grow; the
last word counts. A sub-agent is a session of its own that names its parent.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from traces.domain.records import Json, Reject, SpanRecord, SpanStatus, TraceRecord
from traces.importers.base import MIB, Limits, Sample, fit_id
from traces.importers.chat import At, boundary, model_turn, tool_run
from traces.importers.gather import Found, gather
from traces.importers.jsonstream import Item, JsonSource
from traces.importers.messages import GenAiMessage, Part, as_text, text_message
from traces.importers.times import nanoseconds
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

NAME = "opencode"
LABEL = "opencode events"

MAX_SESSIONS = 1000
MAX_OPEN = 100
"""Messages of one session that may still grow."""
MAX_DONE = 100_000
MAX_WAITING = 8 * MIB
_HOOKS = ("chat.", "tool.", "experimental.", "permission.", "shell.", "command.")
_EVENTS = ("session.", "message.", "server.", "file.", "permission.", "storage.")
_TITLES = "You are a title generator"
_Fields = dict[str, Json]


def recognises(sample: Sample) -> bool:
    """Lines ``["event", …]`` with opencode's events, or its hooks."""
    value = items(sample.value)
    pair = value if value and isinstance(value[0], str) else items(sample.first)
    if len(pair) < 2 or not isinstance(pair[0], str):
        return False
    if pair[0] == "event":
        kind = text(fields(fields(pair[1]).get("event")).get("type"))
        return kind.startswith(_EVENTS)
    named = {"sessionID", "toolID"} & fields(pair[1]).keys()
    return pair[0].startswith(_HOOKS) and bool(named)


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read the sessions of one log."""
    told = False
    values = JsonSource(source, limits=limits, name=name)
    for one in gather(_spans(values), limits):
        told = True
        yield one
    if not told:
        reason = "events of opencode, but nothing that anyone said or did."
        yield Reject("file", name or "line 1", reason, "no_messages")


def _spans(values: JsonSource) -> Iterator[Found | Reject]:
    log = _Log()
    for item in values.documents():
        if isinstance(item, Reject):
            yield item
            continue
        line = items(item.value)
        if len(line) < 2 or not isinstance(line[0], str):
            reason = "a line is a list: a name and what it tells; this is none."
            yield Reject("span", item.place, reason, "no_event")
            continue
        yield from log.take(line, item)
    yield from log.end()


@dataclass
class _Message:
    """A message that may still grow.

    Attributes:
        info: What is told of it.
        parts: The last word on each of its parts, in the order they came.
        size: Bytes in the file.
        notes: What was changed in them.
    """

    info: _Fields = field(default_factory=dict)
    parts: dict[str, _Fields] = field(default_factory=dict)
    size: int = 0
    notes: tuple[Reject, ...] = ()


@dataclass
class _Session:
    """One session, or one sub-agent's."""

    root: str
    container: str = ""
    title: str = ""
    facts: _Fields = field(default_factory=dict)
    system: str = ""
    briefed: bool = False
    messages: OrderedDict[str, _Message] = field(default_factory=OrderedDict)
    unread: list[GenAiMessage] = field(default_factory=list)
    waiting: int = 0
    helped: set[str] = field(default_factory=set)

    def hear(self, message: GenAiMessage, size: int) -> None:
        self.waiting += size
        if self.waiting > MAX_WAITING:
            self.unread, self.waiting = [], size
        self.unread.append(message)


class _Log:
    def __init__(self) -> None:
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._done: OrderedDict[str, None] = OrderedDict()
        self._position = 0

    def take(self, line: list[Json], item: Item) -> Iterator[Found]:
        """Take one line."""
        about = fields(line[1])
        if line[0] == "event":
            event = fields(about.get("event"))
            kind, said = text(event.get("type")), fields(event.get("properties"))
            yield from self._event(kind, said, item)
        elif line[0] == "chat.message" and len(line) > 2:
            told = fields(line[2])
            yield from self._info(fields(told.get("message")), item)
            for part in objects(told.get("parts")):
                self._part(part, replace(item, size=0))
        elif line[0].endswith("system.transform") and len(line) > 2:
            texts = [text(one) for one in items(fields(line[2]).get("system"))]
            session = self._session(text(about.get("sessionID")))
            if not session.briefed and not "".join(texts).startswith(_TITLES):
                session.system, session.briefed = "\n".join(texts), True
        if len(self._sessions) > MAX_SESSIONS:
            yield from self._flush(self._sessions.popitem(last=False)[1])

    def end(self) -> Iterator[Found]:
        """Give out what is still open."""
        for session in self._sessions.values():
            yield from self._flush(session)

    def _event(self, kind: str, said: _Fields, item: Item) -> Iterator[Found]:
        if kind in {"session.created", "session.updated"}:
            self._tell(fields(said.get("info")))
        elif kind == "message.updated":
            yield from self._info(fields(said.get("info")), item)
        elif kind == "message.part.updated":
            self._part(fields(said.get("part")), item)
        elif kind == "message.part.delta":
            self._grow(said, item)
        elif kind == "session.idle":
            yield from self._flush(self._session(text(said.get("sessionID"))))

    def _tell(self, info: _Fields) -> None:
        """What is told of a session; a child belongs to its parent's trace."""
        own, above = text(info.get("id")), text(info.get("parentID"))
        session = self._session(own)
        if above and not session.container:
            session.root = self._session(above).root
            session.container = f"session-{own}"
        session.title = first_text(info, "title") or session.title
        session.facts = kept(
            {"version": info.get("version"), "cwd": info.get("directory")}
        )

    def _session(self, session_id: str) -> _Session:
        own = session_id or "unnamed"
        session = self._sessions.get(own)
        if session is None:
            session = self._sessions[own] = _Session(fit_id(own, fallback=own))
        return session

    def _info(self, info: _Fields, item: Item) -> Iterator[Found]:
        message_id = text(info.get("id"))
        session = self._session(text(info.get("sessionID")))
        if not message_id or message_id in self._done:
            return
        if info.get("role") == "assistant" and message_id not in session.messages:
            # What the user wrote is complete when the answer begins.
            yield from self._flush(session, "user")
        message = self._open(session, message_id, item)
        message.info |= info
        completed = fields(info.get("time")).get("completed")
        if completed is not None:
            yield from self._give(session, message_id)
        elif len(session.messages) > MAX_OPEN:
            yield from self._give(session, next(iter(session.messages)))

    def _open(self, session: _Session, message_id: str, item: Item) -> _Message:
        message = session.messages.setdefault(message_id, _Message())
        message.size += item.size
        message.notes = (*message.notes, *item.notes)
        return message

    def _part(self, part: _Fields, item: Item) -> None:
        message_id, part_id = text(part.get("messageID")), text(part.get("id"))
        session = self._session(text(part.get("sessionID")))
        if message_id in self._done or not message_id:
            return
        message = self._open(session, message_id, item)
        message.parts[part_id] = message.parts.get(part_id, {}) | part

    def _grow(self, said: _Fields, item: Item) -> None:
        """Text that is added to a part; a later word on it has all of it."""
        session = self._session(text(said.get("sessionID")))
        message = session.messages.get(text(said.get("messageID")))
        part = message.parts.get(text(said.get("partID"))) if message else None
        grown = said.get("field") == "text" and isinstance(said.get("delta"), str)
        if message and part and grown and message.size < MAX_WAITING:
            part["text"] = text(part.get("text")) + said["delta"]
            message.size += item.size

    def _flush(self, session: _Session, role: str = "") -> Iterator[Found]:
        for message_id, message in list(session.messages.items()):
            if not role or message.info.get("role") == role:
                yield from self._give(session, message_id)

    def _give(self, session: _Session, message_id: str) -> Iterator[Found]:
        message = session.messages.pop(message_id)
        self._done[message_id] = None
        if len(self._done) > MAX_DONE:
            self._done.popitem(last=False)
        made = list(_spans_of(session, message, message_id, self._position))
        self._position += 1
        facts = session.facts if not session.container else {}
        name = {"name": session.title} if session.title and facts else {}
        about = facts | name | {"session": session.root}
        for number, span in enumerate(made):
            placed = replace(span, parent_id=session.container or None)
            size = message.size if number == 0 else 0
            notes = message.notes if number == 0 else ()
            yield Found(placed, size, attributes=about, notes=notes)


def _spans_of(
    session: _Session, message: _Message, message_id: str, position: int
) -> Iterator[SpanRecord]:
    parts = list(message.parts.values())
    own = fit_id(message_id, fallback="m")
    at = At(session.root, own, position)
    time = fields(message.info.get("time"))
    created = nanoseconds(time.get("created"))
    if message.info.get("role") != "assistant":
        words = [text(p.get("text")) for p in parts if p.get("type") == "text"]
        if not any(words):
            return
        said = "\n".join(words)
        session.hear(text_message("user", said), message.size)
        yield replace(boundary(at, "user", said), start_ns=created, end_ns=created)
        return
    tools = [part for part in parts if part.get("type") == "tool"]
    yield _turn(session, message, at, tools)
    for number, part in enumerate(tools):
        yield _run(session, message, part, replace(at, span_id=f"{own}.c{number}"))


def _turn(
    session: _Session, message: _Message, at: At, tools: list[_Fields]
) -> SpanRecord:
    """One answer of a model; it was complete when its first tool began."""
    info = message.info
    time = fields(info.get("time"))
    begun = [_time(part, "start") for part in tools]
    known = [start for start in begun if start is not None]
    end = min(known) if known else nanoseconds(time.get("completed"))
    system = [text_message("system", session.system)] if session.system else []
    span = model_turn(
        at,
        output={"role": "assistant", "parts": list(_said(message))},
        unread=[*system, *session.unread],
        agent=first_text(info, "agent", "mode"),
        model=first_text(info, "modelID"),
        more=_usage(info),
    )
    session.system, session.unread, session.waiting = "", [], 0
    span = replace(span, start_ns=nanoseconds(time.get("created")), end_ns=end)
    error = fields(info.get("error"))
    if not error:
        return span
    words = first_text(fields(error.get("data")), "message") or as_text(error)
    return replace(span, status=SpanStatus.ERROR, status_message=words)


def _said(message: _Message) -> Iterator[Part]:
    for part in message.parts.values():
        kind = part.get("type")
        if kind in ("text", "reasoning") and (words := text(part.get("text"))):
            yield {"type": kind, "content": words}
        elif kind == "tool":
            named = {"id": text(part.get("callID")), "name": text(part.get("tool"))}
            given = fields(part.get("state")).get("input")
            yield {"type": "tool_call"} | named | {"arguments": given}


def _usage(info: _Fields) -> dict[str, Json]:
    """Tokens and cost; cached and reasoning tokens are counted apart there."""
    tokens = fields(info.get("tokens"))
    cache = fields(tokens.get("cache"))
    read, written = count(cache.get("read")), count(cache.get("write"))
    given = [count(tokens.get("input")), read, written]
    answered = [count(tokens.get("output")), count(tokens.get("reasoning"))]
    return kept(
        {
            "gen_ai.provider.name": first_text(info, "providerID"),
            "gen_ai.usage.input_tokens": sum(n or 0 for n in given) or None,
            "gen_ai.usage.output_tokens": sum(n or 0 for n in answered) or None,
            "gen_ai.usage.cache_read.input_tokens": read,
            "gen_ai.usage.reasoning.output_tokens": answered[1],
            "llm.cost.total": amount(info.get("cost")) or None,
            "gen_ai.response.finish_reason": first_text(info, "finish"),
        }
    )


def _time(part: _Fields, key: str) -> int | None:
    return nanoseconds(fields(fields(part.get("state")).get("time")).get(key))


def _run(session: _Session, message: _Message, part: _Fields, at: At) -> SpanRecord:
    state = fields(part.get("state"))
    metadata = fields(state.get("metadata"))
    child = first_text(metadata, "sessionId", "sessionID")
    if child and child not in session.helped:
        # Spans of the sub-agent name this one as their container; called
        # again, it belongs to its first call.
        session.helped.add(child)
        at = replace(at, span_id=fit_id(f"session-{child}", fallback="m"))
    failed = state.get("status") == "error"
    result = state.get("output")
    error = first_text(state, "error") or "error" if failed else ""
    call_id = text(part.get("callID"))
    answer: Part = {"type": "tool_call_response", "id": call_id}
    answer["response"] = error if failed and result is None else result
    session.hear({"role": "tool", "parts": [answer]}, len(text(result)))
    agent = first_text(message.info, "agent", "mode")
    span = tool_run(
        at,
        name=text(part.get("tool")),
        call_id=call_id,
        arguments=state.get("input"),
        result=result,
        error=error,
        more=kept(
            {"gen_ai.agent.name": agent, "opencode.exit_code": metadata.get("exit")}
        ),
    )
    return replace(span, start_ns=_time(part, "start"), end_ns=_time(part, "end"))
