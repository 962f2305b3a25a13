"""How many steps must be rated twice for an interval as narrow as wanted.

The width of a large-sample interval shrinks with √N, and steps of a trace make
it wider by √deff, the design effect of clustering.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.domain.bootstrap import Interval
from annotation.domain.kappa import Analytic, Z, analytic
from annotation.domain.outcome import Undefined
from annotation.domain.scale import SCORES, Array, Weights, quadratic

TYPICAL = (
    (10, 3, 1, 0, 0),
    (4, 14, 5, 1, 0),
    (1, 4, 20, 8, 1),
    (0, 1, 6, 40, 14),
    (0, 0, 1, 12, 55),
)
"""Two raters and 201 steps, used until a campaign has its own."""
TYPICAL_DEFF = 2.56
"""Design effect where steps of a trace are alike: intervals 1.6 times as wide."""
ENOUGH = 50
"""2 q² for five scores: fewer don't carry the approximation (Cicchetti 1981)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a campaign needs for the interval it wants.

    Attributes:
        half_width: Half the width of the 95 % interval that was asked for.
        steps: Steps to be rated by two raters, at least 50.
        traces: The same in traces.
        more_traces: What is still missing.
        deff: Design effect used.
        observed: Whether it rests on the campaign's own ratings.
    """

    half_width: float
    steps: int
    traces: int
    more_traces: int
    deff: float
    observed: bool

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "half_width": self.half_width,
            "steps": self.steps,
            "traces": self.traces,
            "more_traces": self.more_traces,
            "deff": self.deff,
            "observed": self.observed,
        }


def error_of_one(table: Sequence[Sequence[int]] | Array, weights: Weights) -> float:
    """Standard error of κ times √N; the typical table where it has none."""
    found = analytic(table, weights)
    if isinstance(found, Undefined):
        return error_of_one(TYPICAL, weights)
    return found.error * math.sqrt(int(np.asarray(table).sum()))


def half_width(
    steps: int,
    table: Sequence[Sequence[int]] | Array = TYPICAL,
    weights: Weights | None = None,
    deff: float = 1.0,
) -> float:
    """Expected half-width of the 95 % interval of so many steps.

    Raises:
        ValueError: There are no steps.
    """
    if steps < 1:
        raise ValueError("at least one step")
    error = error_of_one(table, weights or quadratic(SCORES))
    return Z * error * math.sqrt(deff / steps)


def design_effect(found: Interval, independent: Analytic | Undefined) -> float | None:
    """How much wider the interval over traces is, squared; None if unknown."""
    if isinstance(independent, Undefined) or found.low is None or found.high is None:
        return None
    return ((found.high - found.low) / (2 * Z * independent.error)) ** 2


def plan(
    wanted: float,
    steps_per_trace: float,
    *,
    table: Sequence[Sequence[int]] | Array | None = None,
    weights: Weights | None = None,
    deff: float | None = None,
    rated_traces: int = 0,
) -> Plan:
    """Steps and traces for a wanted half-width.

    Args:
        wanted: Half the width of the 95 % interval, above 0 and below 1.
        steps_per_trace: Mean number of rated steps of a trace, above 0.
        table: Ratings so far; below 50 steps, or without, a typical table.
        weights: Of the coefficient, quadratic by default.
        deff: Design effect, at least 1; a typical one by default.
        rated_traces: Traces already rated twice.

    Raises:
        ValueError: An argument is out of its range.
    """
    if not 0 < wanted < 1 or steps_per_trace <= 0:
        raise ValueError("a half-width between 0 and 1, and more than 0 steps a trace")
    used = TYPICAL if table is None else np.asarray(table)
    observed = table is not None and int(np.asarray(used).sum()) >= ENOUGH
    effect = max(1.0, TYPICAL_DEFF if deff is None else deff)
    error = error_of_one(used if observed else TYPICAL, weights or quadratic(SCORES))
    steps = max(ENOUGH, math.ceil(effect * (Z * error / wanted) ** 2))
    traces = math.ceil(steps / steps_per_trace)
    return Plan(wanted, steps, traces, max(0, traces - rated_traces), effect, observed)
