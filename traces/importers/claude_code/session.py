"""What each line of a session says, as spans; state is bounded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeVar

from traces.domain.records import Json, Reject, SpanRecord, StepType
from traces.importers.base import MIB, fit_id
from traces.importers.chat import At, boundary, model_turn, tool_run
from traces.importers.claude_code.line import (
    Line,
    error_of,
    read_line,
    result_facts,
    usage_of,
)
from traces.importers.gather import Found
from traces.importers.jsonstream import Item
from traces.importers.messages import GenAiMessage, Part, read_message, text_of
from traces.importers.values import fields, first_text, kept

REMEMBERED = 100_000
"""Lines and calls that later lines may refer to; the latest count."""
MAX_CHAINS = 500
"""Agents whose answers may be open at one time."""
MAX_WAITING = 8 * MIB
"""Bytes of lines that may wait for an answer, or for its end; the latest count."""

_SUB_AGENTS = {"Task", "Agent"}
_Value = TypeVar("_Value")


class _Memory(OrderedDict[str, _Value]):
    """The latest of many entries."""

    def keep(self, key: str, value: _Value) -> None:
        """Add an entry, or make it the latest."""
        self[key] = value
        self.move_to_end(key)
        if len(self) > REMEMBERED:
            self.popitem(last=False)


@dataclass
class _Turn:
    """One answer of a model, which comes in several lines."""

    line: Line
    message_id: str
    read: GenAiMessage
    end_ns: int | None
    size: int
    unread: list[GenAiMessage]
    needs: list[str]
    notes: tuple[Reject, ...]

    def takes(self, line: Line) -> bool:
        """Whether a line is more of the same answer."""
        same = bool(line.message_id) and self.message_id == line.message_id
        return same and self.size + line.size <= MAX_WAITING


@dataclass
class _Call:
    part: Part
    start_ns: int | None
    nested: bool = False


@dataclass
class _Chain:
    """What one agent of one session has heard but not answered."""

    parent: str
    agent: str
    unread: list[GenAiMessage] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)
    turn: _Turn | None = None
    last: str = ""
    waiting: int = 0

    def hear(self, read: GenAiMessage, span_ids: list[str], size: int) -> None:
        self.waiting += size
        if self.waiting > MAX_WAITING:
            self.forget()
            self.waiting = size
        self.unread.append(read)
        self.needs.extend(span_ids)

    def forget(self) -> None:
        self.unread, self.needs, self.waiting = [], [], 0


class Sessions:
    """Lines in, spans out."""

    def __init__(self) -> None:
        self._chains: _Memory[_Chain] = _Memory()
        self._spans: _Memory[str] = _Memory()
        self._calls: _Memory[_Call] = _Memory()
        self._prompts: _Memory[list[str]] = _Memory()
        self._names: _Memory[str] = _Memory()
        self._sides: _Memory[str] = _Memory()
        self._helped: _Memory[bool] = _Memory()
        self._number = -1

    def add(self, item: Item) -> Iterator[Found | Reject]:
        """Take one line."""
        self._number += 1
        line = read_line(item, self._number)
        if line.value["type"] == "summary":
            leaf = self._spans.get(line.leaf, line.leaf)
            self._names.keep(leaf, first_text(line.value, "summary"))
        elif line.message and line.session:
            yield from self._message(line)
        elif line.compacted:
            yield from self._mark(line)
        elif line.value["type"] in {"user", "assistant"}:
            reason = "a message without a session or without content."
            yield Reject("span", item.place, reason, "no_content", line.session)
        else:
            # Notices carry no step, but later lines may follow them.
            self._pass_on(line)

    def end(self) -> Iterator[Found]:
        """The answers that were still being written."""
        for chain in self._chains.values():
            yield from self._finish(chain)

    def _pass_on(self, line: Line) -> None:
        before = self._spans.get(line.parent)
        if before and line.uuid:
            self._spans.keep(line.uuid, before)

    def _message(self, line: Line) -> Iterator[Found]:
        chain = self._chain(line)
        if len(self._chains) > MAX_CHAINS:
            yield from self._finish(self._chains.popitem(last=False)[1])
        if line.value["type"] == "assistant":
            yield from self._assistant(chain, line)
        else:
            yield from self._user(chain, line)
        chain.last = line.uuid

    def _chain(self, line: Line) -> _Chain:
        key = f"{line.session}\0{self._side(line)}"
        chain = self._chains.get(key) or self._new_chain(line)
        self._chains.keep(key, chain)
        return chain

    def _side(self, line: Line) -> str:
        """Key of the sub-agent a line belongs to, "" for the main agent."""
        if line.agent_id or not line.side:
            return line.agent_id
        root = self._sides.get(line.parent) or line.uuid
        self._sides.keep(line.uuid, root)
        return root

    def _new_chain(self, line: Line) -> _Chain:
        if not line.side and not line.agent_id:
            return _Chain("", "")
        call_id = self._asking(line)
        if call_id:
            self._calls[call_id].nested = True
        asked = fields(self._calls[call_id].part["arguments"]) if call_id else {}
        name = first_text(asked, "subagent_type") or line.agent_id or "sub-agent"
        parent = call_id or (f"agent-{line.agent_id}" if line.agent_id else "")
        return _Chain(parent, name)

    def _asking(self, line: Line) -> str:
        """The open call with the prompt with which a sub-agent begins."""
        asked = self._prompts.get(text_of(line.message), [])
        while asked:
            call_id = asked.pop(0)
            if call_id in self._calls:
                return call_id
        return ""

    def _ask(self, call_id: str, call: _Call) -> None:
        self._calls.keep(call_id, call)
        prompt = first_text(fields(call.part["arguments"]), "prompt")
        if call.part["name"] in _SUB_AGENTS and prompt:
            self._prompts.keep(prompt, [*self._prompts.get(prompt, []), call_id])

    def _assistant(self, chain: _Chain, line: Line) -> Iterator[Found]:
        turn = chain.turn
        if turn is None or not turn.takes(line):
            yield from self._finish(chain)
            turn = chain.turn = self._open(chain, line)
        else:
            self._continue(turn, line)
        span_id = turn.line.span_id
        self._spans.keep(line.uuid, span_id)
        for part in line.message["parts"]:
            if part["type"] == "tool_call" and part["id"]:
                self._ask(part["id"], _Call(part, line.time_ns))

    def _open(self, chain: _Chain, line: Line) -> _Turn:
        turn = _Turn(
            line,
            line.message_id,
            line.message,
            line.time_ns,
            line.size,
            chain.unread,
            [*chain.needs, *self._before(line)],
            line.notes,
        )
        chain.forget()
        return turn

    def _continue(self, turn: _Turn, line: Line) -> None:
        turn.read["parts"].extend(line.message["parts"])
        # The counts of the last line are the whole answer's.
        turn.line = replace(turn.line, value=line.value)
        turn.end_ns = line.time_ns or turn.end_ns
        turn.size += line.size
        turn.notes = (*turn.notes, *line.notes)

    def _finish(self, chain: _Chain) -> Iterator[Found]:
        turn, chain.turn = chain.turn, None
        if turn is None:
            return
        message = fields(turn.line.value.get("message"))
        span = model_turn(
            At(turn.line.session, turn.line.span_id, turn.line.number),
            output=turn.read,
            unread=turn.unread,
            agent=chain.agent,
            model=first_text(message, "model"),
            more=usage_of(message, turn.line.value) | self._depends(turn.needs),
        )
        failed = error_of(turn.line.value, turn.read)
        yield self._found(chain, turn.line, replace(span, **failed), turn.end_ns, turn)

    def _before(self, line: Line) -> list[str]:
        found = self._spans.get(line.parent)
        return [found] if found and found != line.span_id else []

    @staticmethod
    def _depends(needs: list[str]) -> dict[str, Json]:
        unique = list(dict.fromkeys(needs))
        return {"agenteval.depends_on": unique} if unique else {}

    def _user(self, chain: _Chain, line: Line) -> Iterator[Found]:
        answers = [
            p for p in line.message["parts"] if p["type"] == "tool_call_response"
        ]
        if len(answers) == len(line.message["parts"]) and answers:
            yield from self._results(chain, line, answers)
            return
        if answers:
            yield from self._results(chain, line, answers)
        yield from self._finish(chain)
        rewound = self._rewound(chain, line)
        if rewound:
            # What the other branch left unanswered isn't heard here.
            chain.forget()
        yield self._words(chain, line, rewound=rewound)

    def _rewound(self, chain: _Chain, line: Line) -> bool:
        before, latest = self._spans.get(line.parent), self._spans.get(chain.last)
        return bool(before and latest) and before != latest

    def _words(self, chain: _Chain, line: Line, *, rewound: bool) -> Found:
        """What a person, a program or the summary of a compaction said."""
        at = At(line.session, line.span_id, line.number)
        before = self._before(line)
        if line.summary:
            span = model_turn(
                at,
                output={"role": "assistant", "parts": line.message["parts"]},
                agent=chain.agent,
                more=self._depends(before) | _COMPACTION,
            )
        else:
            kind = "environment" if line.value.get("isMeta") is True else "user"
            span = boundary(at, kind, text_of(line.message))
            if rewound:
                more = dict(span.attributes) | self._depends(before)
                span = replace(span, attributes=more)
        self._spans.keep(line.uuid, line.span_id)
        chain.hear(line.message, [line.span_id], line.size)
        return self._found(chain, line, span, line.time_ns)

    def _results(
        self, chain: _Chain, line: Line, answers: list[Part]
    ) -> Iterator[Found]:
        span_ids = []
        for number, answer in enumerate(answers):
            found = self._result(chain, line, answer, number)
            span_ids.append(found.span.span_id)
            yield found
        self._spans.keep(line.uuid, span_ids[-1])
        read = read_message({"role": "tool", "parts": line.message["parts"]})
        chain.hear(read | {"role": "tool"}, span_ids, line.size)

    def _result(self, chain: _Chain, line: Line, answer: Part, number: int) -> Found:
        call_id = answer["id"]
        call = self._calls.pop(call_id, None)
        part = call.part if call else {}
        result = fields(line.value.get("toolUseResult"))
        agent_id = first_text(result, "agentId")
        own = call_id or f"{line.span_id}.c{number}"
        inner = own if call and call.nested else self._inner(line, agent_id, own)
        span_id = fit_id(inner, fallback=own)
        failed = answer.get("is_error") is True
        span = tool_run(
            At(line.session, span_id, line.number),
            name=str(part.get("name") or ""),
            call_id=call_id,
            arguments=part.get("arguments"),
            result=answer["response"],
            error=(text_of_answer(answer) or "error") if failed else "",
            more=result_facts(result)
            | ({"gen_ai.agent.name": chain.agent} if chain.agent else {}),
        )
        start = call.start_ns if call else line.time_ns
        found = self._found(chain, line, span, line.time_ns)
        return replace(found, span=replace(found.span, start_ns=start))

    def _inner(self, line: Line, agent_id: str, own: str) -> str:
        """Id of a call that ran a sub-agent, by which its spans find it.

        A sub-agent that is called again belongs to its first call.
        """
        key = f"{line.session}\0{agent_id}"
        if not agent_id or key in self._helped:
            return own
        self._helped.keep(key, value=True)
        return f"agent-{agent_id}"

    def _mark(self, line: Line) -> Iterator[Found]:
        """Where the session was compacted: a new root that goes on from before."""
        chain = self._chain(line)
        yield from self._finish(chain)
        chain.forget()
        chain.last = line.uuid
        before = self._spans.get(line.parent)
        if before and line.uuid:
            self._spans.keep(line.uuid, before)

    def _found(
        self,
        chain: _Chain,
        line: Line,
        span: SpanRecord,
        end_ns: int | None,
        turn: _Turn | None = None,
    ) -> Found:
        span = replace(
            span,
            parent_id=chain.parent or None,
            start_ns=line.time_ns,
            end_ns=end_ns,
        )
        size, notes = (turn.size, turn.notes) if turn else (line.size, line.notes)
        return Found(span, size, attributes=self._facts(line), notes=notes)

    def _facts(self, line: Line) -> dict[str, Json]:
        value = line.value
        return kept(
            {
                "name": self._names.get(line.span_id),
                "session": line.session,
                "version": first_text(value, "version"),
                "cwd": first_text(value, "cwd"),
                "git_branch": first_text(value, "gitBranch"),
            }
        )


_COMPACTION: dict[str, Json] = {
    "agenteval.step.type": str(StepType.SYNTH),
    "agenteval.step.name": "summary of the session so far",
}


def text_of_answer(answer: Part) -> str:
    """The beginning of a tool's words for its failure."""
    response = answer["response"]
    return response[:300] if isinstance(response, str) else ""
