"""Steps while the graph is being built: mutable, with content and time."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from traces.domain.graph.tree import Tree
from traces.domain.records import BOUNDARY, EdgeKind, Json, Repair
from traces.domain.view import Role, SpanView, StepContent, ToolCall

SURER = frozenset(
    {EdgeKind.DECLARED, EdgeKind.CALL, EdgeKind.MESSAGE, EdgeKind.HANDOFF}
)
"""Kinds of edge that make an order edge into the same step needless."""

NAME_LENGTH = 120
EXCERPT_LENGTH = 72


@dataclass
class Draft:
    """A step before its final place is known.

    Attributes:
        key: Final step key.
        type: Step type or BOUNDARY.
        name: Text for the node.
        span_id: Span it is read from.
        part: Part of that span.
        start: Effective start in ns.
        end: Effective end in ns.
        content: What it was given and gave.
        agent: Who acted.
        group: Span id of the innermost container that is a group, "" at the top.
        tool: Tool name.
        error: The source says it failed.
        position: Source position.
        loop: Loop key.
        iteration: Number within the loop.
    """

    key: str
    type: str
    name: str
    span_id: str
    part: str
    start: int
    end: int
    content: StepContent
    agent: str = ""
    group: str = ""
    tool: str = ""
    error: bool = False
    position: int | None = None
    loop: str = ""
    iteration: int = 0


@dataclass(frozen=True, slots=True)
class CallSite:
    """A tool call a model asked for: its two steps and who runs it.

    Attributes:
        call: The call.
        select: Key of the TOOLSEL step.
        arguments: Key of the PARAMGEN step.
        llm: Span id of the model call.
        frame: Agent frame of that span.
    """

    call: ToolCall
    select: str
    arguments: str
    llm: str
    frame: str


@dataclass
class Bundle:
    """All steps read from one span.

    Attributes:
        heads: Keys that what came before feeds.
        tails: Keys that feed what comes after.
        sites: Tool calls asked for in this span.
    """

    heads: list[str] = field(default_factory=list)
    tails: list[str] = field(default_factory=list)
    sites: list[CallSite] = field(default_factory=list)


@dataclass
class Build:
    """Everything known so far about one trace.

    ``drafts`` keeps canonical order: by time, then by place in the tree, then
    by part. ``edges`` holds the most certain edge of each ordered pair.
    """

    trace_id: str
    tree: Tree
    views: Mapping[str, SpanView]
    drafts: dict[str, Draft] = field(default_factory=dict)
    bundles: dict[str, Bundle] = field(default_factory=dict)
    groups: dict[str, str] = field(default_factory=dict)
    edges: dict[tuple[str, str], tuple[EdgeKind, float, str]] = field(
        default_factory=dict
    )
    fed: set[str] = field(default_factory=set)
    """Steps with an edge surer than order from a step that isn't a boundary."""
    outgoing: set[str] = field(default_factory=set)
    repairs: list[Repair] = field(default_factory=list)
    results: dict[str, str] = field(default_factory=dict)
    """EXEC step key by PARAMGEN step key."""
    callers: dict[str, str] = field(default_factory=dict)
    """PARAMGEN step key by EXEC step key."""
    group_of: dict[str, str] = field(default_factory=dict)
    """Span id of the innermost group around a span, "" at the top."""
    frame_of: dict[str, str] = field(default_factory=dict)
    """Span id of the innermost agent or running tool around a span."""
    agent_of: dict[str, str] = field(default_factory=dict)
    """Name of the agent that acts in a span, "" if nothing says."""

    def add_edge(
        self, source: str, target: str, kind: EdgeKind, confidence: float, why: str
    ) -> None:
        """Add a dependency; the surer one of two for the same pair stays."""
        if source == target:
            return
        self.outgoing.add(source)
        if kind in SURER and self.drafts[source].type != BOUNDARY:
            self.fed.add(target)
        other = self.edges.get((source, target))
        if other is None or _rank(kind, confidence) > _rank(other[0], other[1]):
            self.edges[source, target] = (kind, confidence, why[:200])

    def locate(self) -> None:
        """Note for every span its innermost group, agent frame and agent."""
        for span_id in self.tree.walk():
            above = self.tree.nodes[span_id].parent
            inside = self.groups.get(above, "")
            self.group_of[span_id] = above if inside else self.group_of.get(above, "")
            self.frame_of[span_id] = (
                above if inside == "agent" else self.frame_of.get(above, "")
            )
            view = self.views[span_id]
            named = view.agent
            if not named and view.role is Role.AGENT:
                named = self.tree.nodes[span_id].span.name
            self.agent_of[span_id] = named or self.agent_of.get(above, "")


_KIND_RANK = {kind: rank for rank, kind in enumerate(reversed(EdgeKind))}


def _rank(kind: EdgeKind, confidence: float) -> tuple[float, int]:
    return (confidence, _KIND_RANK[kind])


def step_key(trace_id: str, span_id: str, part: str) -> str:
    """16 hex digits that name a step for ever."""
    text = f"{trace_id}\0{span_id}\0{part}"
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8)
    return digest.hexdigest()


_SPACE = re.compile(r"\s+")


def excerpt(text: str, length: int = EXCERPT_LENGTH) -> str:
    """The first words on one line, at most ``length`` characters."""
    line = _SPACE.sub(" ", text[: length * 4]).strip()
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def plain(value: Json) -> str:
    """A value as text for names and comparisons; "" for nothing."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return compact(value)


def compact(value: Json, length: int = 2000) -> str:
    """A JSON value on one line, cut at ``length`` characters."""
    if isinstance(value, dict):
        inner = ", ".join(f"{k}={_leaf(v)}" for k, v in list(value.items())[:20])
        return inner[:length]
    return _leaf(value)[:length]


def _leaf(value: Json) -> str:
    if isinstance(value, str):
        return value[:200]
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{len(value)}]"
    return str(value)


def fingerprint(text: str) -> bytes:
    """Digest of a text without regard to white space."""
    words = " ".join(text.split())
    return hashlib.blake2b(words.encode("utf-8", "replace"), digest_size=12).digest()
