"""Times in the spellings of exports, as Unix nanoseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

from traces.domain.records import Json

_ISO = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}:[0-9]{2})"
    r"(?:[.,]([0-9]{1,18}))? ?(Z|z|UTC|[+-][0-9]{2}:?[0-9]{2})?"
)
_NUMBER = re.compile(r"[0-9]{1,19}(\.[0-9]{1,18})?")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = ((10**11, 10**9), (10**14, 10**6), (10**17, 10**3))
"""Numbers below the first are in units of the second: s, ms, µs; else ns."""


def nanoseconds(value: Json) -> int | None:
    """Unix time of an ISO 8601 text or a number; None if it is neither.

    A text without a zone is UTC. The unit of a number is told by its size:
    seconds, milliseconds, microseconds or nanoseconds since 1970.
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    text = str(value).strip()
    iso = _ISO.fullmatch(text)
    found = _from_iso(iso) if iso else _from_number(text)
    return found if found is not None and abs(found) < 2**63 else None


def _from_iso(match: re.Match[str]) -> int | None:
    day, clock, fraction, zone = match.groups()
    try:
        local = datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=_zone(zone))
    except ValueError:
        return None
    seconds = (local - _EPOCH) // timedelta(seconds=1)
    return seconds * 10**9 + int((fraction or "0").ljust(9, "0")[:9])


def _zone(text: str | None) -> timezone:
    if not text or text[0] not in "+-":
        return UTC
    sign = -1 if text[0] == "-" else 1
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return timezone(sign * timedelta(minutes=minutes))


def _from_number(text: str) -> int | None:
    if not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    unit = next((unit for below, unit in _UNITS if number < below), 1)
    return int(number * unit) if number else None
