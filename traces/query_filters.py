"""Terms of a typed query as conditions on traces."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from types import MappingProxyType
from typing import Any, cast

from django.db.models import BooleanField, F, Func, Q

from traces.domain.query import DaysAgo, Kind, Term, Value, field


@dataclass(frozen=True, slots=True)
class Reader:
    """Who asks: what "today" means depends on it.

    Attributes:
        now: Aware moment of the request.
        zone: The reader's time zone.
    """

    now: datetime
    zone: tzinfo


class Holds(Func):
    """Whether a JSON list contains a text."""

    output_field = BooleanField()

    def __init__(self, column: str, text: str) -> None:
        """Look for a text in a column that holds a list."""
        self.text = text
        super().__init__(F(column))

    def as_sqlite(
        self, compiler: Any, connection: Any, **extra_context: Any
    ) -> tuple[str, tuple[Any, ...]]:
        """SQL for SQLite: a look at each element."""
        column, params = compiler.compile(self.source_expressions[0])
        found = f"EXISTS(SELECT 1 FROM json_each({column}) WHERE value = %s)"  # noqa: S608  # the column is compiled, the text is a parameter
        return found, (*params, self.text)

    def as_postgresql(
        self, compiler: Any, connection: Any, **extra_context: Any
    ) -> tuple[str, tuple[Any, ...]]:
        """SQL for PostgreSQL: containment of JSON."""
        column, params = compiler.compile(self.source_expressions[0])
        return f"{column} @> %s::jsonb", (*params, json.dumps([self.text]))


def condition(term: Term, reader: Reader) -> Q:
    """The condition a term stands for; its field must be known."""
    found = Q()
    for value in term.values:
        found |= _one(term, value, reader)
    return ~found if term.negated else found


def _one(term: Term, value: Value, reader: Reader) -> Q:
    if not term.field:
        return _words(str(value))
    if special := _SPECIAL.get(term.field):
        return special(value, reader)
    column = _COLUMNS[term.field]
    known = field(term.field)
    if known is None:
        raise LookupError(term.field)
    if known.kind is Kind.LIST:
        return Q(Holds(column, str(value)))
    if known.kind is Kind.COUNT and isinstance(value, bool):
        return Q(**{f"{column}__gt": 0}) if value else Q(**{column: 0})
    if isinstance(value, str):
        return _text(column, value)
    return Q(**{f"{column}{_LOOKUPS[term.op]}": value})


_LOOKUPS = {"": "", "<": "__lt", "<=": "__lte", ">": "__gt", ">=": "__gte"}

_COLUMNS: Mapping[str, str] = MappingProxyType(
    {
        "failed": "failed_count",
        "root": "root_category",
        "category": "categories",
        "score": "score",
        "structure": "structure",
        "conformance": "conformance",
        "outcome": "outcome",
        "workflow": "workflow",
        "agent": "agent",
        "model": "model",
        "tool": "tools",
        "tag": "tags",
        "session": "session",
        "user": "user_name",
        "environment": "environment",
        "version": "version",
        "source": "source",
        "id": "trace_id",
        "duration": "duration_ms",
        "cost": "cost_usd",
        "steps": "step_count",
        "errors": "error_count",
        "repairs": "repair_count",
    }
)

INDEXED = frozenset({"root", "workflow", "session"})
"""Fields whose equal values lie together in an index."""


def served_by(column: str, term: Term, reader: Reader) -> Q | None:
    """The term as a range of a sorted column, None if it isn't one."""
    if term.negated or len(term.values) > 1 or isinstance(term.values[0], bool):
        return None
    if column == "started_at" and term.field in {"after", "before"}:
        lookup = "gte" if term.field == "after" else "lt"
        return Q(**{f"started_at__{lookup}": resolve(term.values[0], reader)})
    return condition(term, reader) if _COLUMNS.get(term.field) == column else None


def _text(column: str, value: str) -> Q:
    if value.endswith("*"):
        return Q(**{f"{column}__startswith": value[:-1]})
    return Q(**{column: value})


_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


def _words(words: str) -> Q:
    """Words anywhere in the trace, however the sender escaped them."""
    plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), words)
    plain = plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return Q(search__contains=plain.replace("\0", "").casefold())


def _state(value: Value, _reader: Reader) -> Q:
    return Q(finished=False) if value == "unfinished" else Q(digest_state=value)


def _after(value: Value, reader: Reader) -> Q:
    moment = resolve(value, reader)
    received = Q(started_at__isnull=True, received_at__gte=moment)
    return Q(started_at__gte=moment) | received


def _before(value: Value, reader: Reader) -> Q:
    moment = resolve(value, reader)
    received = Q(started_at__isnull=True, received_at__lt=moment)
    return Q(started_at__lt=moment) | received


_SPECIAL: Mapping[str, Callable[[Value, Reader], Q]] = MappingProxyType(
    {
        "state": _state,
        "after": _after,
        "before": _before,
    }
)


def resolve(value: Value, reader: Reader) -> datetime:
    """The moment a time value means for this reader; years are kept sane."""
    try:
        return _moment(value, reader)
    except (OverflowError, ValueError):
        return datetime(1, 1, 2, tzinfo=reader.now.tzinfo)


def _moment(value: Value, reader: Reader) -> datetime:
    match value:
        case DaysAgo():
            today = reader.now.astimezone(reader.zone).date()
            return _midnight(today - timedelta(days=value.days), reader.zone)
        case timedelta():
            return reader.now - value
        case datetime():
            return value.astimezone(reader.now.tzinfo)
        case _:
            return _midnight(cast("date", value), reader.zone)


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time.min, zone)
