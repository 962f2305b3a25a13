"""From steps to a drawing: fold what is too much, place it, route the edges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from traces.domain.layout.fold import Fold, Folding, fold_fans, fold_regions
from traces.domain.layout.groups import fold_groups, then
from traces.domain.layout.lanes import layout as lay_out
from traces.domain.layout.marks import DrawEdge, DrawNode, State
from traces.domain.layout.model import Layout, LayoutNode
from traces.domain.layout.route import Route, route
from traces.domain.records import EdgeKind

WHOLE = 400
"""Most boxes that are drawn on the server; larger drawings go as columns."""
UNFOLDED = 2_000
"""Most steps that are drawn without folding healthy regions; above ``WHOLE`` steps
sub-agents and loops are folded."""
_CERTAIN = {kind: place for place, kind in enumerate(EdgeKind)}


@dataclass(frozen=True, slots=True)
class Drawing:
    """Everything that is drawn, and where.

    Attributes:
        steps: All steps of the run, none folded, in order.
        nodes: The boxes, in topological order.
        edges: Between boxes, by place, sorted by (target, source).
        parents: Places of the boxes each box depends on, ascending.
        layout: Places of the boxes.
        routes: One for each edge, in the same order.
        box: Place of the box of each step.
    """

    steps: tuple[DrawNode, ...]
    nodes: tuple[DrawNode, ...]
    edges: tuple[DrawEdge, ...]
    parents: tuple[tuple[int, ...], ...]
    layout: Layout
    routes: tuple[Route, ...]
    box: tuple[int, ...]


def draw(
    steps: Sequence[DrawNode],
    edges: Sequence[DrawEdge],
    *,
    opened: Sequence[int] = (),
    groups: Sequence[Collection[int]] = (),
    regions: bool | None = None,
    fans: bool = True,
    place: Callable[[Sequence[LayoutNode]], Layout] = lay_out,
) -> Drawing:
    """Draw a run.

    Args:
        steps: In topological order, none folded.
        edges: By place in ``steps``; sources precede targets.
        opened: Places of steps that must be drawn by themselves: what the
            reader opened and what is selected, in the order opened.
        groups: Places of the steps of each sub-agent and loop, outer ones first;
            folded above ``WHOLE`` steps where nothing failed.
        regions: Whether to fold healthy regions; None folds them above
            ``UNFOLDED`` steps.
        fans: Whether to fold parallel calls of one name.
        place: Gives the layout of the boxes: from a store, or with lanes pinned
            for a run that grows, which is drawn with neither regions nor fans.

    Raises:
        ValueError: An edge whose source does not precede its target.
    """
    inputs = _layout_nodes(steps, edges)
    fold = len(steps) > UNFOLDED if regions is None else regions
    if not (fold or fans):
        return _drawn(steps, edges, _unfolded(inputs), inputs, place)
    keep = {
        i for i, step in enumerate(steps) if step.failed or step.on_path or step.role
    }
    if fold:
        return _drawn(steps, edges, fold_regions(inputs, keep, opened), inputs, place)
    named = groups if len(steps) > WHOLE else ()
    folding = _parts(inputs, named, keep, set(opened))
    return _drawn(steps, edges, folding, inputs, place)


def _parts(
    inputs: Sequence[LayoutNode],
    groups: Sequence[Collection[int]],
    keep: set[int],
    opened: set[int],
) -> Folding:
    """Fold sub-agents and loops, then parallel calls among what is left."""
    if not groups:
        return fold_fans(inputs, keep, opened)
    first = fold_groups(inputs, groups, keep, opened)
    boxes = [
        LayoutNode(
            place,
            fold.parents,
            _lane(inputs, fold),
            inputs[fold.members[0]].label if len(fold.members) == 1 else "",
        )
        for place, fold in enumerate(first.folds)
    ]
    alone = {first.of[i] for i in keep}
    return then(first, fold_fans(boxes, alone, {first.of[i] for i in opened}))


def _layout_nodes(
    steps: Sequence[DrawNode], edges: Sequence[DrawEdge]
) -> list[LayoutNode]:
    parents: list[list[int]] = [[] for _ in steps]
    for edge in edges:
        if not 0 <= edge.source < edge.target < len(steps):
            raise ValueError(
                f"edge {edge.source} -> {edge.target} does not lead forward"
            )
        parents[edge.target].append(edge.source)
    return [
        LayoutNode(i, tuple(found), step.agent, f"{step.type} {step.name}")
        for i, (step, found) in enumerate(zip(steps, parents, strict=True))
    ]


def _unfolded(inputs: Sequence[LayoutNode]) -> Folding:
    folds = tuple(
        Fold((node.index,), tuple(sorted(set(node.parents)))) for node in inputs
    )
    return Folding(folds, tuple(range(len(inputs))))


def _drawn(
    steps: Sequence[DrawNode],
    edges: Sequence[DrawEdge],
    folding: Folding,
    inputs: Sequence[LayoutNode],
    place: Callable[[Sequence[LayoutNode]], Layout],
) -> Drawing:
    nodes = tuple(boxed(steps, fold) for fold in folding.folds)
    lanes = tuple(_lane(inputs, fold) for fold in folding.folds)
    lines = _lines(edges, folding)
    placed = place(
        [
            LayoutNode(i, fold.parents, lane, node.name)
            for i, (fold, lane, node) in enumerate(
                zip(folding.folds, lanes, nodes, strict=True)
            )
        ]
    )
    routes = route(placed, [(line.source, line.target) for line in lines])
    parents = tuple(fold.parents for fold in folding.folds)
    return Drawing(tuple(steps), nodes, lines, parents, placed, routes, folding.of)


def boxed(steps: Sequence[DrawNode], fold: Fold) -> DrawNode:
    """The box of one or more steps: count, worst score, agents."""
    members = [steps[i] for i in fold.members]
    first = members[0]
    if len(members) == 1:
        return first
    scores = [step.score for step in members if step.score is not None]
    changes = (
        {"score": min(scores), "state": State.SCORED}
        if scores
        else {"state": first.state}
    )
    agents = list(dict.fromkeys(step.agent for step in members if step.agent))
    agent = agents[0] if len(agents) == 1 else f"{len(agents)} agents" if agents else ""
    box = replace(first, count=len(members), fan=fold.fan, agent=agent, **changes)
    return box if fold.fan else replace(box, type="", name=f"{len(members):,} steps")


def _lane(inputs: Sequence[LayoutNode], fold: Fold) -> str:
    """The agent most of the steps belong to, the first one if there are several."""
    return Counter(inputs[i].lane for i in fold.members).most_common(1)[0][0]


def _lines(edges: Sequence[DrawEdge], folding: Folding) -> tuple[DrawEdge, ...]:
    """Edges between boxes, one a pair: the most certain kind stands for all."""
    lines: dict[tuple[int, int], DrawEdge] = {}
    for edge in edges:
        pair = folding.of[edge.source], folding.of[edge.target]
        if pair[0] not in folding.folds[pair[1]].parents:
            continue
        known = lines.get(pair)
        kind = min(
            edge.kind, known.kind if known else edge.kind, key=_CERTAIN.__getitem__
        )
        on_path = edge.on_path or (known is not None and known.on_path)
        lines[pair] = DrawEdge(*pair, kind, on_path)
    return tuple(lines[pair] for pair in sorted(lines, key=lambda p: (p[1], p[0])))
