"""What the trace page shows beside the inspector: outline, drawing, headline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import Any

from django.core.cache import cache
from django.db.models import Count, Q

from judging.domain.document import Part, headline
from judging.domain.reading import Reading
from judging.selectors.judged import JudgedTrace
from traces.domain.layout.columnar import columnar
from traces.domain.layout.drawing import Drawing, draw
from traces.domain.layout.lanes import layout
from traces.domain.layout.marks import DrawEdge, DrawNode, State
from traces.domain.layout.model import Layout, LayoutNode
from traces.domain.layout.svg import svg
from traces.domain.records import Graph, Step
from traces.models import Trace
from traces.query_filters import Holds

SERVER_ROWS = 400
"""Rows of the outline in the page itself; the rest is drawn as it is scrolled to."""
FIRST_ROWS = 60
CACHE_SECONDS = 600
KEPT = 40
"""Fewest boxes whose layout costs more than finding it again."""
SCANNED = 2_000
"""Newest traces looked at for similar failures."""


@dataclass(frozen=True)
class Row:
    """A line of the outline: a group or a step.

    Attributes:
        level: 1 at the top.
        group: Name of the group, "" for a step.
        step: The step, None for a group.
        score: Score of the step or None.
        state: State of the step.
        failed: Whether it failed.
        role: ``root``, ``propagated`` or "".
        left: Start of its bar in percent of the run.
        width: Width of its bar in percent.
        millis: Duration in milliseconds, None if unknown.
    """

    level: int
    group: str
    step: Step | None
    score: float | None = None
    state: str = ""
    failed: bool = False
    role: str = ""
    left: float = 0.0
    width: float = 0.0
    millis: float | None = None


@dataclass(frozen=True)
class Mended:
    """A repair with the steps it names."""

    kind: str
    why: str
    steps: tuple[Step, ...]
    spans: tuple[str, ...]


MAX_NAMED = 12


def mended(reading: Reading) -> list[Mended]:
    """What was put right, with the first steps and spans concerned."""
    return [
        Mended(
            repair.kind,
            repair.why,
            tuple(reading.steps[key] for key in repair.steps[:MAX_NAMED]),
            repair.spans[:MAX_NAMED],
        )
        for repair in reading.graph.repairs
    ]


def default_step(reading: Reading) -> str:
    """The step to show first: the symptom, else the last step."""
    diagnosis = reading.diagnosis
    if diagnosis.symptom:
        return diagnosis.symptom
    return reading.graph.steps[-1].key if reading.graph.steps else ""


def outline(reading: Reading) -> list[Row]:
    """Groups and steps as a tree, written out line by line."""
    levels = {"": 0}
    groups = {group.key: group for group in reading.graph.groups}
    for group in reading.graph.groups:
        levels[group.key] = levels[group.parent] + 1
    scale = _scale(reading.graph.steps)
    rows: list[Row] = []
    opened: set[str] = set()
    for step in reading.graph.steps:
        for key in _containers(step.group, groups, opened):
            rows.append(Row(levels[key], groups[key].name, None))
            opened.add(key)
        rows.append(_row(reading, step, levels[step.group] + 1, scale))
    return rows


def _containers(group: str, groups: dict[str, Any], opened: set[str]) -> list[str]:
    found: list[str] = []
    while group and group not in opened:
        found.append(group)
        group = groups[group].parent
    return found[::-1]


def _scale(steps: tuple[Step, ...]) -> tuple[int, int]:
    starts = [step.start_ns for step in steps if step.start_ns is not None]
    ends = [step.end_ns for step in steps if step.end_ns is not None]
    if not starts:
        return 0, 0
    return min(starts), max(1, max([*ends, *starts]) - min(starts))


def _row(reading: Reading, step: Step, level: int, scale: tuple[int, int]) -> Row:
    outcome = reading.diagnosis.outcomes[step.key]
    left = width = 0.0
    millis = None
    first, total = scale
    if step.start_ns is not None and total:
        end = step.end_ns if step.end_ns is not None else step.start_ns
        lasted = max(0, end - step.start_ns)
        left = 100 * (step.start_ns - first) / total
        width = 100 * lasted / total
        millis = lasted / 1e6 if step.end_ns is not None else None
    return Row(
        level,
        "",
        step,
        outcome.score.score,
        str(outcome.score.state),
        outcome.failed,
        outcome.role,
        round(left, 3),
        round(max(width, 0.2), 3),
        millis,
    )


def outline_columns(reading: Reading) -> dict[str, Any]:
    """The outline as columns, for the list that is drawn in the browser."""
    rows = outline(reading)
    return {
        "level": [row.level for row in rows],
        "key": [row.step.key if row.step else "" for row in rows],
        "index": [row.step.index if row.step else -1 for row in rows],
        "type": [row.step.type if row.step else "" for row in rows],
        "name": [row.step.name if row.step else row.group for row in rows],
        "agent": [row.step.agent if row.step else "" for row in rows],
        "score": [row.score for row in rows],
        "state": [row.state for row in rows],
        "failed": [int(row.failed) for row in rows],
        "role": [row.role for row in rows],
        "left": [row.left for row in rows],
        "width": [row.width for row in rows],
        "millis": [row.millis for row in rows],
    }


def shown_path(reading: Reading, selected: str) -> tuple[str, ...]:
    """The attribution path to draw: of the selected failure, else the main one."""
    diagnosis = reading.diagnosis
    outcome = diagnosis.outcomes.get(selected)
    if outcome is not None and outcome.failed:
        return diagnosis.attribution.path(selected)
    return diagnosis.attribution.path(diagnosis.symptom) if diagnosis.symptom else ()


def drawing(reading: Reading, selected: str, opened: tuple[int, ...] = ()) -> Drawing:
    """Place the steps of a reading, with the path of the selected failure.

    The selected step is drawn by itself, and so are those of ``opened``.
    """
    path = shown_path(reading, selected)
    nodes = _nodes(reading, path)
    index = {step.key: step.index for step in reading.graph.steps}
    pairs = set(pairwise(path))
    edges = [
        DrawEdge(
            index[edge.source],
            index[edge.target],
            edge.kind,
            (edge.source, edge.target) in pairs,
        )
        for edge in reading.graph.edges
    ]
    if selected in index:
        opened = (index[selected], *opened)
    return draw(nodes, edges, opened=opened, groups=parts(reading.graph), place=placed)


def placed(nodes: Sequence[LayoutNode]) -> Layout:
    """The layout of boxes, kept for as long as their pattern is the same.

    Neither scores nor the selection move a box: only folding does.
    """
    if len(nodes) < KEPT:
        return layout(nodes)
    pattern = repr([(node.parents, node.lane, node.label) for node in nodes])
    key = f"layout:{sha256(pattern.encode()).hexdigest()}"
    found: Layout | None = cache.get(key)
    if found is None:
        found = layout(nodes)
        cache.set(key, found, CACHE_SECONDS)
    return found


def parts(graph: Graph) -> list[list[int]]:
    """Steps of each sub-agent and each loop by index, outer ones first.

    A loop takes along what its own agent did between its tries.
    """
    outer = {group.key: group.parent for group in graph.groups}
    inside: dict[str, list[int]] = {key: [] for key, up in outer.items() if up}
    loops: dict[tuple[str, str], list[int]] = {}
    by_group: dict[str, list[int]] = {}
    for step in graph.steps:
        by_group.setdefault(step.group, []).append(step.index)
        if step.loop:
            loops.setdefault((step.group, step.loop), []).append(step.index)
        group = step.group
        while group in inside:
            inside[group].append(step.index)
            group = outer[group]
    between = [
        [i for i in by_group[group] if tries[0] <= i <= tries[-1]]
        for (group, _), tries in loops.items()
    ]
    return [*inside.values(), *between]


def _nodes(reading: Reading, path: tuple[str, ...]) -> list[DrawNode]:
    place = {key: number for number, key in enumerate(path, 1)}
    extra = {d.step for d in reading.conformance.deviations if d.kind == "unexpected"}
    found = []
    for step in reading.graph.steps:
        outcome = reading.diagnosis.outcomes[step.key]
        names = reading.taxonomy.names(outcome.category) if outcome.failed else ()
        found.append(
            DrawNode(
                key=step.key,
                index=step.index,
                type=step.type,
                name=step.name,
                agent=step.agent,
                state=State(str(outcome.score.state)),
                score=outcome.score.score,
                failed=outcome.failed,
                role=outcome.role or None,
                category=" › ".join(names),
                on_path=step.key in place,
                path_step=place.get(step.key, 0),
                path_length=len(path),
                conformance="extra" if step.key in extra else "",
            )
        )
    return found


def graph_svg(judged: JudgedTrace, selected: str, link: str) -> str:
    """The drawing as SVG for the page, cached for as long as nothing changes."""
    assert judged.reading is not None  # noqa: S101  # callers have a graph
    key = _cache_key("svg", judged, selected, link)
    found = cache.get(key)
    if found is None:
        found = svg(drawing(judged.reading, selected), link=link, selected=selected)
        cache.set(key, found, CACHE_SECONDS)
    return str(found)


def graph_columns(
    judged: JudgedTrace, selected: str, opened: tuple[int, ...]
) -> dict[str, Any]:
    """The drawing as columns for the browser to draw what is in view."""
    assert judged.reading is not None  # noqa: S101  # callers have a graph
    key = _cache_key("columns", judged, selected, repr(opened))
    found: dict[str, Any] | None = cache.get(key)
    if found is None:
        found = columnar(drawing(judged.reading, selected, opened))
        cache.set(key, found, CACHE_SECONDS)
    return found


def _cache_key(what: str, judged: JudgedTrace, *more: str) -> str:
    reading = judged.reading
    evaluation = judged.evaluation.pk if judged.evaluation else 0
    settings = "" if reading is None else repr(reading.settings)
    digest = hash((settings, *more))
    return f"{what}:{judged.trace.pk}:{judged.trace.digested_revision}:{evaluation}:{digest}"


def failure_sentence(reading: Reading) -> tuple[Part, ...]:
    """Why the run failed, as parts with links."""
    return headline(reading.graph, reading.diagnosis, reading.taxonomy)


@dataclass(frozen=True)
class Similar:
    """Other traces in which a step failed with the same category.

    Attributes:
        count: How many of those looked at.
        looked: How many of the newest traces were looked at, 0 for all of them.
    """

    count: int
    looked: int = 0


def similar(judged: JudgedTrace, key: str) -> Similar | None:
    """Count what failed like this step; None for a step without a category."""
    outcome = judged.reading.diagnosis.outcomes.get(key) if judged.reading else None
    if outcome is None or not outcome.failed or not outcome.category:
        return None
    rows = Trace.objects.filter(project=judged.trace.project_id)
    newest = rows.order_by("-id").values("id")[:SCANNED]
    other = Q(Holds("categories", outcome.category)) & ~Q(pk=judged.trace.pk)
    found = Trace.objects.filter(pk__in=newest).aggregate(
        count=Count("pk", filter=other), looked=Count("pk")
    )
    return Similar(found["count"], SCANNED if found["looked"] == SCANNED else 0)


def neighbours(trace: Trace) -> tuple[Trace | None, Trace | None]:
    """The trace before and after this one in the list, newest first."""
    same = Trace.objects.filter(project=trace.project_id).only("trace_id")
    newer = same.filter(received_at__gte=trace.received_at, pk__gt=trace.pk)
    older = same.filter(received_at__lte=trace.received_at, pk__lt=trace.pk)
    return (
        newer.order_by("received_at", "pk").first(),
        older.order_by("-received_at", "-pk").first(),
    )
