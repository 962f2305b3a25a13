"""What a sender said (spans) and what is made of it (steps, edges, graphs).

Spans are stored as they came. Steps and edges are derived from them and can be
rebuilt at any time; both are plain values without any framework.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A JSON value: None, bool, int, float, str, list of these or dict from str."""


class SpanStatus(StrEnum):
    """Status a sender gave to a span (OpenTelemetry)."""

    UNSET = "unset"
    OK = "ok"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class SpanEvent:
    """Something that happened at one moment inside a span.

    Attributes:
        name: Event name, for example ``exception``.
        time_ns: Unix time in nanoseconds, None where the sender gave none.
        attributes: JSON values by key.
    """

    name: str
    time_ns: int | None = None
    attributes: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SpanLink:
    """A reference from one span to another that is not containment."""

    trace_id: str
    span_id: str
    attributes: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scope:
    """Who sent a span: the resource and the instrumentation scope."""

    name: str = ""
    version: str = ""
    attributes: Mapping[str, Json] = field(default_factory=dict)
    resource: Mapping[str, Json] = field(default_factory=dict)


NO_SCOPE = Scope()


@dataclass(frozen=True, slots=True)
class SpanRecord:
    """One span as its sender described it.

    Attributes:
        trace_id: The sender's own trace id (32 hex digits for OTLP, else any
            text of 1 to 128 characters).
        span_id: The sender's own span id (16 hex digits for OTLP, else any
            text of 1 to 128 characters).
        parent_id: Span id of the containing span, None at a root. Containment
            is not dependency.
        name: Name of the span, complete.
        kind: OpenTelemetry span kind, 0 (unspecified) to 5.
        start_ns: Unix time in nanoseconds, None if unknown.
        end_ns: Unix time in nanoseconds, None if unknown or unfinished.
        status: Status the sender gave.
        status_message: The sender's words for the status.
        attributes: JSON values by key, as sent.
        events: In the order sent.
        links: In the order sent.
        scope: Resource and instrumentation scope.
        position: 0-based place in a source without times (message index, turn
            index, line); orders spans whose times are equal or missing.
    """

    trace_id: str
    span_id: str
    parent_id: str | None = None
    name: str = ""
    kind: int = 0
    start_ns: int | None = None
    end_ns: int | None = None
    status: SpanStatus = SpanStatus.UNSET
    status_message: str = ""
    attributes: Mapping[str, Json] = field(default_factory=dict)
    events: tuple[SpanEvent, ...] = ()
    links: tuple[SpanLink, ...] = ()
    scope: Scope = NO_SCOPE
    position: int | None = None


@dataclass(frozen=True, slots=True)
class Reject:
    """Something that could not be taken in, named to the sender.

    Attributes:
        level: ``attribute``, ``event``, ``link``, ``span``, ``trace`` or
            ``file``: how much was left out. A rejected attribute never costs
            its span, a rejected span never costs its batch.
        place: Where, in the sender's terms: ``resourceSpans[0].scopeSpans[0]
            .spans[3].attributes[2]``, ``line 17``, ``byte 2048``.
        reason: One clear sentence.
        code: Short stable word for counting, for example ``bad_span_id``.
        trace_id: Where known, else "".
        span_id: Where known, else "".
    """

    level: str
    place: str
    reason: str
    code: str
    trace_id: str = ""
    span_id: str = ""


@dataclass(frozen=True, slots=True)
class ReferenceLabel:
    """A label that came with imported data; never shown to a judge.

    Attributes:
        kind: ``root_step``, ``failed_step``, ``root_agent``, ``category``,
            ``score`` or ``outcome``.
        span_id: The span the label is about, "" for the whole trace.
        value: Category name, score, agent name or outcome, as the source has it.
        source: Format or dataset that brought the label.
        note: The labeller's words.
    """

    kind: str
    value: str
    source: str
    span_id: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class TraceRecord:
    """One trace read from a file.

    Attributes:
        trace_id: The source's id, or a stable digest of the content.
        spans: In the order of the source; every span has this trace id.
        labels: Labels the source carries.
        attributes: Facts about the whole trace, kept beside its spans:
            ``name``, ``session``, ``workflow``, ``tags`` (list of str),
            ``agent``, ``outcome``, ``case``, ``run``, ``source`` and what else
            the format has that no span owns.
        rejects: What was left out of this trace.
    """

    trace_id: str
    spans: tuple[SpanRecord, ...]
    labels: tuple[ReferenceLabel, ...] = ()
    attributes: Mapping[str, Json] = field(default_factory=dict)
    rejects: tuple[Reject, ...] = ()


class StepType(StrEnum):
    """The five step types of the paper (section 3.1); projects may add more."""

    PLAN = "PLAN"
    TOOLSEL = "TOOLSEL"
    PARAMGEN = "PARAMGEN"
    EXEC = "EXEC"
    SYNTH = "SYNTH"


