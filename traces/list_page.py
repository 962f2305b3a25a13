"""The trace list's address: what it says, and the addresses one step away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from types import MappingProxyType
from urllib.parse import urlencode

from traces.domain.query import FIELDS, Query, Term, parse, render, render_term
from traces.listing_selectors import DEFAULT_SORT, SORTS, Matches, Sort


@dataclass(frozen=True, slots=True)
class Column:
    """A column one can choose.

    Attributes:
        label: Heading.
        shown: Whether it is there without choosing.
        sort: Name of the sort order its heading links to, "" for none.
        number: Whether it is set flush right.
    """

    label: str
    shown: bool = False
    sort: str = ""
    number: bool = False


COLUMNS: Mapping[str, Column] = MappingProxyType(
    {
        "root": Column("Root cause", shown=True),
        "failed": Column("Failed steps", shown=True, sort="failed", number=True),
        "structure": Column("Structure", shown=True),
        "conformance": Column("Conformance"),
        "workflow": Column("Workflow", shown=True),
        "agent": Column("Agent"),
        "model": Column("Model"),
        "tools": Column("Tools"),
        "tags": Column("Tags"),
        "session": Column("Session"),
        "user": Column("User"),
        "environment": Column("Environment"),
        "version": Column("Version"),
        "source": Column("Source"),
        "outcome": Column("Sender's outcome"),
        "tokens": Column("Tokens", number=True),
        "cost": Column("Cost", sort="dearest", number=True),
        "duration": Column("Duration", shown=True, sort="longest", number=True),
        "received": Column("Received", sort="newest", number=True),
        "started": Column("Started", shown=True, sort="started", number=True),
    }
)
"""In the order of the table; score and name are always there."""

SHOWN = tuple(name for name, column in COLUMNS.items() if column.shown)


@dataclass(frozen=True, slots=True)
class State:
    """What the address says.

    Attributes:
        query: The filters.
        sort: Name of a sort order, "" for the one that suits the filters.
        columns: Names of columns, in the order of the table.
        place: Word for the place in the list, "" for its top.
    """

    query: Query = dataclass_field(default_factory=Query)
    sort: str = ""
    columns: tuple[str, ...] = SHOWN
    place: str = ""

    @property
    def show(self) -> dict[str, bool]:
        """Whether each column is shown, by name."""
        return {name: name in self.columns for name in COLUMNS}

    @property
    def order(self) -> Sort:
        """The sort order in force."""
        return SORTS[self.sort_name]

    @property
    def sort_name(self) -> str:
        """Chosen, else by start where a time is asked for: an index has it."""
        timed = any(term.field in {"after", "before"} for term in self.query.terms)
        return self.sort or ("started" if timed else DEFAULT_SORT)

    @property
    def url(self) -> str:
        """The address, with what goes without saying left out."""
        place = {"from": self.place} if self.place else {}
        given = self._choices() | place
        return "?" + urlencode(given) if given else "."

    @property
    def view(self) -> str:
        """The query string that brings this list back, whatever is chosen later."""
        return urlencode(self._choices() | {"columns": ",".join(self.columns) or "-"})

    @property
    def columns_text(self) -> str:
        """The columns as the address has them, "" for those shown unasked."""
        return "" if self.columns == SHOWN else ",".join(self.columns) or "-"

    def _choices(self) -> dict[str, str]:
        parts = {
            "q": render(self.query),
            "sort": self.sort,
            "columns": self.columns_text,
        }
        return {name: value for name, value in parts.items() if value}

    def asking(self, query: Query) -> str:
        """Address of another query, at the top of its list."""
        return replace(self, query=query, place="").url

    def sorted_by(self, name: str) -> str:
        """Address of another order, at the top of its list."""
        return replace(self, sort=name, place="").url

    def at(self, place: str) -> str:
        """Address of another place in the list."""
        return replace(self, place=place).url


def read_state(
    params: Mapping[str, str], columns: Iterable[str] | None = None
) -> State:
    """Read an address; what makes no sense is as if it weren't there.

    Args:
        params: ``q``, ``sort``, ``columns`` (names joined by commas) and
            ``from``, all optional.
        columns: Chosen columns where the address comes from the chooser.
    """
    given = params.get("columns", "")
    chosen = tuple(given.split(",")) if columns is None else tuple(columns)
    known = tuple(name for name in COLUMNS if name in chosen)
    sort = params.get("sort", "")
    return State(
        query=parse(params.get("q", "")),
        sort=sort if sort in SORTS else "",
        columns=SHOWN if columns is None and not given else known,
        place=params.get("from", "")[:200],
    )


@dataclass(frozen=True, slots=True)
class Heading:
    """Heading of a shown column; ``url`` sorts by it, "" where nothing does."""

    label: str
    sort: str
    number: bool
    url: str


def headings(state: State) -> list[Heading]:
    """Headings of the chosen columns, in the order of the table."""
    shown = [COLUMNS[name] for name in state.columns]
    return [
        Heading(c.label, c.sort, c.number, state.sorted_by(c.sort) if c.sort else "")
        for c in shown
    ]


@dataclass(frozen=True, slots=True)
class Order:
    """A sort order on offer."""

    label: str
    url: str
    on: bool


def orders(state: State) -> list[Order]:
    """Every sort order, the one in force marked."""
    return [
        Order(sort.label, state.sorted_by(name), name == state.sort_name)
        for name, sort in SORTS.items()
    ]


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter in force, and the address without it."""

    term: Term
    text: str
    without: str


def chips(state: State) -> list[Chip]:
    """The filters in force, in the order typed."""
    return [
        Chip(term, render_term(term), state.asking(state.query.without(term)))
        for term in state.query.terms
    ]


@dataclass(frozen=True, slots=True)
class Choice:
    """A value to filter by: how many traces have it, and the address with it."""

    value: str
    count: int
    url: str
    on: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """A field with the values that the matching traces have."""

    name: str
    label: str
    choices: list[Choice]


MENUS: Mapping[str, str] = MappingProxyType(
    {
        "root": "Root cause",
        "workflow": "Workflow",
        "agent": "Agent",
        "structure": "Structure",
        "conformance": "Conformance",
        "tool": "Tool",
        "tag": "Tag",
        "model": "Model",
        "outcome": "Outcome",
    }
)


def facets(state: State, matches: Matches) -> list[Facet]:
    """Menus of values; a field without any has no menu."""
    menus = []
    for name, label in MENUS.items():
        choices = [_choice(state, name, *value) for value in matches.facets[name]]
        if choices:
            menus.append(Facet(name, label, choices))
    return menus


def _choice(state: State, name: str, value: str, count: int) -> Choice:
    term = Term(name, (value,))
    on = term in state.query.terms
    query = state.query.without(term) if on else state.query.having(term)
    return Choice(value, count, state.asking(query), on)


def completions(matches: Matches) -> list[dict[str, object]]:
    """What the search box offers: every field, with values where known."""
    return [
        {
            "name": known.name,
            "help": known.help,
            "values": [value for value, _count in matches.facets.get(known.name, ())]
            or list(known.values),
        }
        for known in FIELDS
    ]
