"""The events of a sample as spans: model calls, tool runs and what holds them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from traces.domain.records import Json, SpanRecord, SpanStatus
from traces.importers.base import fit_id
from traces.importers.chat import At, boundary, model_turn, tool_definitions, tool_run
from traces.importers.jsonstream import digest
from traces.importers.messages import GenAiMessage, as_text, read_messages
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
    usage_attributes,
)

_SCORERS = frozenset({"scorer", "scorers"})
_AGENTS = frozenset({"agent"})
_Event = dict[str, Json]


def read_events(
    trace_id: str, events: list[_Event], pool: list[Json]
) -> list[SpanRecord]:
    """Spans in the order of the events.

    Args:
        trace_id: Trace id of every span.
        events: Of one sample.
        pool: Messages that model events refer to by their index.
    """
    walk = _Events(trace_id, pool)
    walk.take(events)
    return walk.held()


@dataclass
class _Holder:
    """A span or step of the log, or a tool, that holds events."""

    span_id: str
    name: str
    kind: str
    parent: str
    start_ns: int | None
    end_ns: int | None = None


@dataclass
class _Events:
    trace_id: str
    pool: list[Json]
    spans: list[SpanRecord] = field(default_factory=list)
    holders: dict[str, _Holder] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    heard: dict[str, set[str]] = field(default_factory=dict)
    pooled: dict[str, int] = field(default_factory=dict)
    number: int = 0

    def take(self, events: list[_Event]) -> None:
        """Walk events and the events inside tools, without recursion."""
        stack: list[tuple[_Event, str]] = [(event, "") for event in reversed(events)]
        while stack:
            event, inside = stack.pop()
            made = self._event(event, inside)
            inner = objects(event.get("events")) if made else []
            stack.extend((one, made) for one in reversed(inner))
            self.number += 1

    def _event(self, event: _Event, inside: str) -> str:
        """Take one event; the id of the span it is."""
        kind = first_text(event, "event")
        if kind in {"span_begin", "span_end", "step"}:
            self._hold(event, kind, inside)
            return ""
        parent = self._parent(event, inside)
        if self._around(parent, _SCORERS):
            # A grader sees the expected answer: it is no part of the run.
            return ""
        readers = {
            "model": self._model,
            "tool": self._tool,
            "subtask": self._subtask,
            "input": self._outside,
            "sample_limit": self._outside,
        }
        read = readers.get(kind)
        return read(event, parent) if read else ""

    def _parent(self, event: _Event, inside: str) -> str:
        named = fit_id(text(event.get("span_id")), fallback="")
        if named in self.holders:
            return named
        return inside or (self.steps[-1] if self.steps else "")

    def _hold(self, event: _Event, kind: str, inside: str) -> None:
        time = nanoseconds(event.get("timestamp"))
        if kind == "span_end" or event.get("action") == "end":
            own = fit_id(text(event.get("id")), fallback="")
            if kind == "step" and self.steps:
                own = self.steps.pop()
            if own in self.holders:
                self.holders[own].end_ns = time
            return
        above = self.steps[-1] if self.steps else inside
        own = fit_id(text(event.get("id")), fallback=f"step-{self.number}")
        if kind == "step":
            self.steps.append(own)
        else:
            above = fit_id(text(event.get("parent_id")), fallback="") or inside
        name, what = first_text(event, "name"), first_text(event, "type")
        self.holders[own] = _Holder(own, name, what, above, time)

    def _subtask(self, event: _Event, parent: str) -> str:
        own = f"subtask-{self.number}"
        start, end = _times(event)
        name = first_text(event, "name")
        self.holders[own] = _Holder(own, name, "agent", parent, start, end)
        return own

    def _outside(self, event: _Event, parent: str) -> str:
        """What a person typed, or the limit that ended the sample."""
        words = first_text(event, "message", "input")
        kind = "user" if event["event"] == "input" else "environment"
        at = At(self.trace_id, f"e{self.number}", self.number)
        return self._add(boundary(at, kind, words), event, parent)

    def _model(self, event: _Event, parent: str) -> str:
        output = fields(event.get("output"))
        choice = next(iter(objects(output.get("choices"))), {})
        answered = read_messages(choice.get("message"), "assistant")
        said: GenAiMessage = {"role": "assistant", "parts": []}
        config = fields(event.get("config"))
        more: dict[str, Json] = {
            "gen_ai.response.model": first_text(output, "model"),
            "gen_ai.response.finish_reason": first_text(choice, "stop_reason"),
            "llm.invocation_parameters": as_text(config) if config else "",
        }
        span = model_turn(
            At(self.trace_id, self._own(event), self.number),
            output=answered[0] if answered else said,
            unread=list(self._unread(event, parent)),
            model=first_text(event, "model"),
            tools=tool_definitions(event.get("tools")),
            more=kept(more) | usage_attributes(output.get("usage")),
        )
        error = first_text(event, "error") or first_text(output, "error")
        return self._add(_failed(span, error), event, parent)

    def _own(self, event: _Event) -> str:
        return fit_id(text(event.get("uuid")), fallback=f"e{self.number}")

    def _unread(self, event: _Event, parent: str) -> Iterator[GenAiMessage]:
        """What the agent has not been given before and didn't say itself."""
        agent = self._around(parent, _AGENTS)
        heard = self.heard.setdefault(agent, set())
        given = [*items(event.get("input")), *self._referred(event, agent)]
        for message in given:
            mark = digest(message)
            if mark in heard:
                continue
            heard.add(mark)
            for read in read_messages([message]):
                if read["role"] != "assistant":
                    yield read

    def _referred(self, event: _Event, agent: str) -> Iterator[Json]:
        """Messages of the pool that are new to an agent."""
        for pair in items(event.get("input_refs")):
            ends = [count(end) for end in items(pair)]
            if len(ends) == 2 and ends[0] is not None and ends[1] is not None:
                start = max(ends[0], self.pooled.get(agent, 0))
                yield from self.pool[start : ends[1]]
                self.pooled[agent] = max(start, min(ends[1], len(self.pool)))

    def _around(self, parent: str, kinds: frozenset[str]) -> str:
        """The innermost holder of some kinds around a span, "" if there is none."""
        seen: set[str] = set()
        while parent in self.holders and parent not in seen:
            seen.add(parent)
            if self.holders[parent].kind in kinds:
                return parent
            parent = self.holders[parent].parent
        return ""

    def _tool(self, event: _Event, parent: str) -> str:
        """A tool run; it takes the place of the span that only holds it."""
        holder = self.holders.get(parent)
        own = self._own(event)
        if holder is not None and holder.kind == "tool":
            own, parent = holder.span_id, holder.parent
            del self.holders[own]
        error = fields(event.get("error"))
        words = first_text(error, "message") or first_text(error, "type")
        span = tool_run(
            At(self.trace_id, own, self.number),
            name=first_text(event, "function"),
            call_id=first_text(event, "id"),
            arguments=event.get("arguments"),
            result=event.get("result"),
            error=words or ("failed" if event.get("failed") is True else ""),
        )
        return self._add(span, event, parent)

    def _add(self, span: SpanRecord, event: _Event, parent: str) -> str:
        start, end = _times(event)
        placed = replace(span, parent_id=parent or None, start_ns=start, end_ns=end)
        self.spans.append(placed)
        return span.span_id

    def held(self) -> list[SpanRecord]:
        """The spans, after those of the holders that hold any of them."""
        needed: dict[str, None] = {}
        for span in self.spans:
            above = span.parent_id or ""
            while above in self.holders and above not in needed:
                needed[above] = None
                above = self.holders[above].parent
        known = {span.span_id for span in self.spans} | needed.keys()
        holders = [_holding(self.trace_id, self.holders[key]) for key in needed]
        return [
            span if span.parent_id in known else replace(span, parent_id=None)
            for span in (*holders, *self.spans)
        ]


def _holding(trace_id: str, holder: _Holder) -> SpanRecord:
    agent = holder.kind == "agent"
    attributes: dict[str, Json] = {"openinference.span.kind": "CHAIN"}
    if agent:
        attributes = {"gen_ai.operation.name": "invoke_agent"}
        attributes["gen_ai.agent.name"] = holder.name
    return SpanRecord(
        trace_id,
        holder.span_id,
        parent_id=holder.parent or None,
        name=holder.name or holder.kind,
        start_ns=holder.start_ns,
        end_ns=holder.end_ns,
        attributes=attributes,
    )


def _times(event: _Event) -> tuple[int | None, int | None]:
    """Begin and end; the end of a model call may be told by how long it took."""
    start, end = (nanoseconds(event.get(key)) for key in ("timestamp", "completed"))
    if end is None and start is not None:
        took = amount(fields(event.get("output")).get("time"))
        usable = took is not None and 0 <= took < 10**6
        end = start + int((took or 0) * 10**9) if usable else start
    return start, end


def _failed(span: SpanRecord, error: str) -> SpanRecord:
    if not error:
        return span
    return replace(span, status=SpanStatus.ERROR, status_message=error)
