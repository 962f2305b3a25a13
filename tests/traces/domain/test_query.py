from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.domain.query import (
    FIELDS,
    MAX_LENGTH,
    MAX_TERMS,
    DaysAgo,
    Kind,
    Op,
    Query,
    Term,
    parse,
    render,
)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("failed:yes", Term("failed", (True,))),
        ("failed:>3", Term("failed", (3.0,), Op.GT)),
        ("score:<3", Term("score", (3.0,), Op.LT)),
        ("score<=2.5", Term("score", (2.5,), Op.LE)),
        ("score:=2", Term("score", (2.0,))),
        ("cost>$0.25", Term("cost", (0.25,), Op.GT)),
        ("duration:>1.5m", Term("duration", (90_000.0,), Op.GT)),
        ("duration>30", Term("duration", (30_000.0,), Op.GT)),
        ("structure:flat,repaired", Term("structure", ("flat", "repaired"))),
        ("-tag:prod", Term("tag", ("prod",), negated=True)),
        ('tag:"two words",x', Term("tag", ("two words", "x"))),
        ("AGENT:Bo", Term("agent", ("Bo",))),
        ("after:today", Term("after", (DaysAgo(0),))),
        ("before:7d", Term("before", (timedelta(days=7),))),
        ("after:2026-01-31", Term("after", (date(2026, 1, 31),))),
        ("refund", Term("", ("refund",))),
        ('"order 12"', Term("", ("order 12",))),
        ("-返金", Term("", ("返金",), negated=True)),
        ("http://a.example/b", Term("", ("http://a.example/b",))),
        (r'"say \"hi\""', Term("", ('say "hi"',))),
        ('"never closed', Term("", ("never closed",))),
    ],
)
def test_reads_one_term(text, term):
    assert parse(text) == Query((term,))


def test_time_without_zone_is_utc():
    moment = datetime(2026, 1, 31, 9, 30, tzinfo=UTC)
    assert parse("after:2026-01-31T09:30").terms[0].values == (moment,)
    assert parse("after:2026-01-31T18:30+09:00").terms[0].values[0] == moment


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("score:abc", "score needs a number, not “abc”"),
        ("score:", "score needs a value"),
        ("tag:,", "tag needs a value"),
        ("tag:<b", "tag can't be compared with <"),
        ("failed:<yes", "failed can't be compared with <"),
        ("score:<1,2", "score < takes one value"),
        ("scor:3", "there is no filter “scor”; did you mean “score”?"),
        (
            "structure:round",
            "structure is one of declared, inferred, repaired, flat, not “round”",
        ),
    ],
)
def test_names_what_it_left_out(text, reason):
    query = parse(f"before {text}")
    assert query.terms == (Term("", ("before",)),)
    assert [(p.start, p.text, p.reason) for p in query.problems] == [(7, text, reason)]


def test_same_term_counts_once():
    assert len(parse("a a tag:x tag:x").terms) == 2


def test_removes_and_adds_a_term():
    query = parse("failed:yes refund")
    assert render(query.without(query.terms[0])) == "refund"
    assert render(query.having(query.terms[0])) == "refund failed:yes"


def test_long_queries_are_cut_and_say_so():
    many = parse(" ".join(f"w{n}" for n in range(100)))
    assert len(many.terms) == MAX_TERMS
    assert many.problems[0].reason == "only 30 terms are read"
    assert "2000 characters" in parse("a" * (MAX_LENGTH + 1)).problems[-1].reason


WORDS = st.text('aZ0 ,:"\\<>=-*é返\n\u2028', min_size=1, max_size=9).filter(str.strip)
MOMENTS = st.one_of(
    st.sampled_from([DaysAgo(0), DaysAgo(1)]),
    st.integers(0, 9_999).map(lambda n: timedelta(minutes=n)),
    st.dates(),
    st.datetimes(timezones=st.just(UTC)),
)
NUMBERS = st.integers(0, 10**9).map(lambda n: n / 1_000)
VALUES = {
    Kind.TEXT: WORDS,
    Kind.LIST: WORDS,
    Kind.COUNT: st.one_of(st.booleans(), NUMBERS),
    Kind.NUMBER: NUMBERS,
    Kind.DURATION: NUMBERS,
    Kind.TIME: MOMENTS,
}


@st.composite
def terms(draw):
    if draw(st.booleans()):
        return Term("", (draw(WORDS),), negated=draw(st.booleans()))
    known = draw(st.sampled_from(FIELDS))
    closed = known.kind is Kind.CHOICE
    values = st.sampled_from(known.values) if closed else VALUES[known.kind]
    found = draw(
        st.lists(values, min_size=1, max_size=3, unique_by=lambda v: (type(v), v))
    )
    return Term(known.name, tuple(found), negated=draw(st.booleans()))


@given(st.lists(terms(), max_size=5))
def test_what_is_rendered_reads_the_same(asked):
    unique = tuple(dict.fromkeys(asked))
    read = parse(render(Query(unique)))
    assert read == Query(unique)


@given(st.text(alphabet=st.sampled_from('ab:<>=",-\\ \n返score'), max_size=60))
def test_any_text_is_read_and_rereads(text):
    query = parse(text)
    assert parse(render(query)).terms == query.terms
