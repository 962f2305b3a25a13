"""Session logs of Claude Code: one line a message, notice or part of an answer.

Sub-agents stand in the same file or in files of their own; both name the
session, which is the trace. Lines are read one after another and let go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from traces.domain.records import Json, Reject, TraceRecord
from traces.importers.base import Limits, Sample
from traces.importers.claude_code.session import Sessions
from traces.importers.gather import Found, gather
from traces.importers.jsonstream import JsonSource
from traces.importers.values import text

NAME = "claude_code"
LABEL = "Claude Code sessions"

_SPEAKERS = {"user", "assistant"}
_MARKS = ("sessionId", "leafUuid", "parentUuid", "isSidechain")


def recognises(sample: Sample) -> bool:
    """Lines with a type and the ids of a session."""
    value = sample.value
    if not isinstance(value, dict) or not text(value.get("type")):
        return False
    if isinstance(value.get("snapshot"), dict) and "messageId" in value:
        return True
    spoken = value["type"] in _SPEAKERS
    told = isinstance(value.get("message"), dict) and bool(text(value.get("uuid")))
    return (not spoken or told) and any(mark in value for mark in _MARKS)


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read the sessions of one file."""
    told = False
    found = _spans(JsonSource(source, limits=limits, name=name))
    for one in gather(found, limits):
        told = True
        yield one
    if not told:
        reason = "notices of a session, but nothing that anyone said or did."
        yield Reject("file", name or "line 1", reason, "no_messages")


def _spans(values: JsonSource) -> Iterator[Found | Reject]:
    sessions = Sessions()
    for item in values.documents():
        if isinstance(item, Reject):
            yield item
        elif _is_line(item.value):
            yield from sessions.add(item)
        else:
            reason = "a line of a session is an object with a type; this is none."
            yield Reject("span", item.place, reason, "no_line")
    yield from sessions.end()


def _is_line(value: Json) -> bool:
    return isinstance(value, dict) and bool(text(value.get("type")))
