"""Geometry of the trend: the failed share of each day above its runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from traces.domain.trend import Day, Rate

WIDTH, HEIGHT = 600, 172
LEFT, TOP = 40, 10
SHARE_HEIGHT, RUNS_HEIGHT, GAP = 96, 28, 14
LABEL_EVERY = 7


@dataclass(frozen=True, slots=True)
class Bar:
    """One day's two bars, in the units of the view box.

    Attributes:
        day: The day.
        rate: Failing runs of all runs.
        x: Left edge of both bars.
        width: Width of both bars.
        share_y: Top of the share's bar.
        share_height: Its height; 0 without failing runs.
        runs_height: Height of the bar of runs, which hangs from ``runs_y``.
        label: Whether the day is named below.
        label_x: Where its name stands.
        anchor: Which part of the name stands there.
    """

    day: date
    rate: Rate
    x: float
    width: float
    share_y: float
    share_height: float
    runs_height: float
    label: bool
    label_x: float
    anchor: str


@dataclass(frozen=True, slots=True)
class DayChart:
    """The whole drawing.

    Attributes:
        bars: One a day, oldest first.
        most: Largest number of runs a day.
        grid: Heights and words of the lines behind the shares.
    """

    bars: tuple[Bar, ...]
    most: int
    grid: tuple[tuple[float, str], ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    base: int = TOP + SHARE_HEIGHT
    runs_y: int = TOP + SHARE_HEIGHT + GAP


def day_chart(days: Sequence[Day]) -> DayChart:
    """Lay out the days in equal columns."""
    most = max((day.rate.whole for day in days), default=0)
    column = (WIDTH - LEFT) / max(1, len(days))
    newest = len(days) - 1
    bars = tuple(
        _bar(day, LEFT + index * column, column, most, newest - index)
        for index, day in enumerate(days)
    )
    grid = tuple(
        (TOP + SHARE_HEIGHT * (1 - share), f"{share:.0%}") for share in (0, 0.5, 1)
    )
    return DayChart(bars, most, grid)


def _bar(day: Day, left: float, column: float, most: int, back: int) -> Bar:
    share = day.rate.share or 0.0
    return Bar(
        day=day.day,
        rate=day.rate,
        x=round(left + column * 0.15, 2),
        width=round(column * 0.7, 2),
        share_y=round(TOP + SHARE_HEIGHT * (1 - share), 2),
        share_height=round(SHARE_HEIGHT * share, 2),
        runs_height=round(RUNS_HEIGHT * day.rate.whole / most, 2) if most else 0.0,
        label=back % LABEL_EVERY == 0,
        label_x=round(left + column * (0.5 if back else 0.85), 2),
        anchor="middle" if back else "end",
    )
