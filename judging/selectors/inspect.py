"""Everything the inspector shows of one step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judging.domain.attribution import STRATEGIES
from judging.domain.checks import CHECKS
from judging.domain.diagnosis import Ambiguity, Outcome
from judging.domain.findings import NOTHING, Finding
from judging.domain.highlight import Segment, segments
from judging.domain.reading import Reading
from judging.domain.taxonomy import Category
from judging.domain.text import text_of
from judging.models import Verdict
from judging.selectors.judged import (
    JudgedTrace,
    contents_of,
    findings_of,
    verdicts_of,
)
from traces.domain.records import Edge, Json, Step
from traces.domain.view import StepContent

MAX_NEIGHBOURS = 24
STRATEGY_NAMES = {
    "greedy_lowest_parent": "Lowest parent",
    "full_path_minimum": "Full path minimum",
    "weighted_propagation": "Weighted propagation",
}
CHECK_TITLES = {check.id: check.title for check in CHECKS}
CHECK_RULES = {check.id: check.rule for check in CHECKS}


@dataclass(frozen=True)
class Neighbour:
    """A step on the other end of an edge."""

    step: Step
    outcome: Outcome
    edge: Edge
    output: tuple[Segment, ...] = ()


@dataclass(frozen=True)
class Metric:
    """One metric of the step: its score, or that nothing was found."""

    name: str
    score: float | None
    reason: str
    rationale: str = ""

    @property
    def title(self) -> str:
        """Name in words."""
        return self.name.replace("_", " ")


@dataclass(frozen=True)
class Fired:
    """A finding with the name and the rule of its check."""

    finding: Finding
    title: str
    rule: str


@dataclass(frozen=True)
class Text:
    """One part of a step's content with the evidence marked."""

    title: str
    segments: tuple[Segment, ...]
    value: Json
    size: int


@dataclass(frozen=True)
class Rivalry:
    """A failed parent that lost, and why."""

    step: Step
    score: float
    why: str


@dataclass(frozen=True)
class Opinion:
    """Where one strategy sees the root."""

    name: str
    title: str
    root: Step | None
    hops: int
    chosen: bool


@dataclass(frozen=True)
class Inspected:
    """One step, ready for the page."""

    step: Step
    outcome: Outcome
    category: tuple[Category, ...]
    metrics: tuple[Metric, ...]
    fired: tuple[Fired, ...]
    texts: tuple[Text, ...]
    content: StepContent
    parents: tuple[Neighbour, ...]
    parents_left_out: int
    children: tuple[Neighbour, ...]
    children_left_out: int
    path: tuple[Step, ...]
    source: Step | None
    rivals: tuple[Rivalry, ...]
    over: tuple[Step, ...]
    opinions: tuple[Opinion, ...]
    warnings: tuple[Ambiguity, ...]


def inspect(judged: JudgedTrace, key: str) -> Inspected | None:
    """Collect what is known about one step, None if the trace has no such step."""
    reading = judged.reading
    if reading is None or key not in reading.steps:
        return None
    step, outcome = reading.steps[key], reading.diagnosis.outcomes[key]
    parents = reading.parents.get(key, ())
    children = reading.children.get(key, ())
    shown = [edge.source for edge in parents[:MAX_NEIGHBOURS]]
    contents = contents_of(judged.trace, reading.steps, [key, *shown])
    content = contents.get(key, NOTHING)
    evaluation = judged.evaluation
    findings = findings_of(evaluation, key) if evaluation else ()
    verdicts = verdicts_of(evaluation, key) if evaluation else []
    return Inspected(
        step=step,
        outcome=outcome,
        category=reading.taxonomy.path(outcome.category),
        metrics=_metrics(reading, step, outcome, verdicts),
        fired=tuple(_fired(finding) for finding in findings),
        texts=_texts(key, content, findings),
        content=content,
        parents=_parents(reading, parents, contents, findings),
        parents_left_out=max(0, len(parents) - MAX_NEIGHBOURS),
        children=tuple(
            Neighbour(reading.steps[e.target], reading.diagnosis.outcomes[e.target], e)
            for e in children[:MAX_NEIGHBOURS]
        ),
        children_left_out=max(0, len(children) - MAX_NEIGHBOURS),
        path=_path(reading, outcome),
        source=reading.steps.get(outcome.source),
        rivals=tuple(
            Rivalry(reading.steps[r.key], r.score, r.why) for r in outcome.rivals
        ),
        over=tuple(reading.steps[k] for k in outcome.over),
        opinions=_opinions(reading, key) if outcome.failed else (),
        warnings=tuple(a for a in reading.diagnosis.ambiguity if a.step == key),
    )


