"""What one can filter by: a table of names, kinds and help lines."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kind(StrEnum):
    """How the value of a field is read."""

    TEXT = "text"
    """Equal to the value; a trailing ``*`` means "starts with"."""
    LIST = "list"
    """The trace has a list, and the value is in it."""
    CHOICE = "choice"
    """One of a closed set."""
    COUNT = "count"
    """``yes`` (at least one), ``no`` (none) or a number."""
    NUMBER = "number"
    DURATION = "duration"
    """``500ms``, ``30s``, ``2m``, ``1h``; a bare number is seconds."""
    TIME = "time"
    """``today``, ``yesterday``, ``7d``, ``12h``, a date or an ISO time."""


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to filter by.

    Attributes:
        name: What people type before the operator.
        kind: How the value is read.
        help: One line for the completion list.
        values: For CHOICE the closed set, else examples for completion.
    """

    name: str
    kind: Kind
    help: str
    values: tuple[str, ...] = ()


FIELDS: tuple[Field, ...] = (
    Field("failed", Kind.COUNT, "has failed steps, or how many", ("yes", "no", ">3")),
    Field("root", Kind.TEXT, "category of the main root cause"),
    Field("category", Kind.LIST, "category of any failed step"),
    Field("score", Kind.NUMBER, "workflow score, 1 to 5", ("<2", "<3", ">=4")),
    Field(
        "structure",
        Kind.CHOICE,
        "how the graph was found",
        ("declared", "inferred", "repaired", "flat"),
    ),
    Field(
        "conformance",
        Kind.CHOICE,
        "compared with the declared workflow",
        ("conformant", "deviant", "unknown"),
    ),
    Field("outcome", Kind.TEXT, "what the sender says", ("passed", "failed")),
    Field("workflow", Kind.TEXT, "name of the workflow"),
    Field("agent", Kind.TEXT, "main agent"),
    Field("model", Kind.TEXT, "main model"),
    Field("tool", Kind.LIST, "a tool that was called"),
    Field("tag", Kind.LIST, "a tag of the sender"),
    Field("session", Kind.TEXT, "conversation or session id"),
    Field("user", Kind.TEXT, "user id of the sender"),
    Field("environment", Kind.TEXT, "for example production"),
    Field("version", Kind.TEXT, "version of the agent"),
    Field("source", Kind.TEXT, "format it came in, for example otlp"),
    Field("id", Kind.TEXT, "trace id; end with * for a prefix"),
    Field("after", Kind.TIME, "started at or after", ("today", "7d", "2026-01-31")),
    Field("before", Kind.TIME, "started before", ("today", "30d", "2026-01-31")),
    Field("duration", Kind.DURATION, "how long it ran", (">30s", ">2m", "<500ms")),
    Field("cost", Kind.NUMBER, "US dollars as stated by the sender", (">0.1",)),
    Field("steps", Kind.NUMBER, "number of steps", (">20", ">200")),
    Field("errors", Kind.COUNT, "steps the sender marked as errors", ("yes", "no")),
    Field("repairs", Kind.COUNT, "repairs made to the graph", ("yes", "no")),
    Field(
        "state",
        Kind.CHOICE,
        "how far the analysis is",
        ("waiting", "done", "failed", "unfinished"),
    ),
)
"""In the order of the completion list: what people ask most comes first."""

_BY_NAME: Mapping[str, Field] = MappingProxyType({f.name: f for f in FIELDS})


def field(name: str) -> Field | None:
    """The field of a name, whatever its case; None if there is none."""
    return _BY_NAME.get(name.lower())
