"""Is it getting worse, and what to fix first: arithmetic of the overview."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta

Z = 1.959964
"""Two-sided 95 %."""


@dataclass(frozen=True, slots=True)
class Run:
    """What the overview reads of one judged trace.

    Attributes:
        day: The day it started, in the reader's zone.
        failed: Number of failed steps.
        roots: Number of failed steps that no failed step led to.
        root: Category id of the main root cause, "" if none.
        workflow: Name, "" if unknown.
        conformance: ``conformant``, ``deviant``, ``unknown`` or "".
    """

    day: date
    failed: int
    roots: int = 0
    root: str = ""
    workflow: str = ""
    conformance: str = ""


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of how many."""

    part: int
    whole: int

    @property
    def share(self) -> float | None:
        """Part of the whole, None of nothing."""
        return self.part / self.whole if self.whole else None

    @property
    def low(self) -> float:
        """Lower end of the 95 % interval (Wilson)."""
        return wilson(self.part, self.whole)[0]

    @property
    def high(self) -> float:
        """Upper end of the 95 % interval (Wilson)."""
        return wilson(self.part, self.whole)[1]


def wilson(part: int, whole: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share; (0, 1) of nothing.

    Honest for small numbers and for shares near 0 and 1, where the usual
    interval is not.
    """
    if not whole:
        return 0.0, 1.0
    share, square = part / whole, Z * Z / whole
    centre = (share + square / 2) / (1 + square)
    spread = share * (1 - share) / whole + square / (4 * whole)
    half = Z * math.sqrt(spread) / (1 + square)
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(frozen=True, slots=True)
class Change:
    """The failed share of a period beside that of the period before.

    Attributes:
        now: Runs that failed in the later period.
        before: Runs that failed in the earlier one.
    """

    now: Rate
    before: Rate

    @property
    def difference(self) -> float | None:
        """Change of the share, None where a period has no runs."""
        if self.now.share is None or self.before.share is None:
            return None
        return self.now.share - self.before.share

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the difference (Newcombe's hybrid score method)."""
        if self.difference is None:
            return -1.0, 1.0
        now, before = self.now.share or 0.0, self.before.share or 0.0
        down = math.hypot(now - self.now.low, self.before.high - before)
        up = math.hypot(self.now.high - now, before - self.before.low)
        return self.difference - down, self.difference + up

    @property
    def verdict(self) -> str:
        """``worse``, ``better``, ``unclear`` or, without runs, ``unknown``."""
        if self.difference is None:
            return "unknown"
        low, high = self.interval
        if low > 0:
            return "worse"
        return "better" if high < 0 else "unclear"


def change(runs: Iterable[Run], last: date, days: int) -> Change:
    """Compare the ``days`` up to and including ``last`` with those before."""
    border, begin = last - timedelta(days=days), last - timedelta(days=2 * days)
    runs = list(runs)
    return Change(
        failing(run for run in runs if border < run.day <= last),
        failing(run for run in runs if begin < run.day <= border),
    )


def failing(runs: Iterable[Run]) -> Rate:
    """Runs with at least one failed step, of all."""
    failed = [run.failed > 0 for run in runs]
    return Rate(sum(failed), len(failed))


@dataclass(frozen=True, slots=True)
class Day:
    """One day of the trend."""

    day: date
    rate: Rate


def by_day(runs: Iterable[Run], last: date, days: int) -> tuple[Day, ...]:
    """Every day of a period, also those without runs, oldest first."""
    found: dict[date, list[Run]] = {}
    for run in runs:
        found.setdefault(run.day, []).append(run)
    all_days = [last - timedelta(days=back) for back in reversed(range(days))]
    return tuple(Day(day, failing(found.get(day, ()))) for day in all_days)


@dataclass(frozen=True, slots=True)
class Cause:
    """A category as the main root cause of runs.

    Attributes:
        category: Id, "" for unclassified.
        runs: Failing runs whose main root has this category.
        downstream: Failed steps in those runs that a failed step led to.
        rate: Those runs of all failing runs.
    """

    category: str
    runs: int
    downstream: int
    rate: Rate


def fix_first(runs: Iterable[Run]) -> tuple[Cause, ...]:
    """Categories by the number of failing runs that begin with them.

    Ties go to the category with more failed steps downstream, then by id.
    """
    failed = [run for run in runs if run.failed]
    found: dict[str, list[Run]] = {}
    for run in failed:
        found.setdefault(run.root, []).append(run)
    causes = [_cause(category, of, len(failed)) for category, of in found.items()]
    return tuple(sorted(causes, key=lambda c: (-c.runs, -c.downstream, c.category)))


def _cause(category: str, runs: list[Run], failing_runs: int) -> Cause:
    downstream = sum(run.failed - run.roots for run in runs)
    return Cause(category, len(runs), downstream, Rate(len(runs), failing_runs))


def by_group(
    runs: Iterable[Run], key: Callable[[Run], str]
) -> tuple[tuple[str, Rate], ...]:
    """Failing runs by some name, largest group first; unnamed runs left out."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        if name := key(run):
            found.setdefault(name, []).append(run)
    groups = [(name, failing(of)) for name, of in found.items()]
    return tuple(sorted(groups, key=lambda group: (-group[1].whole, group[0])))
