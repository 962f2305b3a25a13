"""One judged trace, ready to be shown: graph, scores, diagnosis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from judging.domain.attribution import Attribution
from judging.domain.diagnosis import Diagnosis, attributions, diagnose
from judging.domain.scores import StepScore
from judging.domain.settings import Settings
from judging.domain.taxonomy import Taxonomy
from traces.domain.conformance import Conformance
from traces.domain.records import Edge, Graph, Step


@dataclass(frozen=True)
class Reading:
    """Everything that the trace page and the API say about a judged graph.

    Attributes:
        graph: The evaluation graph.
        conformance: Against the workflow's schema.
        scores: Score by step key; missing steps have no finding.
        settings: Thresholds and strategy in force, what-if included.
        taxonomy: The vocabulary the failures are named in.
    """

    graph: Graph
    conformance: Conformance
    scores: Mapping[str, StepScore]
    settings: Settings
    taxonomy: Taxonomy

    @cached_property
    def diagnosis(self) -> Diagnosis:
        """Failures, roots and paths under the settings."""
        return diagnose(self.graph, self.scores, self.settings)

    @cached_property
    def steps(self) -> Mapping[str, Step]:
        """Steps by key."""
        return {step.key: step for step in self.graph.steps}

    @cached_property
    def parents(self) -> Mapping[str, tuple[Edge, ...]]:
        """Edges into each step."""
        found: dict[str, list[Edge]] = {}
        for edge in self.graph.edges:
            found.setdefault(edge.target, []).append(edge)
        return {key: tuple(edges) for key, edges in found.items()}

    @cached_property
    def children(self) -> Mapping[str, tuple[Edge, ...]]:
        """Edges out of each step."""
        found: dict[str, list[Edge]] = {}
        for edge in self.graph.edges:
            found.setdefault(edge.source, []).append(edge)
        return {key: tuple(edges) for key, edges in found.items()}

    @cached_property
    def by_strategy(self) -> Mapping[str, Attribution]:
        """Roots and paths under every strategy, side by side."""
        return attributions(self.graph, self.scores, self.settings)