def _metrics(
    reading: Reading, step: Step, outcome: Outcome, verdicts: Sequence[Verdict]
) -> tuple[Metric, ...]:
    by_metric = {verdict.metric: verdict for verdict in verdicts}
    names = [*reading.settings.metrics.get(step.type, ())]
    names += [name for name in outcome.score.metrics if name not in names]
    found = []
    for name in names if not step.boundary else ():
        verdict = by_metric.get(name)
        if verdict is None:
            found.append(Metric(name, None, "no finding"))
        else:
            found.append(Metric(name, verdict.score, verdict.reason, verdict.rationale))
    return tuple(found)


def _fired(finding: Finding) -> Fired:
    title = CHECK_TITLES.get(finding.check, finding.check)
    return Fired(finding, title, CHECK_RULES.get(finding.check, ""))


def _texts(
    key: str, content: StepContent, findings: Sequence[Finding]
) -> tuple[Text, ...]:
    arguments = content.call.arguments if content.call else None
    parts: list[tuple[str, str, Json]] = [
        ("Error", "error", content.error or None),
        ("Output", "output", content.output),
        ("Reasoning", "reasoning", content.reasoning or None),
        ("Arguments", "arguments", arguments),
        ("Input", "input", content.input),
    ]
    same: list[Json] = []
    texts = []
    for title, where, value in parts:
        if value is None or any(value == other for other in same):
            continue
        same.append(value)
        text = text_of(value)
        marks = _marks(key, where, findings)
        texts.append(Text(title, segments(text, marks), value, len(text)))
    return tuple(texts)


def _marks(key: str, where: str, findings: Sequence[Finding]) -> list[tuple[int, int]]:
    return [
        (evidence.start, len(evidence.text))
        for finding in findings
        for evidence in finding.evidence
        if evidence.step == key and evidence.where == where and evidence.start >= 0
    ]


def _parents(
    reading: Reading,
    edges: Sequence[Edge],
    contents: Mapping[str, StepContent],
    findings: Sequence[Finding],
) -> tuple[Neighbour, ...]:
    found = []
    for edge in edges[:MAX_NEIGHBOURS]:
        output = contents.get(edge.source, NOTHING).output
        marks = _marks(edge.source, "output", findings)
        shown = segments(text_of(output), marks, 2_000) if output is not None else ()
        step = reading.steps[edge.source]
        outcome = reading.diagnosis.outcomes[edge.source]
        found.append(Neighbour(step, outcome, edge, shown))
    return tuple(found)


def _path(reading: Reading, outcome: Outcome) -> tuple[Step, ...]:
    if not outcome.failed:
        return ()
    keys = reading.diagnosis.attribution.path(outcome.key)
    return tuple(reading.steps[key] for key in keys)


def _opinions(reading: Reading, key: str) -> tuple[Opinion, ...]:
    found = []
    for name in STRATEGIES:
        attribution = reading.by_strategy[name]
        root = reading.steps.get(attribution.root.get(key, ""))
        chosen = name == reading.settings.strategy
        hops = attribution.hops.get(key, 0)
        found.append(Opinion(name, STRATEGY_NAMES[name], root, hops, chosen))
    return tuple(found)
