"""A step as a rater sees it: what it was given and gave, never what others said.

Nothing in here reads verdicts, findings, outcomes or labels of others; a page that
is built from it alone can't tell what a blind rater must not know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.models import Assignment, Draft, Item, Label
from judging.domain.highlight import Segment, segments
from judging.domain.text import text_of
from judging.selectors.judged import contents_of
from traces.domain.graph.codec import decode
from traces.domain.records import Graph, Json, Step
from traces.domain.view import StepContent
from traces.models import Trace, TraceGraph
from traces.services.blobs import unpack

MAX_PARENTS = 12
MAX_REQUESTS = 3
LONGEST_PARENT = 4_000


@dataclass(frozen=True)
class Part:
    """One part of a step's content."""

    title: str
    segments: tuple[Segment, ...]
    size: int


@dataclass(frozen=True)
class Parent:
    """A step this one depends on, with what it gave."""

    step: Step
    kind: str
    output: tuple[Segment, ...]
    size: int


@dataclass(frozen=True)
class Shown:
    """One step with its upstream context.

    Attributes:
        step: The step, None if the trace was built again without it or deleted.
        parts: What it was given and gave.
        parents: Steps it depends on.
        parents_left_out: Number of further ones.
        requests: What the user asked for.
    """

    step: Step | None
    parts: tuple[Part, ...] = ()
    parents: tuple[Parent, ...] = ()
    parents_left_out: int = 0
    requests: tuple[Part, ...] = ()


def shown_step(trace: Trace | None, key: str) -> Shown:
    """What a rater sees of a step."""
    graph = _graph(trace) if trace else None
    if trace is None or graph is None:
        return Shown(None)
    steps = {step.key: step for step in graph.steps}
    step = steps.get(key)
    if step is None:
        return Shown(None)
    incoming = [edge for edge in graph.edges if edge.target == key]
    asked = [s.key for s in graph.steps if s.boundary][:MAX_REQUESTS]
    wanted = dict.fromkeys((key, *(e.source for e in incoming[:MAX_PARENTS]), *asked))
    contents = contents_of(trace, steps, list(wanted))
    return Shown(
        step=step,
        parts=_parts(contents.get(key, StepContent())),
        parents=tuple(
            _parent(steps[edge.source], str(edge.kind), contents)
            for edge in incoming[:MAX_PARENTS]
        ),
        parents_left_out=max(0, len(incoming) - MAX_PARENTS),
        requests=tuple(
            _part(steps[one].name, contents[one].output)
            for one in asked
            if one in contents and contents[one].output not in (None, "")
        ),
    )


def _graph(trace: Trace) -> Graph | None:
    row = TraceGraph.objects.filter(trace=trace).only("payload").first()
    return None if row is None else decode(unpack(row.payload))[0]


def _parts(content: StepContent) -> tuple[Part, ...]:
    arguments = content.call.arguments if content.call else None
    given: list[tuple[str, Json]] = [
        ("Error", content.error or None),
        ("Output", content.output),
        ("Reasoning", content.reasoning or None),
        ("Arguments", arguments),
        ("Input", content.input),
    ]
    seen: list[Json] = []
    parts = []
    for title, value in given:
        if value is None or any(value == other for other in seen):
            continue
        seen.append(value)
        parts.append(_part(title, value))
    return tuple(parts)


def _part(title: str, value: Json) -> Part:
    text = text_of(value)
    return Part(title, segments(text, []), len(text))


def _parent(step: Step, kind: str, contents: Mapping[str, StepContent]) -> Parent:
    output = contents.get(step.key, StepContent()).output
    text = "" if output is None else text_of(output)
    return Parent(step, kind, segments(text, [], LONGEST_PARENT), len(text))


@dataclass(frozen=True)
class Progress:
    """Where a rater is within a task.

    Attributes:
        items: Its items in order, each with whether it is answered.
        current: The one shown.
        before: The one before it, None at the first.
        after: The one after it, None at the last.
    """

    items: tuple[tuple[Item, bool], ...]
    current: Item
    before: Item | None
    after: Item | None


def progress_in(assignment: Assignment, item: int | None) -> Progress:
    """Place of an item in its task; the first unanswered one by default."""
    items = list(assignment.task.items.order_by("index", "pk"))
    contents = contents_by_item(assignment)
    answered = [is_answered(contents.get(one.pk, {})) for one in items]
    chosen = next((n for n, one in enumerate(items) if one.pk == item), None)
    if chosen is None:
        chosen = answered.index(False) if False in answered else 0
    return Progress(
        items=tuple(zip(items, answered, strict=True)),
        current=items[chosen],
        before=items[chosen - 1] if chosen else None,
        after=items[chosen + 1] if chosen + 1 < len(items) else None,
    )


def contents_by_item(assignment: Assignment) -> dict[int, dict[str, Any]]:
    """What the rater has typed or submitted, by item; drafts win."""
    rows = Label.objects.filter(
        item__task=assignment.task, rater=assignment.rater, is_current=True
    )
    found = {row.item_id: content_of(row) for row in rows}
    drafts: Sequence[Draft] = list(assignment.drafts.all())
    return found | {draft.item_id: draft.content for draft in drafts}


def content_of(label: Label) -> dict[str, Any]:
    """The fields of a label as a form has them."""
    return {
        "score": None if label.score is None else int(label.score),
        "metrics": {name: int(score) for name, score in label.metrics.items()},
        "category": label.category,
        "is_root": label.is_root,
        "comment": label.comment,
        "confidence": label.confidence,
        "guideline_gap": label.guideline_gap,
    }


def is_answered(content: Mapping[str, Any]) -> bool:
    """Whether something that counts as an answer stands in a form."""
    return content.get("score") is not None or bool(content.get("metrics"))