BOUNDARY = "BOUNDARY"
"""Type of an unscored step at the edge of the run: user query, system prompt."""


class EdgeKind(StrEnum):
    """Why one step depends on another, most certain first."""

    DECLARED = "declared"
    CALL = "call"
    DATA = "data"
    MESSAGE = "message"
    HANDOFF = "handoff"
    ORDER = "order"


CONFIDENCE: Mapping[EdgeKind, float] = MappingProxyType(
    {
        EdgeKind.DECLARED: 1.0,
        EdgeKind.CALL: 1.0,
        EdgeKind.DATA: 0.9,
        EdgeKind.MESSAGE: 0.8,
        EdgeKind.HANDOFF: 0.8,
        EdgeKind.ORDER: 0.4,
    }
)
"""Highest confidence of an edge of each kind (a single edge may have less)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One typed action of a run: a node of the evaluation graph.

    Attributes:
        key: 16 hex digits, a digest of what identifies the step in its source;
            the same after every rebuild.
        index: 0-based place in topological order.
        type: PLAN, TOOLSEL, PARAMGEN, EXEC, SYNTH, BOUNDARY or a project's own.
        name: Short text for the node, at most 120 characters.
        agent: Who acted, "" if the source doesn't say.
        group: Key of the innermost containing group, "" at the top.
        span_id: Span the step was read from.
        part: Which part of that span: ``plan``, ``select:0``, ``arguments:0``,
            ``result`` …
        start_ns: Unix nanoseconds, None if unknown. Never rewritten.
        end_ns: Unix nanoseconds, None if unknown.
        error: True if the source itself says that this step failed.
        position: Source position of the span (message or turn index) or None.
        iteration: 1-based number within an unrolled loop, 0 outside loops.
        loop: Key of the loop, "" outside loops.
        tool: Tool name of TOOLSEL, PARAMGEN and EXEC, else "".
        finished: False where the source never closed the span.
    """

    key: str
    index: int
    type: str
    name: str
    agent: str = ""
    group: str = ""
    span_id: str = ""
    part: str = ""
    start_ns: int | None = None
    end_ns: int | None = None
    error: bool = False
    position: int | None = None
    iteration: int = 0
    loop: str = ""
    tool: str = ""
    finished: bool = True

    @property
    def boundary(self) -> bool:
        """Whether the step is never scored."""
        return self.type == BOUNDARY


@dataclass(frozen=True, slots=True)
class Edge:
    """One dependency: ``target`` used what ``source`` gave.

    Attributes:
        source: Step key.
        target: Step key.
        kind: Why.
        confidence: 0 (exclusive) to 1.
        why: Evidence in words, at most 200 characters: the call id, the shared
            value and where it stood.
    """

    source: str
    target: str
    kind: EdgeKind
    confidence: float
    why: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """A containing span (agent, chain, sub-agent): shown, not depended on."""

    key: str
    name: str
    parent: str = ""
    agent: str = ""
    span_id: str = ""


@dataclass(frozen=True, slots=True)
class Repair:
    """One thing put right while the graph was built.

    Attributes:
        kind: ``loop_unrolled``, ``cycle_cut``, ``orphan_attached``,
            ``branch_resolved``, ``clock_clamped``, ``self_link_removed``,
            ``duplicate_merged``, ``back_reference``, ``id_matched_by_order``,
            ``unfinished`` or ``flat``.
        steps: Keys of the steps concerned, in topological order (at most 100).
        why: One sentence with the rule applied.
        spans: Span ids concerned where no step stands for them.
    """

    kind: str
    steps: tuple[str, ...]
    why: str
    spans: tuple[str, ...] = ()


class Structure(StrEnum):
    """How far the graph can be trusted."""

    DECLARED = "declared"
    INFERRED = "inferred"
    REPAIRED = "repaired"
    FLAT = "flat"


@dataclass(frozen=True, slots=True)
class Graph:
    """The evaluation graph of one trace: acyclic, in a fixed order.

    Attributes:
        steps: In topological order; ``steps[i].index == i``.
        edges: Sorted by (target index, source index); at most one an ordered
            pair: the most certain kind.
        groups: Containers, parents before children.
        structure: Declared, inferred, repaired or flat.
        repairs: What was put right, in the order it was done.
    """

    steps: tuple[Step, ...]
    edges: tuple[Edge, ...]
    groups: tuple[Group, ...] = ()
    structure: Structure = Structure.INFERRED
    repairs: tuple[Repair, ...] = ()
    cycles: tuple[tuple[str, ...], ...] = field(default=())
    """Strongly connected components of agents or steps before cutting."""
