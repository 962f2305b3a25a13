"""The text form of contents and where their scalars stand."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from judging.domain.checks.knowledge import one_slip, words_of
from judging.domain.checks.schema import problems
from judging.domain.checks.text import lower
from judging.domain.text import MAX_DEPTH, form_of, text_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(VALUES)
def test_values_are_written_as_json_writes_them(value):
    if value is not None and not isinstance(value, str):
        assert text_of(value) == json.dumps(value, ensure_ascii=False, indent=2)


@given(VALUES)
def test_texts_stand_where_the_leaves_say(value):
    form = form_of(value)
    for leaf in form.leaves:
        if isinstance(leaf.value, str) and not form.plain:
            quoted = json.dumps(leaf.value, ensure_ascii=False)
            assert form.text[leaf.start - 1 : leaf.end + 1] == quoted


@given(st.text())
def test_lower_case_has_the_same_length(text):
    assert len(lower(form_of(text))) == len(text)
    assert len(lower(form_of([text]))) == len(text_of([text]))


def test_a_text_is_its_own_form():
    assert text_of("a\n'b'") == "a\n'b'"
    assert text_of(None) == ""


def test_what_is_nested_too_deep_is_left_out():
    value: list = []
    for _ in range(20_000):
        value = [value]
    assert text_of(value).count("[") == MAX_DEPTH
    assert "…" in text_of(value)


def test_a_long_value_is_cut_and_says_so():
    form = form_of(list(range(100_000)), limit=500)
    assert len(form.text) < 600
    assert not form.whole


def test_numbers_and_identifiers_have_one_spelling():
    assert words_of("$1,234.50 for #W62, a@b.com") == [
        "1234.5",
        "for",
        "w62",
        "a@b.com",
    ]


def test_one_slip_is_a_change_a_swap_or_a_loss():
    assert one_slip("tb-48310", "tb-48130")
    assert one_slip("abcde", "abde")
    assert one_slip("abcde", "abxde")
    assert not one_slip("abcde", "abcde")
    assert not one_slip("abcde", "bacd")


def test_a_schema_is_read_with_its_references():
    schema = {
        "$defs": {"id": {"type": "string"}},
        "properties": {
            "a": {"$ref": "#/$defs/id"},
            "b": {"anyOf": [{"type": "null"}, {"type": "integer"}]},
        },
        "required": ["a"],
    }
    assert problems({"a": "x", "b": None}, schema) == ()
    assert [p.path for p in problems({"a": 1, "b": "x"}, schema)] == ["a", "b"]
    assert [p.kind for p in problems({}, schema)] == ["missing"]
    assert problems({"a": 1}, {"$ref": "https://elsewhere.example/schema"}) == ()


def test_a_schema_that_refers_to_itself_ends():
    schema = {"$ref": "#/properties/a", "properties": {"a": {"$ref": "#"}}}
    assert problems({"a": {"a": {}}}, schema) == ()
