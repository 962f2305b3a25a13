"""Formats in which traces come: a table of importers and how to read any of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import BinaryIO

from traces.domain.records import Json, Reject, TraceRecord
from traces.importers import (
    agenteval,
    agentrx,
    anthropic_managed_agents,
    atif,
    claude_code,
    deepeval,
    inspect,
    invariant,
    jaeger,
    langfuse,
    langsmith,
    mast,
    mini_swe_agent,
    mlflow,
    openai_agents,
    openai_chat,
    opencode,
    openhands,
    openinference,
    otlp,
    swe_agent,
    tau2_bench,
    tau_bench,
    tempo,
    trail,
    who_and_when,
)
from traces.importers.archives import Member, members
from traces.importers.base import (
    DEFAULT_LIMITS,
    Importer,
    Limits,
    Sample,
    Unreadable,
)
from traces.importers.jsonstream import take_sample

IMPORTERS: Mapping[str, Importer] = MappingProxyType(
    {
        importer.NAME: importer
        # In the order in which they are asked: the most particular first.
        for importer in (
            agenteval,
            otlp,
            jaeger,
            tempo,
            langfuse,
            langsmith,
            mlflow,
            openai_agents,
            deepeval,
            trail,
            openinference,
            tau_bench,
            tau2_bench,
            mini_swe_agent,
            who_and_when,
            agentrx,
            mast,
            inspect,
            atif,
            claude_code,
            openhands,
            anthropic_managed_agents,
            opencode,
            swe_agent,
            invariant,
            openai_chat,
        )
    }
)
"""Every format by its name."""

AUTO = "auto"
FORMATS = (AUTO, *IMPORTERS)
"""What ``--format`` and ``?format=`` accept."""

SKIPPED = frozenset({"not_traces"})
"""Codes of rejects that name a file in which no traces were to be expected."""

CHANGES = frozenset({"text_cleaned", "number_as_text", "nested_too_deep", "text_cut"})
"""Codes of rejects that name a change within what was taken in."""

_TEXTS = (
    "name",
    "session",
    "user",
    "workflow",
    "case",
    "run",
    "agent",
    "outcome",
    "environment",
    "version",
)


def detect(sample: Sample) -> str | None:
    """Name of the format that a file's content shows, None if it is none."""
    return next(
        (name for name, known in IMPORTERS.items() if known.recognises(sample)), None
    )


def read_any(
    source: BinaryIO,
    *,
    name: str,
    format: str = AUTO,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[TraceRecord | Reject]:
    """Read a file, or all files of an archive, of any format.

    Args:
        source: Open at the first byte; need not be seekable.
        name: Name of the file, "" if it has none.
        format: One of ``FORMATS``; ``auto`` looks at the content of each file.
        limits: Bounds on what is taken in.

    Yields:
        Traces in the order of the file. One bad trace never stops the rest:
        it is a ``Reject`` whose place begins with the file's name.

    Raises:
        KeyError: If the format is unknown.
    """
    chosen = None if format == AUTO else IMPORTERS[format]
    for member in members(source, name=name, limits=limits):
        if isinstance(member, Reject):
            yield member
        else:
            yield from read_member(member, chosen, limits)


def read_member(
    member: Member, importer: Importer | None, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one file; without an importer, by what its content shows."""
    name = member.name
    try:
        sample, source = take_sample(member.source, name)
        known = importer or IMPORTERS.get(detect(sample) or "")
        if known is None or not sample.head.strip():
            yield _unrecognised(sample)
            return
        said = False
        for one in known.read(source, name=name, limits=limits):
            said = True
            if isinstance(one, Reject):
                yield _placed(one, name)
            else:
                yield from _checked(one, known.NAME, name, limits)
        if not said:
            yield Reject("file", name, "the file holds no trace.", "no_traces")
    except Unreadable as error:
        yield _placed(error.reject("file"), name)


def _placed(reject: Reject, name: str, trace_id: str = "") -> Reject:
    """A reject that says in which file it was."""
    place = f"{name}: {reject.place}" if name and name != reject.place else reject.place
    return replace(reject, place=place, trace_id=reject.trace_id or trace_id)


def _checked(
    record: TraceRecord, source: str, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    trace_id = record.trace_id
    rejects = tuple(_placed(one, name, trace_id) for one in record.rejects)
    if not record.spans and not record.labels:
        yield from rejects
        yield Reject("trace", name, "a trace without any step.", "empty", trace_id)
    elif len(record.spans) > limits.max_spans:
        reason = f"more than the {limits.max_spans} spans allowed."
        yield Reject("trace", name, reason, "too_many_spans", trace_id)
    else:
        facts = {"source": source} | _facts(record.attributes)
        yield replace(record, attributes=facts, rejects=rejects)


def _facts(attributes: Mapping[str, Json]) -> dict[str, Json]:
    """Attributes of a trace, with text where text is meant."""
    facts = dict(attributes)
    for key in _TEXTS:
        if key in facts and not isinstance(facts[key], str):
            facts[key] = str(facts[key])
    tags = facts.get("tags")
    if tags is not None:
        listed = tags if isinstance(tags, list) else [tags]
        facts["tags"] = [str(tag) for tag in listed]
    return facts


def _unrecognised(sample: Sample) -> Reject:
    if not sample.head.strip():
        return Reject("file", sample.name, "the file is empty.", "empty_file")
    if sample.head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        reason = "text in UTF-16: save it as UTF-8 and import it again."
        return Reject("file", sample.name, reason, "utf16")
    if not _holds_objects(sample.value):
        reason = "neither JSON nor another format that is known."
        return Reject("file", sample.name, reason, "not_traces")
    reason = f"JSON, but none of the known formats: {_outline(sample)}."
    return Reject("file", sample.name, reason, "unknown_format")


def _holds_objects(value: Json) -> bool:
    """Whether it is data; text in square brackets reads as a list, too."""
    if isinstance(value, list):
        return any(isinstance(item, dict | list) for item in value)
    return isinstance(value, dict)


def _outline(sample: Sample) -> str:
    """What a file holds, in few words."""
    first = sample.first
    if not isinstance(first, dict):
        return f"a list of {type(first).__name__}"
    keys = ", ".join(repr(key[:40]) for key in list(first)[:8])
    return f"an object with the keys {keys}" if keys else "an empty object"
