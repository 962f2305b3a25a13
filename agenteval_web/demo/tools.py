"""Tools of the demo agents: a schema, a small function, and ways to break."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from agenteval_web.demo.script import Fault, compact
from traces.domain.records import Json

Run = Callable[[Mapping[str, Json]], Json]


class ToolError(Exception):
    """A tool that refuses or fails; the text is what the agent reads."""

    def __init__(self, message: str, kind: str = "ToolError") -> None:
        """Keep the message and the name of the exception."""
        super().__init__(message)
        self.message = message
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that the model may call.

    Attributes:
        name: Name the model uses.
        description: What the model is told.
        parameters: JSON Schema of the arguments.
        run: The tool itself; raises ToolError.
        takes_ms: Shortest and longest time it takes.
    """

    name: str
    description: str
    parameters: Mapping[str, Json]
    run: Run
    takes_ms: tuple[float, float] = (60, 420)


@dataclass(frozen=True, slots=True)
class Outage:
    """One call of a tool that goes wrong whatever its arguments.

    Attributes:
        kind: Exception name; "" where the call succeeds with broken output.
        text: Message of the exception, or the broken output.
        takes_ms: How long the call hangs.
        fault: The injected fault that begins here, if it does.
    """

    kind: str
    text: str
    takes_ms: float = 300
    fault: Fault | None = None


@dataclass
class Toolbox:
    """Tools by name, and the outages that wait for their next calls."""

    tools: Mapping[str, Tool]
    outages: Mapping[str, list[Outage]] = field(default_factory=dict)

    @staticmethod
    def of(
        tools: Sequence[Tool], outages: Mapping[str, Sequence[Outage]] | None = None
    ) -> Toolbox:
        """A toolbox in the given order."""
        waiting = {name: list(found) for name, found in (outages or {}).items()}
        return Toolbox({tool.name: tool for tool in tools}, waiting)

    def next_outage(self, name: str) -> Outage | None:
        """The outage of this call, which is used up."""
        waiting = self.outages.get(name)
        return waiting.pop(0) if waiting else None

    def run(self, name: str, arguments: Mapping[str, Json]) -> str:
        """Run a tool, as text for the model.

        Raises:
            ToolError: Unknown tool, arguments against the schema, or the
                tool's own refusal.
        """
        tool = self.tools.get(name)
        if tool is None:
            raise ToolError(f"Unknown tool '{name}'.", "UnknownToolError")
        problem = invalid(tool.parameters, arguments)
        if problem:
            raise ToolError(
                f"Invalid arguments for {name}: {problem}", "ValidationError"
            )
        return compact(tool.run(arguments))


_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "array": list,
    "object": dict,
    "boolean": bool,
}


def invalid(schema: Mapping[str, Json], arguments: Mapping[str, Json]) -> str:
    """The first thing wrong with arguments, "" if nothing is."""
    for name in schema.get("required", ()):
        if arguments.get(name) in (None, ""):
            return f"'{name}' is a required property"
    for name, value in arguments.items():
        expected = schema["properties"].get(name)
        if expected is None:
            return f"'{name}' is not a known property"
        if not isinstance(value, _TYPES[expected["type"]]):
            return f"{value!r} is not of type '{expected['type']}' ({name})"
        if value not in expected.get("enum", (value,)):
            return f"{value!r} is not one of {expected['enum']} ({name})"
    return ""


def schema(required: Mapping[str, str], **optional: str) -> dict[str, Json]:
    """A JSON Schema of flat arguments.

    Each value is ``type: description``; a type of the form ``a|b`` is a text
    with these choices.
    """
    properties = {**required, **optional}
    return {
        "type": "object",
        "properties": {name: _property(text) for name, text in properties.items()},
        "required": list(required),
        "additionalProperties": False,
    }


def _property(text: str) -> dict[str, Json]:
    kind, _, description = text.partition(": ")
    if "|" in kind:
        choices = kind.split("|")
        return {"type": "string", "description": description, "enum": choices}
    return {"type": kind, "description": description}
