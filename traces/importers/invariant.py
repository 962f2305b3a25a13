"""Traces of Invariant's explorer: messages, with annotations on their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from traces.domain.records import Json, ReferenceLabel, Reject, TraceRecord
from traces.importers.base import Limits, Sample, fit_id
from traces.importers.chat import Conversation
from traces.importers.jsonstream import Item, JsonSource, digest
from traces.importers.messages import as_text, is_message
from traces.importers.values import fields, first_text, items, kept, objects, text

NAME = "invariant"
LABEL = "Invariant explorer traces"

_ADDRESS = re.compile(r"messages[.\[]([0-9]{1,9})\]?")


def recognises(sample: Sample) -> bool:
    """Messages with annotations or facts of a stored trace, one a line.

    The first line may hold facts about the set alone.
    """
    first = fields(sample.first)
    if (
        sample.lines
        and first.keys() == {"metadata"}
        and isinstance(first["metadata"], dict)
    ):
        return b'"messages"' in sample.head or b'"role"' in sample.head
    return _is_stored(first)


def _is_stored(value: dict[str, Json]) -> bool:
    messages = items(value.get("messages"))
    notes = objects(value.get("annotations"))
    annotated = any("address" in note and "content" in note for note in notes[:3])
    stored = {"extra_metadata", "index"} <= value.keys()
    return any(map(is_message, messages[:3])) and (annotated or stored)


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one trace after another."""
    told = False
    for item in JsonSource(source, limits=limits, name=name).documents():
        if not isinstance(item, Reject) and fields(item.value).keys() == {"metadata"}:
            continue
        told = True
        yield item if isinstance(item, Reject) else _trace(item)
    if not told:
        reason = "facts about a set of traces, but no trace."
        yield Reject("file", name or "line 1", reason, "no_messages")


def _trace(item: Item) -> TraceRecord | Reject:
    about = fields(item.value)
    messages = items(item.value) or items(about.get("messages"))
    if not any(map(is_message, messages)):
        reason = "no messages here."
        return Reject("trace", item.place, reason, "no_messages")
    own = f"invariant-{digest(messages)}"
    talk = Conversation(fit_id(text(about.get("id")), fallback=own))
    talk.add_all(messages)
    known = {span.span_id for span in talk.spans}
    return TraceRecord(
        talk.trace_id,
        tuple(talk.spans),
        labels=tuple(_labels(about, known)),
        attributes=_facts(about),
        rejects=item.notes,
    )


def _labels(about: dict[str, Json], known: set[str]) -> Iterator[ReferenceLabel]:
    """Annotations: what they say, on the message that their address names."""
    for note in objects(about.get("annotations")):
        content, address = note.get("content"), first_text(note, "address")
        if content is None:
            continue
        found = _ADDRESS.match(address)
        number = f"m{int(found[1])}" if found else ""
        where = next((s for s in (number, f"{number}.c0") if s in known), "")
        yield ReferenceLabel("category", as_text(content), NAME, where, address)


def _facts(about: dict[str, Json]) -> dict[str, Json]:
    extra = fields(about.get("metadata")) | fields(about.get("extra_metadata"))
    index = about.get("index")
    return kept(
        {
            "name": first_text(about, "name"),
            "workflow": first_text(about, "dataset"),
            "case": str(index) if isinstance(index, int) else "",
            "extra": extra,
        }
    )
