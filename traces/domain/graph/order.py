"""The order of siblings: the dependency of last resort, and hand-offs.

Inside a container, what starts after something ended may depend on it; what
overlaps in time is parallel and shares predecessor and successor. A step gets
an order edge only where nothing surer leads into it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from traces.domain.graph.draft import Build, Draft, excerpt
from traces.domain.graph.tree import MAX_NAMED
from traces.domain.records import BOUNDARY, CONFIDENCE, EdgeKind, Repair

MAX_JOIN = 64
"""Order parents of one step at most; the latest count."""


@dataclass
class _Item:
    """A stretch of the run inside one container: a span's steps or a group."""

    start: int
    end: int
    heads: list[str]
    tails: list[str]
    inner: bool = False
    first: bool = True
    last: bool = True


def link_order(build: Build) -> None:
    """Add hand-off edges into and order edges along every container."""
    inside: dict[str, list[_Item]] = {}
    branches: list[str] = []
    for item, group in _span_items(build):
        inside.setdefault(group, []).append(item)
    for span_id in reversed(list(build.tree.walk())):
        if span_id in build.groups:
            item = _chain(build, inside.pop(span_id, []), branches)
            item = _wrap(build, span_id, item)
            if item.heads:
                inside.setdefault(build.group_of[span_id], []).append(item)
    _chain(build, inside.pop("", []), branches)
    if branches:
        why = (
            "Steps overlap in time and nothing declares how they depend; they count"
            " as parallel branches of what ended before them."
        )
        build.repairs.append(
            Repair("branch_resolved", tuple(branches[:MAX_NAMED]), why)
        )


def _span_items(build: Build) -> list[tuple[_Item, str]]:
    """One item a span and, apart, one a boundary or a made-up result."""
    items = []
    for span_id, bundle in build.bundles.items():
        if span_id in build.groups:
            continue
        node = build.tree.nodes[span_id]
        item = _Item(node.start, node.end, list(bundle.heads), list(bundle.tails))
        items.append((item, build.group_of[span_id]))
    own = {key for b in build.bundles.values() for key in (*b.heads, *b.tails)}
    for draft in build.drafts.values():
        if draft.type == BOUNDARY and draft.key not in own:
            item = _Item(draft.start, draft.start, [draft.key], [draft.key])
            items.append((item, draft.group))
    return items


def _chain(build: Build, items: list[_Item], branches: list[str]) -> _Item:
    """Connect the items of one container; return it as one item."""
    if not items:
        return _Item(0, 0, [], [])
    items.sort(key=lambda item: (item.start, *_place(build, item)))
    loose: list[str] = []
    for item, before, parallel in predecessors(items):
        tails = [key for one in before for key in one.tails]
        item.first = not before
        _follow(build, [*loose, *tails], item, branches if parallel else [])
        for one in before:
            one.last = False
        loose = [key for key in loose if key not in build.outgoing][-MAX_JOIN:]
        loose += [key for key in item.tails if key not in build.outgoing]
    heads = [key for item in items if item.first for key in item.heads]
    tails = [key for item in items if item.last for key in item.tails]
    return _Item(items[0].start, max(item.end for item in items), heads, tails)


def predecessors(
    items: Sequence[_Item],
) -> Iterator[tuple[_Item, list[_Item], bool]]:
    """Each item with those it directly follows in time.

    Item j directly precedes i if j ended when i starts and nothing ran wholly
    between them. Items at one and the same moment follow in the order given.

    Args:
        items: Sorted by start.

    Yields:
        The item, its direct predecessors (at most ``MAX_JOIN``, the latest) and
        whether something else was still running when it started.
    """
    running: list[tuple[int, int]] = []
    ended: list[_Item] = []
    last_start = -1
    newest: _Item | None = None
    for number, item in enumerate(items):
        while running and running[0][0] <= item.start:
            over = items[heapq.heappop(running)[1]]
            ended.append(over)
            if over.start >= last_start:
                last_start, newest = over.start, over
        if newest is not None:
            ended = [one for one in ended if one.end > last_start or one is newest]
        yield item, ended[-MAX_JOIN:], bool(running)
        heapq.heappush(running, (item.end, number))


def _place(build: Build, item: _Item) -> tuple[int, bool, str]:
    draft: Draft = build.drafts[item.heads[0]]
    position = draft.position if draft.position is not None else -1
    return (position, draft.type != BOUNDARY, draft.span_id)


def _follow(
    build: Build, tails: Sequence[str], item: _Item, branches: list[str]
) -> None:
    """Let an item depend on what came before it, where nothing surer says so."""
    kind = EdgeKind.HANDOFF if item.inner else EdgeKind.ORDER
    for head in item.heads:
        if head in build.fed:
            continue
        for tail in dict.fromkeys(tails[-MAX_JOIN:]):
            why = _order_why(build, tail, item)
            build.add_edge(tail, head, kind, CONFIDENCE[kind], why)
        if tails:
            branches.append(head)


def _order_why(build: Build, tail: str, item: _Item) -> str:
    name = excerpt(build.drafts[tail].name, 80)
    return f"hands over to an inner agent: {name}" if item.inner else f"after {name}"


def _wrap(build: Build, span_id: str, item: _Item) -> _Item:
    """Put a container's own step (a tool that runs an agent) at its end."""
    node = build.tree.nodes[span_id]
    bundle = build.bundles.get(span_id)
    agent = build.groups[span_id] == "agent"
    if bundle is None:
        return _Item(node.start, max(node.end, item.end), item.heads, item.tails, agent)
    for result in bundle.heads:
        caller = build.callers.get(result, "")
        for tail in item.tails:
            why = "result of what ran inside"
            build.add_edge(tail, result, EdgeKind.MESSAGE, 0.8, why)
        for head in item.heads if caller else ():
            why = f"runs inside the call of {excerpt(build.drafts[result].name, 60)}"
            build.add_edge(caller, head, EdgeKind.HANDOFF, 0.8, why)
    heads = item.heads or bundle.heads
    return _Item(node.start, max(node.end, item.end), heads, bundle.tails, agent)
