"""Time zones by name, as browsers tell them."""

from __future__ import annotations

from datetime import UTC, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

COOKIE = "tz"
"""Cookie in which the reader's browser tells its zone."""


@lru_cache(maxsize=64)
def zone_named(name: str) -> tzinfo:
    """The zone of an IANA name; UTC for anything else.

    >>> zone_named("Asia/Tokyo").key, zone_named("../etc/passwd")
    ('Asia/Tokyo', datetime.timezone.utc)
    """
    try:
        return ZoneInfo(name) if 0 < len(name) <= 64 else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC
