"""Events of Anthropic's managed agents, as a program logged or fetched them.

A line is ``[method, payload]`` of the client, or the event alone. What a model
answered is several events between the start and the end of its request.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from traces.domain.records import Json, Reject, TraceRecord
from traces.importers.base import Limits, Sample, fit_id
from traces.importers.chat import tool_definitions
from traces.importers.gather import Found, gather
from traces.importers.jsonstream import Item, JsonSource, digest
from traces.importers.messages import Part, as_text, read_message
from traces.importers.talk import Moment, Talk
from traces.importers.times import nanoseconds
from traces.importers.values import (
    count,
    fields,
    first_text,
    items,
    kept,
    objects,
    text,
)

NAME = "anthropic_managed_agents"
LABEL = "Anthropic managed agents"

_METHOD = "client.beta.sessions"
_KINDS = ("session.", "agent.", "user.", "span.model_request_")
_CALLS = {"agent.tool_use", "agent.mcp_tool_use", "agent.custom_tool_use"}
_RESULTS = {"agent.tool_result", "agent.mcp_tool_result", "user.custom_tool_result"}
_CALL_IDS = ("tool_use_id", "mcp_tool_use_id", "custom_tool_use_id")
_LONGEST_ERROR = 300
MAX_THREADS = 500
_Event = dict[str, Json]


def recognises(sample: Sample) -> bool:
    """Lines of calls of the client for sessions, or events of a session."""
    value = sample.value
    if _is_call(value) or _is_event(value):
        return True
    listed = (
        items(value) if isinstance(value, list) else objects(fields(value).get("data"))
    )
    return any(_is_call(one) or _is_event(one) for one in listed[:3])


def _is_call(value: Json) -> bool:
    pair = items(value)
    return len(pair) == 2 and text(pair[0]).startswith(_METHOD)


def _is_event(value: Json) -> bool:
    event = fields(value)
    kind = text(event.get("type"))
    return kind.startswith(_KINDS) and "processed_at" in event


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one session."""
    told = False
    values = JsonSource(source, limits=limits, name=name)
    for one in gather(_spans(values), limits):
        told = True
        yield one
    if not told:
        reason = "events of a session, but nothing that anyone said or did."
        yield Reject("file", name or "line 1", reason, "no_messages")


def _spans(values: JsonSource) -> Iterator[Found | Reject]:
    session = _Session()
    for item in values.documents():
        if isinstance(item, Reject):
            yield item
            continue
        pairs = list(_events(item.value))
        if not pairs:
            reason = "neither a call of the client nor an event."
            yield Reject("span", item.place, reason, "no_event")
        for method, payload in pairs:
            share = replace(item, size=item.size // len(pairs))
            yield from session.take(method, payload, share)
    yield from session.end()


def _events(value: Json) -> Iterator[tuple[str, Json]]:
    """Methods with payloads; events alone have the method of a stream."""
    if _is_call(value):
        yield value[0], value[1]
    elif _is_event(value):
        yield "stream", value
    else:
        inner = items(value) or items(fields(value).get("data"))
        for one in inner:
            if _is_call(one):
                yield one[0], one[1]
            elif _is_event(one):
                yield "stream", one


@dataclass
class _Agent:
    """Who speaks, and with which model."""

    name: str = ""
    model: str = ""


class _Session:
    def __init__(self) -> None:
        self._talks: dict[str, Talk] = {}
        self._names: dict[str, str] = {}
        self._agent = _Agent()
        self._facts: dict[str, Json] = {}
        self._tools: list[Json] = []
        self._system = ""
        self._id = ""

    def take(self, method: str, payload: Json, item: Item) -> Iterator[Found]:
        """Take one call or event."""
        if method.endswith("sessions.create"):
            self._created(fields(payload))
        elif method.endswith("send"):
            # What is sent comes back in the stream; here it names the session.
            self._id = self._id or text(next(iter(items(payload)), ""))
        elif _is_event(payload):
            yield from self._told(self._event(payload, item))

    def end(self) -> Iterator[Found]:
        """Close the answers that were being given."""
        for talk in self._talks.values():
            yield from self._told(talk.end())

    def _told(self, found: Iterator[Found]) -> Iterator[Found]:
        for one in found:
            yield replace(one, attributes=self._facts)

    def _created(self, session: _Event) -> None:
        agent = fields(session.get("agent"))
        model = agent.get("model")
        self._agent.name = first_text(agent, "name")
        self._agent.model = first_text(fields(model), "id") or text(model)
        self._id = self._id or first_text(session, "id")
        self._system = first_text(agent, "system")
        named = [tool for tool in objects(agent.get("tools")) if tool.get("name")]
        self._tools = tool_definitions(named)
        version = agent.get("version")
        self._facts = kept(
            {
                "name": first_text(session, "title"),
                "session": self._id,
                "agent": self._agent.name,
                "version": None if version is None else str(version),
                "extra": fields(session.get("metadata")),
            }
        )

    def _event(self, event: _Event, item: Item) -> Iterator[Found]:
        time = nanoseconds(event.get("processed_at"))
        own = fit_id(text(event.get("id")), fallback=f"e-{digest(event)}")
        thread = text(event.get("session_thread_id"))
        if name := first_text(event, "agent_name"):
            self._names[thread] = name
        if event["type"].startswith("session.") and event["type"] != "session.error":
            return
        talk = self._talks.get(thread)
        if talk is None:
            talk = self._open(thread, own)
            if not thread and self._system:
                first = Moment("system", time, replace(item, notes=()))
                yield from talk.outside("system", self._system, first)
        talk.next()
        agent = self._names.get(thread, "") if thread else self._agent.name
        moment = Moment(own, time, item)
        yield from _said(talk, event, moment, _Agent(agent, self._agent.model))

    def _open(self, thread: str, own: str) -> Talk:
        if len(self._talks) >= MAX_THREADS:
            thread = next(iter(self._talks))
            return self._talks[thread]
        known = next((talk.trace_id for talk in self._talks.values()), "")
        talk = Talk(known or fit_id(self._id, fallback=own))
        talk.tools, self._tools = self._tools, []
        self._talks[thread] = talk
        return talk


def _said(talk: Talk, event: _Event, moment: Moment, agent: _Agent) -> Iterator[Found]:
    kind = event["type"]
    if kind == "span.model_request_start":
        yield from talk.end()
    elif kind == "span.model_request_end":
        talk.note(_usage(event), moment.time_ns)
    elif kind in _RESULTS:
        yield from _result(talk, event, moment)
    elif kind in _CALLS or kind in {"agent.message", "agent.thinking"}:
        # One response: whatever was said since the last result or request.
        yield from talk.speak(
            _parts(event, moment.span_id),
            moment,
            response="open",
            model=agent.model,
            agent=agent.name,
        )
    elif words := _words(event):
        outside = "user" if kind.startswith("user.") else "environment"
        yield from talk.outside(outside, words, moment)


def _parts(event: _Event, own: str) -> list[Part]:
    if event["type"] in _CALLS:
        call: Part = {"type": "tool_call", "id": own}
        server = first_text(event, "mcp_server_name")
        more = {"server": server} if server else {}
        named = {"name": first_text(event, "name"), "arguments": event.get("input")}
        return [call | named | more]
    if event["type"] == "agent.thinking":
        thought = first_text(event, "thinking", "content")
        return [{"type": "reasoning", "content": thought}] if thought else []
    return _blocks(event)


def _blocks(event: _Event) -> list[Part]:
    read = read_message({"role": "assistant", "content": event.get("content")})
    parts: list[Part] = read["parts"]
    return parts


def _words(event: _Event) -> str:
    """What a person or the service said."""
    if event["type"] == "user.tool_confirmation":
        why = first_text(event, "deny_message")
        result = first_text(event, "result")
        return f"{result}: {why}" if why else result
    if event["type"] == "session.error":
        return as_text(event.get("error") or "error")
    parts = _blocks(event) if event["type"].startswith("user.") else []
    said = [part["content"] for part in parts if part["type"] == "text"]
    return "\n".join(said) or ("interrupt" if event["type"] == "user.interrupt" else "")


def _result(talk: Talk, event: _Event, moment: Moment) -> Iterator[Found]:
    yield from talk.end()
    parts = _blocks(event)
    texts = [part["content"] for part in parts if part["type"] == "text"]
    result = "\n".join(texts) if len(texts) == len(parts) else event.get("content")
    failed = event.get("is_error") is True
    words = as_text(result)[:_LONGEST_ERROR] if failed else ""
    call_id = first_text(event, *_CALL_IDS)
    error = words or ("error" if failed else "")
    yield from talk.answer(call_id, result, moment, error=error)


def _usage(event: _Event) -> dict[str, Json]:
    """Tokens; cached ones are counted beside the others there."""
    usage = fields(event.get("model_usage"))
    read = count(usage.get("cache_read_input_tokens"))
    written = count(usage.get("cache_creation_input_tokens"))
    fresh = count(usage.get("input_tokens"))
    whole = None if fresh is None else fresh + (read or 0) + (written or 0)
    return kept(
        {
            "gen_ai.usage.input_tokens": whole,
            "gen_ai.usage.output_tokens": count(usage.get("output_tokens")),
            "gen_ai.usage.cache_read.input_tokens": read,
            "gen_ai.usage.cache_creation.input_tokens": written,
            "error.type": "model_request" if event.get("is_error") is True else "",
        }
    )
