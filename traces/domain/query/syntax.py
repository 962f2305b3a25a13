"""Typed text to terms, and back."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field

from traces.domain.query.fields import FIELDS, Field, Kind
from traces.domain.query.fields import field as find_field
from traces.domain.query.terms import (
    ORDERED,
    Op,
    Term,
    Value,
    ValueReadError,
    read_value,
    render_term,
)

MAX_LENGTH = 2_000
MAX_TERMS = 30


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of the query that was left out.

    Attributes:
        start: Offset of the part in the typed text.
        text: The part itself.
        reason: Why, in one sentence.
    """

    start: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Query:
    """What was asked: all terms must hold."""

    terms: tuple[Term, ...] = ()
    problems: tuple[Problem, ...] = ()

    def without(self, term: Term) -> Query:
        """The same query less one term."""
        return Query(tuple(kept for kept in self.terms if kept != term))

    def having(self, term: Term) -> Query:
        """The same query with one term more, at the end, once."""
        return Query((*self.without(term).terms, term))

    def only(self, name: str) -> tuple[Term, ...]:
        """Terms of one field, in order."""
        return tuple(term for term in self.terms if term.field == name)


@dataclass(slots=True)
class _Reader:
    """A place in the text; every move goes forward, so reading is linear."""

    text: str
    at: int = 0
    terms: list[Term] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def done(self) -> bool:
        self.take(_SPACE)
        return self.at >= len(self.text)

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return found

    def take(self, pattern: re.Pattern[str]) -> str:
        found = self.match(pattern)
        return found[0] if found else ""


_SPACE = re.compile(r"\s*")
_MINUS = re.compile(r"-(?=\S)")
_KEY = re.compile(r"[A-Za-z_]{1,30}(?=[:<>])")
_OP = re.compile(r"<=|>=|<|>|=")
_COLON = re.compile(r":")
_COMMA = re.compile(r",")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)(?:"|\\?\Z)', re.DOTALL)
_ITEM = re.compile(r'[^\s,"]+')
_WORD = re.compile(r'[^\s"]+')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def parse(text: str) -> Query:
    """Read a query; what can't be read is in ``problems``.

    >>> parse('score:<3 tag:a,b').terms[1].values
    ('a', 'b')
    """
    # No stored text has a NUL, and no database can be asked for one.
    reader = _Reader(text[:MAX_LENGTH].replace("\0", " "))
    while not reader.done():
        start = reader.at
        if len(reader.terms) >= MAX_TERMS:
            _refuse(reader, start, len(text), f"only {MAX_TERMS} terms are read")
            break
        _read_term(reader, start)
    if len(text) > MAX_LENGTH:
        reason = f"only the first {MAX_LENGTH} characters are read"
        reader.problems.append(Problem(MAX_LENGTH, text[MAX_LENGTH:][:50], reason))
    unique = tuple(dict.fromkeys(reader.terms))
    return Query(unique, tuple(reader.problems))


def render(query: Query) -> str:
    """The query as one would type it; parsing it gives the same terms."""
    return " ".join(render_term(term, kind_of(term)) for term in query.terms)


def kind_of(term: Term) -> Kind:
    """Kind of the term's field; TEXT for words."""
    found = find_field(term.field)
    return found.kind if found else Kind.TEXT


def _read_term(reader: _Reader, start: int) -> None:
    negated = bool(reader.take(_MINUS))
    before_key = reader.at
    name = reader.take(_KEY)
    known = find_field(name) if name else None
    if known:
        _read_condition(reader, start, known, negated=negated)
    elif guess := _close_name(name):
        _items(reader)
        reason = f"there is no filter “{name}”; did you mean “{guess}”?"
        _refuse(reader, start, reader.at, reason)
    else:
        reader.at = before_key
        _read_words(reader, negated=negated)


def _close_name(name: str) -> str:
    names = [known.name for known in FIELDS]
    close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.75)
    return close[0] if close else ""


def _read_words(reader: _Reader, *, negated: bool) -> None:
    words = _quoted(reader) or reader.take(_WORD)
    if words.strip():
        reader.terms.append(Term("", (words,), negated=negated))


def _read_condition(
    reader: _Reader, start: int, known: Field, *, negated: bool
) -> None:
    reader.take(_COLON)
    op = Op(reader.take(_OP).lstrip("=") or "")
    try:
        values = _values(known, op, _items(reader))
    except ValueReadError as problem:
        _refuse(reader, start, reader.at, str(problem))
    else:
        reader.terms.append(Term(known.name, values, op, negated))


def _values(known: Field, op: Op, items: list[str]) -> tuple[Value, ...]:
    values = tuple(dict.fromkeys(read_value(known, item) for item in items))
    if op is Op.IS:
        return values
    if known.kind not in ORDERED or isinstance(values[0], bool):
        raise ValueReadError(f"{known.name} can't be compared with {op}")
    if len(values) > 1:
        raise ValueReadError(f"{known.name} {op} takes one value")
    return values


def _items(reader: _Reader) -> list[str]:
    """Values separated by commas; a single "" where there is none."""
    items = [_item(reader)]
    while reader.take(_COMMA):
        items.append(_item(reader))
    return [item for item in items if item] or [""]


def _item(reader: _Reader) -> str:
    return _quoted(reader) or reader.take(_ITEM)


def _quoted(reader: _Reader) -> str:
    found = reader.match(_QUOTED)
    return _ESCAPE.sub(r"\1", found[1]) if found else ""


def _refuse(reader: _Reader, start: int, end: int, reason: str) -> None:
    reader.problems.append(Problem(start, reader.text[start:end], reason))
