import pytest

from traces.services.cleaning import TOO_DEEP, clean_json, clean_text


@pytest.mark.parametrize(
    ("text", "clean"),
    [("", ""), ("où 📦", "où 📦"), ("a\0b", "a\ufffdb"), ("\ud83d", "\ufffd")],
)
def test_text(text, clean):
    assert clean_text(text) == clean


@pytest.mark.parametrize(
    ("value", "clean"),
    [
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        (float("nan"), "NaN"),
        (2**64, "18446744073709551616"),
        ({1: "a"}, {"1": "a"}),
        (
            {
                "when": {
                    1,
                }
            },
            {"when": "{1}"},
        ),
        (["a\0", {"k\0": None}], ["a\ufffd", {"k\ufffd": None}]),
    ],
)
def test_what_is_replaced(value, clean):
    found = clean_json(value)
    assert (found.value, found.changed) == (clean, True)


@pytest.mark.parametrize(
    "value", [None, True, 0, -(2**63), 2**64 - 1, 0.5, "a", [], {}]
)
def test_what_stays(value):
    found = clean_json({"k": [value]})
    assert (found.value, found.changed) == ({"k": [value]}, False)


def test_nesting_ends_with_a_sentence():
    deep = "bottom"
    for _ in range(1_000):
        deep = {"k": deep}
    found, levels = clean_json(deep).value, 0
    while isinstance(found, dict):
        found, levels = found["k"], levels + 1
    assert (found, levels) == (TOO_DEEP, 200)
