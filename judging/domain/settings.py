"""What a profile version decides: metrics, thresholds, weights, strategy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

METRICS: Mapping[str, tuple[str, ...]] = {
    "PLAN": ("completeness", "feasibility"),
    "TOOLSEL": ("selection_accuracy", "relevance"),
    "PARAMGEN": ("type_correctness", "value_correctness", "completeness"),
    "EXEC": ("success", "result_validity"),
    "SYNTH": ("faithfulness", "completeness", "coherence"),
}
"""Metrics of each step type (paper section 3.2)."""

THRESHOLDS: Mapping[str, float] = {
    "PLAN": 3.0,
    "TOOLSEL": 3.0,
    "PARAMGEN": 2.5,
    "EXEC": 3.0,
    "SYNTH": 3.0,
}
"""A step fails when its score is below its threshold, strictly (section 3.2)."""

LOWEST, HIGHEST = 1.0, 5.0
DEFAULT_THRESHOLD = 3.0


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that turns verdicts into a diagnosis.

    Attributes:
        metrics: Metric names by step type; projects add types here.
        thresholds: Failure threshold by step type, 1 to 5.
        strategy: Name of the attribution strategy.
        rival_gap: Two failed parents whose scores differ by at most this are
            rivals (our decision; the paper names multi-branch convergence as
            41 % of its wrong attributions).
        long_chain: A path of at least this many hops is flagged.
        near_threshold: A score within this of its threshold is flagged.
        weak_link: Weighted propagation stops at a link below this weight.
    """

    metrics: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: METRICS)
    thresholds: Mapping[str, float] = field(default_factory=lambda: THRESHOLDS)
    strategy: str = "greedy_lowest_parent"
    rival_gap: float = 0.5
    long_chain: int = 4
    near_threshold: float = 0.25
    weak_link: float = 0.2

    def threshold(self, step_type: str) -> float:
        """Failure threshold of a step type; 3.0 for types without their own."""
        return self.thresholds.get(step_type, DEFAULT_THRESHOLD)

    def shifted(self, by: float) -> Settings:
        """The same settings with every threshold moved, kept within 1 to 5."""
        moved = {
            step_type: min(HIGHEST, max(LOWEST, value + by))
            for step_type, value in self.thresholds.items()
        }
        return replace(self, thresholds=moved)


DEFAULT = Settings()
