"""What a scripted model says, and what it hears back from its tools."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from traces.domain.records import Json


@dataclass(frozen=True, slots=True)
class Fault:
    """A mistake put into a run on purpose.

    Attributes:
        category: Id of the taxonomy's leaf.
        step_type: Type of the step where it begins.
        description: What goes wrong, and what follows from it.
    """

    category: str
    step_type: str
    description: str


@dataclass(frozen=True, slots=True)
class Call:
    """A tool the model asks for."""

    tool: str
    arguments: Mapping[str, Json]
    call_id: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model.

    Attributes:
        text: What it says.
        calls: Tools it asks for; several run side by side.
        fault: The mistake that is made in this very answer.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool call brought, as the model reads it."""

    tool: str
    text: str
    ok: bool = True

    @property
    def data(self) -> Json:
        """The reply as JSON, None where it isn't."""
        try:
            return json.loads(self.text)
        except ValueError:
            return None


Replies: TypeAlias = tuple[Reply, ...]
Policy: TypeAlias = Generator[Turn, Replies, Turn]
"""Yields turns with calls, is sent their replies, returns the last turn."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation that the model is given."""

    role: str
    text: str = ""
    calls: tuple[Call, ...] = ()
    call_id: str = ""
    tool: str = ""


def compact(value: Json) -> str:
    """JSON text as programs write it; text stays as it is."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
