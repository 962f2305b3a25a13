"""Numbers, durations and moments in words, one way everywhere."""

from __future__ import annotations

import math
from datetime import UTC, datetime

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
THIN = "\u202f"
"""Narrow no-break space, between a number and its unit."""


def number(value: float) -> str:
    """A count with separators, or a measure with two significant decimals.

    >>> number(12345), number(0.00041239), number(2.0)
    ('12,345', '0.00041', '2')
    """
    if isinstance(value, int) or value == int(value):
        return f"{int(value):,}"
    digits = 2 if abs(value) >= 1 else 1 - math.floor(math.log10(abs(value)))
    return f"{value:,.{min(digits, 12)}f}"


def score(value: float) -> str:
    """A score with the decimals it has, one to two.

    Two where one would hide on which side of a threshold it lies.

    >>> score(3), score(1.7), score(2.96)
    ('3.0', '1.7', '2.96')
    """
    text = f"{value:.2f}"
    return text.removesuffix("0")


def money(value: float) -> str:
    """US dollars: cents from ten cents up, two significant decimals below.

    >>> money(12.5), money(0.00041239), money(0)
    ('$12.50', '$0.00041', '$0')
    """
    if value == 0:
        return "$0"
    return f"${value:,.2f}" if abs(value) >= 0.1 else f"${number(value)}"


def percent(share: float) -> str:
    """A share of one as a percentage; never 0 % or 100 % unless exactly so.

    >>> percent(0.3412).replace(THIN, " "), percent(0.0004).replace(THIN, " ")
    ('34 %', '<1 %')
    """
    hundred = round(share * 100)
    if hundred == 0 and share > 0:
        return f"<1{THIN}%"
    if hundred == 100 and share < 1:
        return f">99{THIN}%"
    return f"{hundred}{THIN}%"


def duration(milliseconds: float) -> str:
    """How long something took, in its two largest units.

    >>> [duration(ms).replace(THIN, " ") for ms in (850, 2_340, 75_000, 9_000_000)]
    ['850 ms', '2.3 s', '1 min 15 s', '2 h 30 min']
    """
    if milliseconds < 1_000:
        return f"{milliseconds:.0f}{THIN}ms"
    seconds = milliseconds / 1_000
    if seconds < _MINUTE:
        return f"{math.floor(seconds * 10) / 10:g}{THIN}s"
    for size, unit, part, below in _UNITS:
        if seconds >= size:
            whole, rest = divmod(int(seconds), size)
            tail = f" {rest // part}{THIN}{below}" if rest // part else ""
            return f"{whole:,}{THIN}{unit}{tail}"
    raise AssertionError(milliseconds)


_UNITS = (
    (_DAY, "d", _HOUR, "h"),
    (_HOUR, "h", _MINUTE, "min"),
    (_MINUTE, "min", 1, "s"),
)


def ago(moment: datetime, now: datetime) -> str:
    """How long ago, for the last week; "" for what is older or in the future.

    >>> now = datetime(2026, 3, 4, 12, tzinfo=UTC)
    >>> ago(now - timedelta(hours=3), now).replace(THIN, " ")
    '3 h ago'
    """
    seconds = (now - moment).total_seconds()
    if not -_MINUTE <= seconds < 7 * _DAY:
        return ""
    if seconds < _MINUTE:
        return "just now"
    for size, unit, _part, _below in _UNITS:
        if seconds >= size:
            return f"{int(seconds // size)}{THIN}{unit} ago"
    return ""


def utc(moment: datetime) -> str:
    """The moment in UTC to the second, with the zone named.

    >>> utc(datetime(2026, 3, 4, 12, 5, tzinfo=UTC))
    '2026-03-04 12:05:00 UTC'
    """
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def day_and_time(moment: datetime, now: datetime) -> str:
    """Day and minute in the zone that ``moment`` carries, the year if not now's.

    >>> now = datetime(2026, 3, 4, 12, tzinfo=UTC)
    >>> day_and_time(now, now), day_and_time(now.replace(year=2025), now)
    ('4 Mar 12:00', '4 Mar 2025 12:00')
    """
    year = "" if moment.year == now.year else f" {moment.year}"
    return f"{moment.day} {moment:%b}{year} {moment:%H:%M}"
