"""Files that are lines: what is held in memory doesn't grow with the file."""

import json
import tracemalloc
from io import RawIOBase

import pytest

from traces.domain.records import TraceRecord
from traces.importers import read_any
from traces.importers.base import Limits
from traces.importers.streams import as_binary

TEXT = "x" * 2000
FEW, MANY = 1000, 4000
LIMITS = Limits(max_pending_bytes=2**18)


def claude_code(number):
    kind = "assistant" if number % 2 else "user"
    message = {"id": f"m{number}", "role": kind, "content": f"{number} {TEXT}"}
    ids = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}", "sessionId": "s"}
    return ids | {"type": kind, "message": message}


def langsmith(number):
    ids = {"id": f"r{number}", "trace_id": f"t{number // 2}", "run_type": "chain"}
    return ids | {"inputs": {"text": f"{number} {TEXT}"}}


def openai_agents(number):
    ids = {"object": "trace.span", "id": f"s{number}", "trace_id": "t"}
    return ids | {"span_data": {"type": "function", "output": f"{number} {TEXT}"}}


def openhands(number):
    source = "agent" if number % 2 else "user"
    ids = {"id": f"e{number}", "timestamp": 0, "source": source}
    message = {"role": source, "content": [{"type": "text", "text": TEXT}]}
    return ids | {"kind": "MessageEvent", "llm_message": message}


def opencode(number):
    role = "assistant" if number % 2 else "user"
    about = {"sessionID": "s", "role": role, "id": f"m{number}"}
    part = {"sessionID": "s", "messageID": f"m{number}", "type": "text", "text": TEXT}
    message = about | {"time": {"created": number}}
    return ["chat.message", {"sessionID": "s"}, {"message": message, "parts": [part]}]


def anthropic_managed_agents(number):
    kind = "agent.message" if number % 2 else "user.message"
    event = {"type": kind, "id": f"e{number}", "processed_at": 0}
    return ["client.beta.sessions.events.stream", event | {"content": TEXT}]


class Lines(RawIOBase):
    """A file whose lines are made while it is read."""

    def __init__(self, make, count):
        self.made = (json.dumps(make(n)).encode() + b"\n" for n in range(count))
        self.rest = b""

    def readable(self):
        return True

    def readinto(self, buffer):
        part = self.rest or next(self.made, b"")
        size = min(len(part), len(buffer))
        buffer[:size], self.rest = part[:size], part[size:]
        return size


def peak(make, count):
    """Most memory that was held while so many lines were read."""
    tracemalloc.start()
    try:
        spans = 0
        for one in read_any(as_binary(Lines(make, count)), name="a", limits=LIMITS):
            assert isinstance(one, TraceRecord)
            assert one.attributes["source"] == make.__name__
            spans += len(one.spans)
        assert spans >= count
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "make",
    [
        claude_code,
        langsmith,
        openai_agents,
        openhands,
        opencode,
        anthropic_managed_agents,
    ],
)
def test_memory_does_not_grow_with_the_file(make):
    grown = peak(make, MANY) - peak(make, FEW)
    assert grown < (MANY - FEW) * len(TEXT) / 3
