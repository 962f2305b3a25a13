"""Classify and attribute: what the verdicts on a graph mean.

Stages 4 and 5 of the method as one pure function of graph, scores and
settings. Moving a threshold or changing the strategy is another call, never
another judgement.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from judging.domain.attribution import STRATEGIES, Attribution, Failures, Link
from judging.domain.scores import NO_FINDING, State, StepScore
from judging.domain.scoring import WorkflowScore, descendants, workflow_score
from judging.domain.settings import Settings
from judging.domain.taxonomy import UNCLASSIFIED
from traces.domain.records import Edge, EdgeKind, Graph, Step, Structure

BOUNDARY = StepScore(State.BOUNDARY)
MAX_OVER = 64
"""Unscored steps in a row that attribution steps over at most."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A failed parent that was not chosen as the source, and why."""

    key: str
    score: float
    confidence: float
    kind: str
    why: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is said of one step.

    Attributes:
        key: Step key.
        score: State, score, metrics.
        threshold: Failure threshold of its type, None for boundaries.
        failed: Score below threshold, strictly.
        category: Taxonomy id, "" for steps that didn't fail.
        role: ``root``, ``propagated`` or "".
        source: Next step upstream on the path, "" for roots.
        root: Root of the failure, "" for steps that didn't fail.
        rivals: Other failed parents.
        over: Steps between this one and its source that didn't fail.
        downstream: Failures attributed to this one, itself not counted.
    """

    key: str
    score: StepScore
    threshold: float | None = None
    failed: bool = False
    category: str = ""
    role: str = ""
    source: str = ""
    root: str = ""
    rivals: tuple[Rival, ...] = ()
    over: tuple[str, ...] = ()
    downstream: int = 0


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A reason to be careful with one attribution.

    The paper's error analysis (appendix E): convergence of branches, long
    chains and scores at the threshold make up its wrong attributions.
    """

    step: str
    kind: str
    detail: str


@dataclass(frozen=True)
class Diagnosis:
    """Failures, roots and paths of one run under one profile.

    Attributes:
        outcomes: By step key, in topological order.
        attribution: Sources, roots and paths by the chosen strategy.
        roots: Root steps in topological order.
        primary_root: The root that explains most failures (ties: lower score,
            then earlier), "" if nothing failed.
        symptom: The last failed step that the primary root explains.
        ambiguity: Warnings, in topological order.
        workflow: Score of the run.
        counts: Number of steps by state, plus ``failed``.
    """

    outcomes: Mapping[str, Outcome]
    attribution: Attribution
    roots: tuple[str, ...]
    primary_root: str
    symptom: str
    ambiguity: tuple[Ambiguity, ...]
    workflow: WorkflowScore
    counts: Mapping[str, int]


def diagnose(
    graph: Graph, scores: Mapping[str, StepScore], settings: Settings
) -> Diagnosis:
    """Turn scores into failures, roots, paths and warnings.

    Args:
        graph: The evaluation graph. On a flat one order is no dependency:
            every failed step is its own root (paper appendix A).
        scores: Score by step key; a missing step has no finding.
        settings: Thresholds, strategy and limits of the warnings.
    """
    complete = {step.key: _score_of(step, scores) for step in graph.steps}
    failures = find_failures(graph, complete, settings)
    attribution = STRATEGIES[settings.strategy](failures, settings)
    downstream = _downstream(failures, attribution)
    outcomes = {
        step.key: _outcome(
            step, complete[step.key], failures, attribution, downstream, settings
        )
        for step in graph.steps
    }
    primary = _primary_root(failures, attribution)
    explained = [key for key, root in attribution.root.items() if root == primary]
    return Diagnosis(
        outcomes=outcomes,
        attribution=attribution,
        roots=tuple(key for key, one in outcomes.items() if one.role == "root"),
        primary_root=primary,
        symptom=max(explained, key=lambda key: failures.index[key], default=""),
        ambiguity=_ambiguity(outcomes, failures, attribution, settings),
        workflow=workflow_score(graph, complete, descendants(graph)),
        counts=_counts(outcomes),
    )


def attributions(
    graph: Graph, scores: Mapping[str, StepScore], settings: Settings
) -> Mapping[str, Attribution]:
    """Roots and paths under every strategy, side by side.

    Args:
        graph: As of ``diagnose``.
        scores: As of ``diagnose``.
        settings: As of ``diagnose``; their strategy is not looked at.
    """
    complete = {step.key: _score_of(step, scores) for step in graph.steps}
    failures = find_failures(graph, complete, settings)
    return {name: find(failures, settings) for name, find in STRATEGIES.items()}


def _downstream(failures: Failures, attribution: Attribution) -> Mapping[str, int]:
    """Failures whose path leads through each failed step."""
    counts = dict.fromkeys(failures.scores, 0)
    latest_first = sorted(counts, key=lambda key: -failures.index[key])
    for key in latest_first:
        upstream = attribution.source.get(key)
        if upstream is not None:
            counts[upstream] += 1 + counts[key]
    return counts


def _score_of(step: Step, scores: Mapping[str, StepScore]) -> StepScore:
    return BOUNDARY if step.boundary else scores.get(step.key, NO_FINDING)


