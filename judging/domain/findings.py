"""What a named check reads and what it says.

A check never gives a score of its own: a finding *caps* the score of one
metric. A metric without findings has no score from the checks at all ("no
finding"), which is weaker than a judged pass (docs/method.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from traces.domain.records import Edge, Graph, Step
from traces.domain.view import StepContent, ToolDefinition

NOTHING = StepContent()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words a check fired on.

    Attributes:
        step: Key of the step in whose content the words stand.
        where: ``input``, ``output``, ``arguments``, ``error`` or ``name``.
        text: The words themselves, at most 300 characters.
        start: Offset in characters within the text form of that content, -1
            where the finding is about something absent.
    """

    step: str
    where: str
    text: str
    start: int = -1


@dataclass(frozen=True, slots=True)
class Match:
    """One firing of a check on one step.

    Attributes:
        message: What is wrong, in one sentence with the particulars.
        evidence: At least one, most telling first, at most 5.
        cap: Lower cap than the check's own, None for the check's.
        category: Other category than the check's own, "" for the check's.
    """

    message: str
    evidence: tuple[Evidence, ...]
    cap: float | None = None
    category: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A match with the name and the consequence of its check.

    Attributes:
        check: Id of the check, for example ``exec.http_status``.
        step: Key of the step.
        metric: Metric whose score is capped.
        cap: Highest score (1 to 5) the metric can still have.
        category: Taxonomy category id, "" for unclassified.
        message: What is wrong.
        evidence: The words.
    """

    check: str
    step: str
    metric: str
    cap: float
    category: str
    message: str
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class Run:
    """A graph with the content of its steps: all that a check may read.

    Attributes:
        graph: The evaluation graph.
        contents: Content by step key; a missing key means nothing recorded.
        request: The user's original query, "" if unknown.
        policy: System prompt or policy text, "" if unknown.
    """

    graph: Graph
    contents: Mapping[str, StepContent]
    request: str = ""
    policy: str = ""
    shared: dict[str, object] = field(default_factory=dict, compare=False)
    """Indexes that several checks share, built once a run."""

    @cached_property
    def steps(self) -> Mapping[str, Step]:
        """Steps by key."""
        return {step.key: step for step in self.graph.steps}

    @cached_property
    def parents(self) -> Mapping[str, tuple[Edge, ...]]:
        """Edges into each step, by target key."""
        return _by(self.graph.edges, lambda edge: edge.target)

    @cached_property
    def children(self) -> Mapping[str, tuple[Edge, ...]]:
        """Edges out of each step, by source key."""
        return _by(self.graph.edges, lambda edge: edge.source)

    @cached_property
    def tools(self) -> Mapping[str, ToolDefinition]:
        """Every tool definition the run shows, by tool name."""
        found: dict[str, ToolDefinition] = {}
        for content in self.contents.values():
            for tool in content.tools:
                found.setdefault(tool.name, tool)
        return found

    def content(self, key: str) -> StepContent:
        """Content of a step, empty if nothing was recorded."""
        return self.contents.get(key, NOTHING)


def _by(
    edges: Iterable[Edge], end: Callable[[Edge], str]
) -> Mapping[str, tuple[Edge, ...]]:
    groups: dict[str, list[Edge]] = {}
    for edge in edges:
        groups.setdefault(end(edge), []).append(edge)
    return {key: tuple(found) for key, found in groups.items()}


@dataclass(frozen=True, slots=True)
class Check:
    """One named rule.

    Attributes:
        id: Stable id, ``<type>.<what>`` in lower case.
        title: Short name for people.
        rule: One sentence: when exactly it fires.
        types: Step types it looks at.
        metric: Metric it caps.
        cap: Highest score the metric can still have when it fires.
        category: Taxonomy category id of the failure it shows.
        run: Pure function from (run, step) to matches; at most one per step
            and check counts.
        version: Grows when the rule changes what it finds.
    """

    id: str
    title: str
    rule: str
    types: frozenset[str]
    metric: str
    cap: float
    category: str
    run: Callable[[Run, Step], Match | None]
    version: int = 1
