"""Events of OpenHands: a list of them (version 0), lines or files (version 1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from traces.domain.records import Json, Reject, TraceRecord
from traces.importers.base import Limits, Sample, fit_id
from traces.importers.gather import Found, gather
from traces.importers.jsonstream import Item, JsonSource, digest
from traces.importers.openhands.version0 import take as take_version0
from traces.importers.openhands.version1 import take as take_version1
from traces.importers.talk import Talk
from traces.importers.values import fields, text

NAME = "openhands"
LABEL = "OpenHands events"

_SOURCES = {"agent", "user", "environment", "hook"}
_FILE = re.compile(r"(?:.*/)?([^/]{1,80})/events/event-[0-9]{1,9}-[^/]{1,80}")


def recognises(sample: Sample) -> bool:
    """Events of either version."""
    first = fields(sample.first)
    return _is_version0(first) or _is_version1(first)


def _is_version0(event: dict[str, Json]) -> bool:
    kind = {"action", "observation"} & event.keys()
    return bool(kind) and _sourced(event) and isinstance(event.get("id"), int)


def _is_version1(event: dict[str, Json]) -> bool:
    kind = text(event.get("kind"))
    return kind.endswith(_KINDS) and _sourced(event) and bool(text(event.get("id")))


def _sourced(event: dict[str, Json]) -> bool:
    return "timestamp" in event and text(event.get("source")) in _SOURCES


_KINDS = ("Event", "Condensation", "CondensationRequest", "Observation")


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one conversation."""
    told = False
    values = JsonSource(source, limits=limits, name=name)
    for one in gather(_spans(values, name), limits):
        told = True
        yield one
    if not told:
        reason = "events of OpenHands, but nothing that anyone said or did."
        yield Reject("file", name or "line 1", reason, "no_messages")


def _spans(values: JsonSource, name: str) -> Iterator[Found | Reject]:
    talk: Talk | None = None
    for item in values.items():
        if isinstance(item, Reject):
            yield item
            continue
        event = fields(item.value)
        old, new = _is_version0(event), _is_version1(event)
        if not old and not new:
            yield Reject("span", item.place, "no event with a source.", "no_event")
            continue
        talk = talk or Talk(_trace_id(event, item, name))
        yield from (take_version0 if old else take_version1)(talk, item)
    if talk:
        yield from talk.end()


def _trace_id(event: dict[str, Json], item: Item, name: str) -> str:
    """The folder of a conversation whose events are files, else its first event."""
    folder = _FILE.fullmatch(name)
    if folder:
        return f"openhands-{folder[1]}"
    return f"openhands-{fit_id(text(event.get('id')), fallback=digest(item.value))}"
