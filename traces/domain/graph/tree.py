"""Which span contains which, whatever arrived: nothing is dropped.

Containment is not dependency; it gives groups, the agent a step belongs to
and, as the last resort, an order. Every irregularity is repaired by a stated
rule and recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from traces.domain.records import Repair, SpanRecord, SpanStatus

MAX_NAMED = 100
"""Ids listed in one repair at most."""

SortKey = tuple[int, int, int, str]


@dataclass
class Node:
    """One span in its place.

    Attributes:
        span: The span; for a placeholder, one made of the missing id.
        start: Effective start in ns: the span's own, never before its parent's.
        end: Effective end in ns, never before ``start``.
        parent: Span id of the container, "" at a root.
        children: Span ids in time order.
        missing: True for a placeholder of a span that never arrived.
    """

    span: SpanRecord
    start: int = 0
    end: int = 0
    parent: str = ""
    children: list[str] = field(default_factory=list)
    missing: bool = False


@dataclass(frozen=True)
class Tree:
    """Spans by id in containment order, with what was repaired."""

    nodes: Mapping[str, Node]
    roots: tuple[str, ...]
    repairs: tuple[Repair, ...]

    def walk(self) -> Iterator[str]:
        """Span ids, containers before contents, siblings in time order."""
        stack = list(reversed(self.roots))
        while stack:
            span_id = stack.pop()
            yield span_id
            stack.extend(reversed(self.nodes[span_id].children))

    @cached_property
    def _extent(self) -> Mapping[str, tuple[int, int]]:
        """First and last number, in walking order, of what a span contains."""
        order = {span_id: number for number, span_id in enumerate(self.walk())}
        last = dict(order)
        for span_id in reversed(list(order)):
            parent = self.nodes[span_id].parent
            if parent:
                last[parent] = max(last[parent], last[span_id])
        return {span_id: (order[span_id], last[span_id]) for span_id in order}

    def contains(self, outer: str, inner: str) -> bool:
        """Whether a span lies inside another (or is it)."""
        first, last = self._extent[outer]
        return first <= self._extent[inner][0] <= last

    def ancestors(self, span_id: str) -> Iterator[str]:
        """Ids of the containers of a span, innermost first."""
        parent = self.nodes[span_id].parent
        while parent:
            yield parent
            parent = self.nodes[parent].parent


def hang(spans: Iterable[SpanRecord]) -> Tree:
    """Put spans into their containment tree.

    The result depends on the set of spans, not on their order. Linear but for
    sorting.
    """
    repairs: list[Repair] = []
    nodes = {span.span_id: Node(span) for span in _unique(spans, repairs)}
    for node in list(nodes.values()):
        node.parent = _parent_of(node.span, repairs)
    _cut_cycles(nodes, repairs)
    _add_placeholders(nodes, repairs)
    order = _assign_times(nodes, repairs)
    for span_id in order:
        parent = nodes[span_id].parent
        if parent:
            nodes[parent].children.append(span_id)
    roots = tuple(span_id for span_id in order if not nodes[span_id].parent)
    return Tree(nodes, roots, tuple(repairs))


def _unique(spans: Iterable[SpanRecord], repairs: list[Repair]) -> list[SpanRecord]:
    found: dict[str, SpanRecord] = {}
    doubled: set[str] = set()
    for span in spans:
        other = found.get(span.span_id)
        if other is None:
            found[span.span_id] = span
        elif other != span:
            doubled.add(span.span_id)
            found[span.span_id] = max(other, span, key=_completeness)
    if doubled:
        names = tuple(sorted(doubled)[:MAX_NAMED])
        why = "The same span id came with different content; the more complete one counts."
        repairs.append(Repair("duplicate_merged", (), why, names))
    return [found[span_id] for span_id in sorted(found)]


def _completeness(span: SpanRecord) -> tuple[bool, bool, int, str]:
    return (
        span.end_ns is not None,
        span.status is not SpanStatus.UNSET,
        len(span.attributes) + len(span.events),
        repr((span.start_ns, span.end_ns, span.name, sorted(span.attributes))),
    )


def _parent_of(span: SpanRecord, repairs: list[Repair]) -> str:
    if span.parent_id != span.span_id:
        return span.parent_id or ""
    why = "A span named itself as its parent; the link was removed."
    repairs.append(Repair("self_link_removed", (), why, (span.span_id,)))
    return ""


def _cut_cycles(nodes: dict[str, Node], repairs: list[Repair]) -> None:
    """Cut each ring of parents above its earliest span, which becomes a root."""
    done: set[str] = set()
    for span_id in nodes:
        path: dict[str, None] = {}
        at = span_id
        while at in nodes and at not in done and at not in path:
            path[at] = None
            at = nodes[at].parent
        if at in path:
            ring = list(path)[list(path).index(at) :]
            first = min(ring, key=lambda one: _raw_order(nodes[one].span))
            nodes[first].parent = ""
            why = (
                f"{len(ring)} spans contain each other; the link above the"
                " earliest of them was cut."
            )
            named = tuple(sorted(ring)[:MAX_NAMED])
            repairs.append(Repair("cycle_cut", (), why, named))
        done.update(path)


def _add_placeholders(nodes: dict[str, Node], repairs: list[Repair]) -> None:
    """Hang spans with a missing parent under a placeholder for it."""
    orphans: dict[str, list[str]] = {}
    for span_id, node in nodes.items():
        if node.parent and node.parent not in nodes:
            orphans.setdefault(node.parent, []).append(span_id)
    if not orphans:
        return
    roots = [n.span for n in nodes.values() if not n.parent]
    root = min(roots, key=_raw_order).span_id if roots else ""
    for missing, children in sorted(orphans.items()):
        placeholder = SpanRecord(
            trace_id=nodes[children[0]].span.trace_id,
            span_id=missing,
            name="missing span",
        )
        nodes[missing] = Node(placeholder, parent=root, missing=True)
        why = "The containing span never arrived; a placeholder stands for it" + (
            " under the first root." if root else "."
        )
        named = (missing, *sorted(children))[:MAX_NAMED]
        repairs.append(Repair("orphan_attached", (), why, named))


def _assign_times(nodes: dict[str, Node], repairs: list[Repair]) -> list[str]:
    """Give every node effective times; return the ids in time order."""
    skewed: list[str] = []
    _times_of_placeholders(nodes)
    for span_id in _parents_first(nodes):
        node = nodes[span_id]
        above = nodes[node.parent].start if node.parent else 0
        start, end = node.span.start_ns, node.span.end_ns
        if node.missing:
            start, end = node.start or None, node.end or None
        node.start = max(above, above if start is None else start)
        node.end = max(node.start, node.start if end is None else end)
        early = start is not None and node.parent != "" and start < above
        backward = start is not None and end is not None and end < start
        if (early or backward) and not node.missing:
            skewed.append(span_id)
    if skewed:
        why = (
            "Spans start before their container or end before they start; for"
            " the order they count as starting with it. Stored times are unchanged."
        )
        repairs.append(
            Repair("clock_clamped", (), why, tuple(sorted(skewed)[:MAX_NAMED]))
        )
    return sorted(nodes, key=lambda one: _order(nodes[one]))


def _times_of_placeholders(nodes: dict[str, Node]) -> None:
    for node in nodes.values():
        above = nodes.get(node.parent)
        if above is None or not above.missing:
            continue
        if node.span.start_ns is not None:
            known = above.start or node.span.start_ns
            above.start = min(known, node.span.start_ns)
        above.end = max(above.end, node.span.end_ns or 0)


def _parents_first(nodes: Mapping[str, Node]) -> list[str]:
    below: dict[str, list[str]] = {}
    for span_id, node in nodes.items():
        below.setdefault(node.parent, []).append(span_id)
    order = sorted(below.get("", ()))
    for span_id in order:
        order.extend(below.get(span_id, ()))
    return order


def _raw_order(span: SpanRecord) -> SortKey:
    start = span.start_ns if span.start_ns is not None else 1 << 63
    position = span.position if span.position is not None else 1 << 31
    return (start, position, span.end_ns or 0, span.span_id)


def _order(node: Node) -> SortKey:
    position = node.span.position
    if position is None:
        position = -1 if node.span.start_ns is None else 1 << 31
    return (node.start, position, -node.end, node.span.span_id)
