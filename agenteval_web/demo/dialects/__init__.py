"""How instrumentations write the same run: two public conventions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from agenteval_web.demo.models import Model, Usage
from agenteval_web.demo.script import Call, Message, Turn
from agenteval_web.demo.tools import Tool
from traces.domain.records import Json


@dataclass(frozen=True, slots=True)
class Exchange:
    """One model call: what was asked, with what, and what came back."""

    model: Model
    system: str
    messages: Sequence[Message]
    tools: Sequence[Tool]
    turn: Turn
    usage: Usage
    response_id: str


class Dialect(Protocol):
    """Attributes of the three kinds of span."""

    def agent(self, name: str, version: str, asked: str) -> dict[str, Json]:
        """Attributes of an agent span at its start."""

    def agent_answer(self, text: str) -> Mapping[str, Json]:
        """Attributes that an agent span gets when it ends."""

    def llm(self, exchange: Exchange) -> dict[str, Json]:
        """Attributes of a model call."""

    def tool(self, tool: str, description: str, call: Call) -> dict[str, Json]:
        """Attributes of a tool run at its start."""

    def tool_result(self, text: str) -> Mapping[str, Json]:
        """Attributes that a tool run gets when it ends."""

    def names(self, kind: str, name: str) -> str:
        """Span name for ``agent``, ``llm`` or ``tool`` of this name."""