def find_failures(
    graph: Graph, scores: Mapping[str, StepScore], settings: Settings
) -> Failures:
    """Failed steps with their failed parents; unscored parents are stepped over."""
    failed: dict[str, float] = {}
    thresholds: dict[str, float] = {}
    for step in graph.steps:
        score, threshold = scores[step.key].score, settings.threshold(step.type)
        if not step.boundary and score is not None and score < threshold:
            failed[step.key] = score
            thresholds[step.key] = threshold
    incoming = _incoming(graph)
    index = {step.key: step.index for step in graph.steps}
    unscored = {
        key
        for key, score in scores.items()
        if score.state in {State.UNSCORED, State.PENDING}
    }
    links = {key: _links(key, incoming, failed, unscored, index) for key in failed}
    parents = {
        key: tuple((edge.source, edge.confidence) for edge in edges)
        for key, edges in incoming.items()
    }
    return Failures(failed, thresholds, index, links, parents)


def _incoming(graph: Graph) -> Mapping[str, tuple[Edge, ...]]:
    incoming: dict[str, list[Edge]] = {}
    flat = graph.structure is Structure.FLAT
    for edge in graph.edges:
        if not (flat and edge.kind is EdgeKind.ORDER):
            incoming.setdefault(edge.target, []).append(edge)
    return {key: tuple(edges) for key, edges in incoming.items()}


def _links(
    key: str,
    incoming: Mapping[str, tuple[Edge, ...]],
    failed: Mapping[str, float],
    unscored: set[str],
    index: Mapping[str, int],
) -> tuple[Link, ...]:
    found: dict[str, Link] = {}
    stack: list[Link] = [
        Link(edge.source, edge.confidence, edge.kind) for edge in incoming.get(key, ())
    ]
    seen: set[str] = set()
    while stack:
        link = stack.pop()
        if link.key in failed:
            known = found.get(link.key)
            if known is None or link.confidence > known.confidence:
                found[link.key] = link
        elif link.key in unscored and link.key not in seen and len(seen) < MAX_OVER:
            seen.add(link.key)
            stack.extend(
                Link(
                    edge.source,
                    link.confidence * edge.confidence,
                    link.kind,
                    (*link.over, link.key),
                )
                for edge in incoming.get(link.key, ())
            )
    return tuple(sorted(found.values(), key=lambda link: index[link.key]))


def _outcome(
    step: Step,
    score: StepScore,
    failures: Failures,
    attribution: Attribution,
    downstream: Mapping[str, int],
    settings: Settings,
) -> Outcome:
    threshold = None if step.boundary else settings.threshold(step.type)
    plain = Outcome(step.key, score, threshold)
    if step.key not in failures.scores:
        return plain
    source = attribution.source.get(step.key, "")
    return replace(
        plain,
        failed=True,
        category=score.category or UNCLASSIFIED,
        role="propagated" if source else "root",
        source=source,
        root=attribution.root[step.key],
        rivals=_rivals(step.key, source, failures),
        over=attribution.between.get(step.key, ()),
        downstream=downstream.get(step.key, 0),
    )


def _rivals(key: str, source: str, failures: Failures) -> tuple[Rival, ...]:
    chosen = failures.scores.get(source)
    return tuple(
        Rival(
            link.key,
            failures.scores[link.key],
            link.confidence,
            str(link.kind),
            _why_lost(link, failures, chosen),
        )
        for link in failures.links[key]
        if link.key != source
    )


def _why_lost(link: Link, failures: Failures, chosen: float | None) -> str:
    score = failures.scores[link.key]
    if chosen is None:
        return "its link is too weak to count as the source"
    if score > chosen:
        return f"its score {score:.2f} is higher than the source's {chosen:.2f}"
    if score == chosen:
        return f"its score is the same ({score:.2f}); the earlier step counts"
    return f"its link is weaker (confidence {link.confidence:.2f})"


def _primary_root(failures: Failures, attribution: Attribution) -> str:
    explains = Counter(attribution.root.values())
    if not explains:
        return ""
    return min(
        explains,
        key=lambda key: (-explains[key], failures.scores[key], failures.index[key]),
    )


def _ambiguity(
    outcomes: Mapping[str, Outcome],
    failures: Failures,
    attribution: Attribution,
    settings: Settings,
) -> tuple[Ambiguity, ...]:
    found: list[Ambiguity] = []
    for key in sorted(failures.scores, key=lambda one: failures.index[one]):
        found += _flags(outcomes[key], failures, attribution, settings)
    return tuple(found)


def _flags(
    outcome: Outcome,
    failures: Failures,
    attribution: Attribution,
    settings: Settings,
) -> list[Ambiguity]:
    key, flags = outcome.key, []
    if outcome.source:
        chosen = failures.scores[outcome.source]
        gap = min((abs(r.score - chosen) for r in outcome.rivals), default=None)
        if gap is not None and gap <= settings.rival_gap:
            detail = (
                f"{len(outcome.rivals)} other failed parent(s), nearest {gap:.2f} away"
            )
            flags.append(Ambiguity(key, "rival_parents", detail))
    hops = attribution.hops[key]
    if hops >= settings.long_chain:
        flags.append(Ambiguity(key, "long_chain", f"{hops} hops from the root"))
    distance = failures.thresholds[key] - failures.scores[key]
    if distance <= settings.near_threshold:
        detail = f"{distance:.2f} below the threshold {failures.thresholds[key]:.2f}"
        flags.append(Ambiguity(key, "near_threshold", detail))
    return flags


def _counts(outcomes: Mapping[str, Outcome]) -> Mapping[str, int]:
    counts = Counter(str(one.score.state) for one in outcomes.values())
    states = {str(state): counts.get(str(state), 0) for state in State}
    return states | {"failed": sum(one.failed for one in outcomes.values())}
