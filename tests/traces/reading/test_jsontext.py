from __future__ import annotations

import json

import pytest

from traces.domain.reading.jsontext import dumps, loads, parsed


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ('{"a": 1}', {"a": 1}),
        (' [1, "b"]\n', [1, "b"]),
        (json.dumps(json.dumps({"a": 1})), {"a": 1}),
        (json.dumps(json.dumps(json.dumps([1]))), [1]),
        ("plain", "plain"),
        ('"quoted"', '"quoted"'),
        ("[not json]", "[not json]"),
        ("{}", {}),
        ("12", "12"),
        ("", ""),
        (None, None),
        ({"a": "[1]"}, {"a": "[1]"}),
    ],
)
def test_text_that_holds_an_object_or_list_is_read(sent, read):
    assert parsed(sent) == read


def test_nesting_too_deep_stays_text():
    deep = "[" * 101 + "]" * 101
    assert parsed(deep) == deep
    assert parsed("[" * 20_000) == "[" * 20_000
    assert parsed("[" * 20_000 + "]" * 20_000).startswith("[[")


def test_long_numbers_keep_their_digits():
    assert loads('{"id": 12345678901234567890123}') == {"id": 12345678901234567890123}


def test_what_no_store_takes_is_replaced():
    assert loads(r'{"a\u0000": ["\ud800x", "\u0041"]}') == {"a\ufffd": ["\ufffdx", "A"]}


@pytest.mark.parametrize("text", ["NaN", "[1,]", "{'a': 1}", '"a\nb"', "", "[" * 2_000])
def test_strictly_what_is_not_json_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011
        loads(text)


def test_loosely_line_breaks_and_nan_are_taken():
    assert loads('["a\nb", NaN]', strict=False) == ["a\nb", "NaN"]


def cut(text: str, at: int) -> str:
    return f"{text[:at]}…[cut: {at} of {len(text)} characters kept]"


def test_json_that_was_cut_within_a_text_keeps_the_mark():
    text = '[{"role": "user", "content": "one"}, {"content": "two words"}]'
    at = text.index("words")
    found = parsed(cut(text, at))
    assert found[0]["content"] == "one"
    assert found[1]["content"] == f"two …[cut: {at} of {len(text)} characters kept]"


@pytest.mark.parametrize("after", ['"content": "o', '{"role"', "one", '"}, {', '": '])
def test_json_that_was_cut_keeps_what_stood_before(after):
    text = '[{"role": "user", "content": "one"}, {"role": "user", "content": "two"}]'
    for at in range(text.index(after), text.index(after) + len(after)):
        found = parsed(cut(text, at))
        assert isinstance(found, (list, str))
        assert (
            not isinstance(found, list)
            or not found
            or found[0]["role"].startswith("user")
        )


def test_text_of_values():
    assert [dumps(one) for one in (None, "a", {"a": [1, None]}, 1.5)] == [
        "",
        "a",
        '{"a":[1,null]}',
        "1.5",
    ]
