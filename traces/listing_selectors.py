"""The trace list: filtered, sorted, counted, at a cost that doesn't grow.

Nothing here reads more than ``SCAN`` traces a request. A filter that no index
serves is answered from the next ``SCAN`` traces in the order of the list, and
the answer says how far it has looked; the reader can look further.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Any

from django.db.models import Q, QuerySet, TextField
from django.db.models.functions import Cast

from traces.domain.query import Query, Term
from traces.models import Project, Trace
from traces.query_filters import INDEXED, Reader, condition, served_by

PAGE = 50
SCAN = 10_000
FEW = 1_000
COUNTED = 1_000
"""Up to here matches are counted and facets are exact."""


@dataclass(frozen=True, slots=True)
class Sort:
    """An order of the list; every order has an index.

    Attributes:
        column: Column sorted by; rows without a value are left out.
        label: What people read.
        descending: Largest first.
        nullable: Whether rows can lack a value.
    """

    column: str
    label: str
    descending: bool = True
    nullable: bool = True

    @property
    def order(self) -> tuple[str, str]:
        """Arguments for ``order_by``."""
        sign = "-" if self.descending else ""
        return f"{sign}{self.column}", f"{sign}id"

    def beyond(self, place: Place, *, inclusive: bool = False) -> Q:
        """Rows that come after a place, or at it."""
        ahead = "lt" if self.descending else "gt"
        first = Q(**{f"{self.column}__{ahead}e": place.value})
        tie = Q(**{f"id__{ahead}{'e' if inclusive else ''}": place.pk})
        return first & (Q(**{f"{self.column}__{ahead}": place.value}) | tie)

    def before(self, place: Place) -> Q:
        """Rows that come before a place."""
        return replace(self, descending=not self.descending).beyond(place)

    def until(self, place: Place) -> Q:
        """Rows that come before a place, and the row at it."""
        opposite = replace(self, descending=not self.descending)
        return opposite.beyond(place, inclusive=True)


SORTS: Mapping[str, Sort] = MappingProxyType(
    {
        "newest": Sort("received_at", "Newest received", nullable=False),
        "started": Sort("started_at", "Latest started"),
        "worst": Sort("score", "Lowest score", descending=False),
        "failed": Sort("failed_count", "Most failed steps"),
        "longest": Sort("duration_ms", "Longest"),
        "dearest": Sort("cost_usd", "Highest cost"),
    }
)
DEFAULT_SORT = "newest"


@dataclass(frozen=True, slots=True)
class Place:
    """A row's place in a sort order."""

    value: Any
    pk: int

    def code(self) -> str:
        """The place as one word for a URL."""
        value = self.value
        text = value.isoformat() if isinstance(value, datetime) else value
        raw = json.dumps([text, self.pk]).encode()
        return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def read_place(code: str, sort: Sort) -> Place | None:
    """The place that a word from a URL stands for; None for anything else."""
    try:
        raw = base64.urlsafe_b64decode(code[:200] + "==")
        value, pk = json.loads(raw)
        value = datetime.fromisoformat(value) if isinstance(value, str) else value
    except (ValueError, TypeError, RecursionError):
        return None
    kind = datetime if sort.column.endswith("_at") else (int, float)
    if not isinstance(value, kind) or not isinstance(pk, int) or abs(pk) >= _INT64:
        return None
    if isinstance(value, datetime):
        return Place(value, pk) if value.tzinfo else None
    return Place(value, pk) if abs(value) < _INT64 else None


_INT64 = 2**63

