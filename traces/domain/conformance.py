"""What ran beside what was declared to run.

Deviation is a sign to look, not a fault: deviant traces fail more often (paper
section 3.1, an observation without claim of cause).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from traces.domain.records import Graph, Step

MAX_DEVIATIONS = 200


class SchemaError(ValueError):
    """A workflow schema that can't be read; the message names the place."""


@dataclass(frozen=True, slots=True)
class ExpectedStep:
    """One step a workflow should have.

    Attributes:
        name: Name within the schema.
        type: Step type.
        tool: Tool that the step uses, "" if any.
        optional: It may be absent.
        repeat: It may occur several times.
    """

    name: str
    type: str
    tool: str = ""
    optional: bool = False
    repeat: bool = False


@dataclass(frozen=True, slots=True)
class Schema:
    """A workflow's declared graph: expected steps and what precedes what."""

    workflow: str
    steps: tuple[ExpectedStep, ...]
    edges: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Deviation:
    """One difference between trace and schema.

    Attributes:
        kind: ``missing``, ``unexpected``, ``reordered`` or ``repeated``.
        step: Step key, "" where a step is missing.
        expected: Name of the expected step, "" where none is.
        detail: One sentence.
    """

    kind: str
    step: str
    expected: str
    detail: str


@dataclass(frozen=True, slots=True)
class Conformance:
    """``conformant``, ``deviant`` or ``unknown`` (no schema), with reasons."""

    status: str
    schema: str = ""
    deviations: tuple[Deviation, ...] = ()


UNKNOWN = Conformance("unknown")


def parse_schema(content: Mapping[str, Any]) -> Schema:
    """Read a schema from its JSON form.

    Raises:
        SchemaError: A step lacks name or type, a name is used twice, or an
            edge names an unknown step.
    """
    rows = content.get("steps")
    if not isinstance(rows, list) or not rows:
        raise SchemaError("steps: a list with at least one step is required")
    steps = tuple(_expected(number, row) for number, row in enumerate(rows))
    names = [step.name for step in steps]
    if len(set(names)) < len(names):
        raise SchemaError("steps: two steps share a name")
    edges = tuple(_edge(n, e, names) for n, e in enumerate(content.get("edges", ())))
    return Schema(str(content.get("workflow", "")), steps, edges)


def _expected(number: int, row: Any) -> ExpectedStep:
    if not isinstance(row, dict) or not row.get("name") or not row.get("type"):
        raise SchemaError(f"steps[{number}]: name and type are required")
    return ExpectedStep(
        name=str(row["name"]),
        type=str(row["type"]),
        tool=str(row.get("tool", "")),
        optional=bool(row.get("optional", False)),
        repeat=bool(row.get("repeat", False)),
    )


def _edge(number: int, edge: Any, names: list[str]) -> tuple[str, str]:
    known = isinstance(edge, (list, tuple)) and len(edge) == 2
    if not known or any(end not in names for end in edge):
        raise SchemaError(f"edges[{number}]: two names of steps are required")
    return str(edge[0]), str(edge[1])


def compare(graph: Graph, schema: Schema, name: str) -> Conformance:
    """Hold a trace's graph against a schema.

    Only steps whose type the schema speaks of count. A step matches the first
    expected step of its type with its tool, else with its name, else one that
    names no tool.

    Args:
        graph: The evaluation graph.
        schema: What was declared.
        name: Name and version of the schema, for the result.
    """
    found: dict[str, list[Step]] = {step.name: [] for step in schema.steps}
    types = {step.type for step in schema.steps}
    deviations: list[Deviation] = []
    for step in graph.steps:
        if step.type not in types:
            continue
        expected = _match(step, schema)
        if expected is None:
            detail = f"{step.type} {step.name[:60]} is not in the schema"
            deviations.append(Deviation("unexpected", step.key, "", detail))
        else:
            found[expected.name].append(step)
    deviations += _missing(schema, found) + _repeated(schema, found)
    deviations += _reordered(schema, found)
    status = "deviant" if deviations else "conformant"
    return Conformance(status, name, tuple(deviations[:MAX_DEVIATIONS]))


def _match(step: Step, schema: Schema) -> ExpectedStep | None:
    same = [expected for expected in schema.steps if expected.type == step.type]
    by_tool = [e for e in same if e.tool and e.tool == step.tool]
    by_name = [e for e in same if e.name == step.name]
    anything = [e for e in same if not e.tool]
    return next(iter(by_tool or by_name or anything), None)


def _missing(schema: Schema, found: Mapping[str, list[Step]]) -> list[Deviation]:
    return [
        Deviation("missing", "", step.name, f"{step.type} {step.name} did not run")
        for step in schema.steps
        if not step.optional and not found[step.name]
    ]


def _repeated(schema: Schema, found: Mapping[str, list[Step]]) -> list[Deviation]:
    return [
        Deviation(
            "repeated",
            again.key,
            step.name,
            f"{step.name} ran {len(found[step.name])} times, once is expected",
        )
        for step in schema.steps
        if not step.repeat
        for again in found[step.name][1:]
    ]


def _reordered(schema: Schema, found: Mapping[str, list[Step]]) -> list[Deviation]:
    return [
        Deviation(
            "reordered",
            found[after][0].key,
            after,
            f"{after} ran before {before}, which should precede it",
        )
        for before, after in schema.edges
        if found[before]
        and found[after]
        and found[after][0].index < found[before][0].index
    ]
