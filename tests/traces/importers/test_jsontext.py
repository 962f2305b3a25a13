import json
from contextlib import suppress

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from traces.domain.cutting import cut_to
from traces.domain.storable import depth
from traces.importers.base import Limits, Unreadable
from traces.importers.jsontext import (
    Start,
    parse,
    parse_prefix,
    value_or_text,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
)


def codes(data, **limits):
    return [note.code for note in parse(data, limits=Limits(**limits)).notes]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_numbers_that_json_lacks_are_kept_as_text(number):
    parsed = parse(f'{{"score": {number}}}'.encode())
    assert parsed.value == {"score": number}
    assert parsed.notes[0].code == "number_as_text"


def test_whole_numbers_keep_their_digits():
    value = parse(b"[18446744073709551615, 18446744073709551616, 1.0]").value
    assert value == [18446744073709551615, "18446744073709551616", 1.0]


def test_nul_and_half_pairs_become_replacement_characters():
    parsed = parse(rb'{"a": "x\u0000y", "b": "\ud83d", "c": "\ud83d\ude00"}')
    assert parsed.value == {"a": "x\ufffdy", "b": "\ufffd", "c": "\U0001f600"}
    assert "2 character(s)" in parsed.notes[0].reason


def test_bytes_that_are_not_utf8_are_replaced_and_counted():
    parsed = parse(b'["caf\xe9", "\xef\xbf\xbd"]')
    assert parsed.value == ["caf\ufffd", "\ufffd"]
    assert "1 character(s)" in parsed.notes[0].reason


def test_a_line_break_within_a_text_stays():
    assert parse(b'["a\nb"]').value == ["a\nb"]


def test_deep_nesting_is_kept_as_text():
    parsed = parse(b'{"a": ' + b"[" * 20_000 + b"]" * 20_000 + b', "b": 1}')
    assert depth(parsed.value) == 100
    assert parsed.value["b"] == 1
    assert codes(b'{"a": {"b": [1, "]"]}}', max_depth=2) == ["nested_too_deep"]
    shallow = parse(b'{"a": {"b": [1, "]"]}}', limits=Limits(max_depth=2)).value
    assert shallow == {"a": {"b": '[1, "]"]'}}


def test_a_long_text_is_cut_and_says_so():
    parsed = parse(b'{"a": "' + b"x" * 300 + b'"}', limits=Limits(max_text=100))
    text = parsed.value["a"]
    assert len(text) <= 100
    assert text.endswith(f"x…[cut: {text.count('x')} of 300 characters kept]")
    assert [note.code for note in parsed.notes] == ["text_cut"]


def test_what_was_cut_once_is_not_cut_again():
    once = cut_to("x" * 1000, 100)
    assert parse(json.dumps(once).encode(), limits=Limits(max_text=100)).value == once


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1,\n "b" 2}', "line 2, column 6, byte 14"),
        ('{"a": [1, 2', "line 1, column 12, byte 11"),
        ("", "line 1, column 1, byte 0"),
        ("[1] x", "line 1, column 5, byte 4"),
        ('{"é": tru}', "line 1, column 8, byte 7"),
        ('["\\q"]', "line 1, column 3, byte 2"),
    ],
)
def test_errors_say_where(text, place):
    with pytest.raises(Unreadable) as error:
        parse(text.encode())
    assert error.value.place == place


def test_places_count_from_where_the_text_begins():
    with pytest.raises(Unreadable) as error:
        parse(b"[\n}", start=Start(byte=100, line=7, column=3))
    assert error.value.place == "line 8, column 1, byte 102"


def test_the_beginning_of_cut_off_text_can_be_used():
    assert parse_prefix(b'{"a": [1, {"b": "c", "d') == {"a": [1, {"b": "c"}]}
    assert parse_prefix(b"hello") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [('{"a": 1}', {"a": 1}), ("{a: 1}", "{a: 1}"), ("ls -l", "ls -l")],
)
def test_text_that_is_no_json_stays_text(text, value):
    assert value_or_text(text) == value


@settings(deadline=None)
@given(VALUES)
def test_both_ways_of_reading_agree(value):
    text = orjson.dumps(value)
    assert parse(text).value == value
    # A number with many digits sends all of the text down the slow path.
    slow = parse(b"[" + b"1" * 30 + b", " + text + b"]")
    assert slow.value == ["1" * 30, value]


@given(st.binary(max_size=60))
def test_any_bytes_read_or_are_unreadable(data):
    with suppress(Unreadable):
        orjson.dumps(parse(data).value)