LISTED = (
    *("id", "trace_id", "source", "name", "preview", "workflow", "agent", "model"),
    *("session", "user_name", "environment", "version", "outcome", "tags", "tools"),
    *("received_at", "started_at", "duration_ms", "finished", "digest_state"),
    *("step_count", "error_count", "repair_count", "structure", "conformance"),
    *("input_tokens", "output_tokens", "cost_usd"),
    *("score", "failed_count", "scored_count", "unscored_count", "root_count"),
    *("root_category", "root_step", "judge_calls"),
)
"""Columns a row of the list shows; never a payload, never the search text."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of traces.

    Attributes:
        rows: At most ``PAGE`` traces with the columns in ``LISTED``.
        following: Word for the next page, "" at the end.
        looked_until: Where looking stopped before the page was full, None if
            everything there is was looked at or the page is full.
    """

    rows: tuple[Trace, ...]
    following: str = ""
    looked_until: Place | None = None


def list_traces(
    project: Project, query: Query, sort: Sort, place: Place | None, reader: Reader
) -> Listing:
    """The traces of a project that match, from a place on."""
    found, edge = _matching(project, query, sort, place, reader)
    return _page(found.only(*LISTED), sort, edge)


def list_for_review(project: Project, place: Place | None) -> Listing:
    """Traces without a graph or without an analysis, newest first."""
    sort = SORTS["newest"]
    rows, edge = _within_scan(_from(project, sort, place), sort)
    stuck = Q(structure="flat") | Q(digest_state=Trace.DigestState.FAILED)
    return _page(rows.filter(stuck).only(*LISTED, "digest_error"), sort, edge)


def _page(found: QuerySet[Trace], sort: Sort, edge: Place | None) -> Listing:
    page = tuple(found.order_by(*sort.order)[: PAGE + 1])
    if len(page) > PAGE:
        last = page[PAGE - 1]
        return Listing(page[:PAGE], Place(getattr(last, sort.column), last.pk).code())
    return Listing(page, edge.code() if edge else "", edge)


def _matching(
    project: Project, query: Query, sort: Sort, place: Place | None, reader: Reader
) -> tuple[QuerySet[Trace], Place | None]:
    """Matches within reach, and where the reach ends."""
    rows, rest = _served(_from(project, sort, place), query, sort, reader)
    if not rest:
        return rows, None
    if (few := _few(project, rest, reader)) is not None:
        return _all_of(rows.filter(pk__in=few), rest, reader), None
    rows, edge = _within_scan(rows, sort)
    return _all_of(rows, rest, reader), edge


def _from(project: Project, sort: Sort, place: Place | None) -> QuerySet[Trace]:
    """Rows that have a value to sort by, from a place on."""
    rows = Trace.objects.filter(project=project)
    if sort.nullable:
        rows = rows.filter(**{f"{sort.column}__isnull": False})
    return rows.filter(sort.beyond(place)) if place else rows


def _within_scan(
    rows: QuerySet[Trace], sort: Sort
) -> tuple[QuerySet[Trace], Place | None]:
    """The next ``SCAN`` rows and the last of them; None if these are all."""
    ends = rows.order_by(*sort.order).values_list(sort.column, "id")
    edge = next((Place(*row) for row in ends[SCAN - 1 : SCAN]), None)
    return (rows.filter(sort.until(edge)) if edge else rows), edge


def _served(
    rows: QuerySet[Trace], query: Query, sort: Sort, reader: Reader
) -> tuple[QuerySet[Trace], tuple[Term, ...]]:
    """Apply the terms that the sort's own index answers; the rest is left."""
    rest = []
    for term in query.terms:
        served = served_by(sort.column, term, reader)
        rows = rows.filter(served) if served is not None else rows
        rest += [] if served is not None else [term]
    return rows, tuple(rest)


def _few(project: Project, terms: tuple[Term, ...], reader: Reader) -> list[int] | None:
    """Ids from an index that narrows the search by itself, None without one."""
    for term in terms:
        if term.field in INDEXED and not term.negated:
            rows = Trace.objects.filter(condition(term, reader), project=project)
            ids = list(rows.order_by("-id").values_list("id", flat=True)[: FEW + 1])
            if len(ids) <= FEW:
                return ids
    return None


