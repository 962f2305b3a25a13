"""Intervals by resampling traces.

Steps of a trace are not independent, so whole traces are drawn with
replacement (cluster bootstrap; Davison and Hinkley 1997, section 3.8). Only sums per
trace are drawn, never ratings: a million ratings cost what their traces cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from annotation.domain.draws import Draws
from annotation.domain.outcome import Reason, Undefined
from annotation.domain.scale import Array

LEVEL = 0.95
MOST_UNDEFINED = 0.05
DIGITS = 10
"""Ends are rounded: sums of floats differ between machines beyond this."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval over draws of traces.

    Attributes:
        low: Lower end, None where there is no interval.
        high: Upper end.
        draws: Number of draws.
        undefined_draws: Draws in which the value itself is undefined.
        traces: Number of traces drawn from.
        seed: Seed of the draws; the same seed gives the same interval.
        undefined: Why there is no interval.
    """

    low: float | None
    high: float | None
    draws: int
    undefined_draws: int
    traces: int
    seed: int
    undefined: Undefined | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain data; ``low`` and ``high`` are null where ``reason`` is given."""
        return {
            "low": self.low,
            "high": self.high,
            "level": LEVEL,
            "draws": self.draws,
            "undefined_draws": self.undefined_draws,
            "traces": self.traces,
            "seed": self.seed,
            "reason": self.undefined.reason.value if self.undefined else None,
            "words": self.undefined.words if self.undefined else None,
        }


@dataclass(frozen=True)
class Block:
    """Sums per trace, for all traces or for some of them.

    Attributes:
        values: Numbers, first dimension traces.
        rows: Which traces the first dimension stands for; None for all.
    """

    values: Array
    rows: Array | None = None


def resample(
    blocks: Mapping[str, Array | Block], traces: int, draws: Draws
) -> dict[str, Array]:
    """Totals of every block over draws of traces.

    All blocks see the same draws, so differences between them are paired.

    Args:
        blocks: Sums per trace by name, each (traces, …).
        traces: Number of traces.
        draws: Draws of traces; their seed decides them.

    Returns:
        Totals by name, each (draws, …).
    """
    parts = {name: _block(block) for name, block in blocks.items()}
    totals = {
        name: np.zeros((draws.count, int(np.prod(part.values.shape[1:], dtype=int))))
        for name, part in parts.items()
    }
    sparse = any(part.rows is not None for part in parts.values())
    # Threads of several servers on one machine wait for each other: ten times
    # slower than one thread for products as small as these.
    with threadpool_limits(limits=1, user_api="blas"):
        for chunk, times in draws.chunks(traces):
            by_trace = np.ascontiguousarray(times.T) if sparse else times
            for name, part in parts.items():
                totals[name][chunk] = _product(part, times, by_trace)
    return {
        name: totals[name].reshape(draws.count, *part.values.shape[1:])
        for name, part in parts.items()
    }


def _product(part: Block, times: Array, by_trace: Array) -> Array:
    flat = part.values.reshape(len(part.values), -1)
    if part.rows is None:
        return np.asarray(times @ flat)
    return np.asarray((flat.T @ by_trace[part.rows]).T)


def _block(block: Array | Block) -> Block:
    found = block if isinstance(block, Block) else Block(block)
    return Block(np.asarray(found.values, dtype=float), found.rows)


def quotients(observed: Array, expected: Array) -> Array:
    """1 − observed / expected for draws, NaN where expected is 0."""
    observed, expected = np.asarray(observed, float), np.asarray(expected, float)
    known = np.isfinite(expected) & (expected != 0)
    safe = np.where(known, expected, 1.0)
    return np.where(known, 1 - observed / safe, np.nan)


def shares(part: Array, whole: Array) -> Array:
    """Part / whole for draws, NaN where the whole is 0."""
    known = np.asarray(whole) != 0
    safe = np.where(known, whole, 1.0)
    return np.where(known, np.asarray(part, dtype=float) / safe, np.nan)


def interval(values: Array, traces: int, draws: Draws) -> Interval:
    """The middle 95 % of the draws.

    Args:
        values: One value per draw, NaN where it is undefined.
        traces: Number of traces drawn from.
        draws: What the values come from; the result names their seed.

    Returns:
        No interval if more than 5 % of the draws are undefined
        (``undefined_draws``) or there is only one trace (``too_few_traces``).
    """
    missing = int(np.isnan(values).sum())
    reason = _why_none(len(values), missing, traces)
    if reason is not None:
        none = Undefined(reason)
        return Interval(None, None, len(values), missing, traces, draws.seed, none)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(values[~np.isnan(values)], [tail, 1 - tail])
    ends = round(float(low), DIGITS), round(float(high), DIGITS)
    return Interval(*ends, len(values), missing, traces, draws.seed)


def _why_none(draws: int, missing: int, traces: int) -> Reason | None:
    if traces == 0:
        return Reason.NO_OVERLAP
    if traces == 1:
        return Reason.TOO_FEW_TRACES
    return Reason.UNDEFINED_DRAWS if missing > MOST_UNDEFINED * draws else None


def interval_of(
    block: Array,
    statistic: Callable[[Array], Array],
    draws: Draws,
) -> Interval:
    """Interval of one statistic of totals, such as κ of the total table."""
    traces = len(block)
    if traces < 2:
        return interval(np.full(draws.count, np.nan), traces, draws)
    totals = resample({"one": block}, traces, draws)["one"]
    return interval(statistic(totals), traces, draws)


def sums_by_trace(trace: Array, traces: int, values: Array) -> Array:
    """Add up rows by trace.

    Args:
        trace: Position of the trace of each row, (rows,).
        traces: Number of traces.
        values: (rows,) or (rows, columns).
    """
    values = np.asarray(values, dtype=float)
    if values.ndim == 1:
        return np.bincount(trace, weights=values, minlength=traces)
    columns = [
        np.bincount(trace, weights=column, minlength=traces) for column in values.T
    ]
    return np.stack(columns, axis=1) if columns else np.zeros((traces, 0))


def tables_by_trace(
    trace: Array, traces: int, rows: Array, columns: Array, q: int
) -> Array:
    """Contingency table of each trace, (traces, q, q)."""
    flat = (trace * q + rows) * q + columns
    return np.bincount(flat, minlength=traces * q * q).reshape(traces, q, q)