def _all_of(
    rows: QuerySet[Trace], terms: tuple[Term, ...], reader: Reader
) -> QuerySet[Trace]:
    for term in terms:
        rows = rows.filter(condition(term, reader))
    return rows


FACETS: Mapping[str, str] = MappingProxyType(
    {
        "root": "root_category",
        "workflow": "workflow",
        "agent": "agent",
        "model": "model",
        "structure": "structure",
        "conformance": "conformance",
        "outcome": "outcome",
    }
)
"""Column by the name of its field."""
LISTS = (("tag", "tags"), ("tool", "tools"))
FACET_VALUES = 30


@dataclass(frozen=True, slots=True)
class Matches:
    """What the matching traces are like, counted over the first ``COUNTED``.

    Attributes:
        count: How many were counted.
        more: Whether there are more than that.
        failing: How many of those counted have a failed step.
        judged: How many of those counted have been judged.
        facets: Values with counts by field name, most frequent first.
    """

    count: int
    more: bool
    failing: int
    judged: int
    facets: Mapping[str, tuple[tuple[str, int], ...]]


def count_matches(
    project: Project, query: Query, sort: Sort, reader: Reader
) -> Matches:
    """Count the first matches and the values that they have."""
    found, edge = _matching(project, query, sort, None, reader)
    # Lists come as their JSON text: few are distinct, so few must be read.
    lists = {f"{name}_text": Cast(column, TextField()) for name, column in LISTS}
    columns = ("failed_count", *FACETS.values(), *lists)
    asked = found.annotate(**lists).order_by(*sort.order).values_list(*columns)
    rows = list(asked[: COUNTED + 1])
    more, rows = len(rows) > COUNTED or edge is not None, rows[:COUNTED]
    failed, *values = map(Counter, zip(*rows, strict=True)) if rows else [Counter()]
    return Matches(
        count=len(rows),
        more=more,
        failing=len(rows) - failed[0] - failed[None],
        judged=len(rows) - failed[None],
        facets=_facets(values),
    )


def _facets(
    values: Sequence[Counter[str]],
) -> dict[str, tuple[tuple[str, int], ...]]:
    names = (*FACETS, *(name for name, _column in LISTS))
    facets: dict[str, tuple[tuple[str, int], ...]] = dict.fromkeys(names, ())
    for name, counts in zip(names, values, strict=False):
        facets[name] = _ranked(counts if name in FACETS else _members(counts))
    return facets


def _members(texts: Counter[str]) -> Counter[str]:
    """Members of lists that are counted by their JSON text."""
    counts: Counter[str] = Counter()
    for text, count in texts.items():
        for member in json.loads(text):
            counts[str(member)] += count
    return counts


def _ranked(counts: Counter[str]) -> tuple[tuple[str, int], ...]:
    named = [(value, count) for value, count in counts.items() if value]
    named.sort(key=lambda item: (-item[1], item[0]))
    return tuple(named[:FACET_VALUES])


def count_newer(project: Project, query: Query, place: Place, reader: Reader) -> int:
    """How many matching traces came in since; counts to ``PAGE`` at most."""
    rows = Trace.objects.filter(SORTS["newest"].before(place), project=project)
    return _all_of(rows, query.terms, reader).values("id")[:PAGE].count()


def newest_place(project: Project) -> Place | None:
    """Place of the newest trace of a project, None while it has none."""
    newest = Trace.objects.filter(project=project).order_by(*SORTS["newest"].order)
    row = newest.values_list("received_at", "id").first()
    return Place(*row) if row else None


_ID = re.compile(r"[0-9]{1,18}\Z")


def selected_traces(project: Project, picked: Iterable[str]) -> QuerySet[Trace]:
    """The picked traces, as far as they belong to the project."""
    ids = [int(pk) for pk in picked if _ID.match(pk)][:PAGE]
    rows = Trace.objects.filter(project=project, pk__in=ids).only(*LISTED, "span_count")
    return rows.order_by("-received_at", "-id")
