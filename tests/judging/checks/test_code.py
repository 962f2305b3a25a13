"""Code in a step's words."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import Talk, fired, found, room

CODE = "Run this:\n```python\nprint(x)\n```"
KEY = "```python\nkey = 'YOUR_API_KEY'\n```"
FAILED = (
    "exitcode: 1 (execution failed)\nCode output: NameError: name 'x' is not defined"
)


def planned(text, result="Code output: 3"):
    return Talk().plan(text).get(result).say("Well.")


FIRES = [
    ("plan.failed_code", planned(CODE, FAILED)),
    ("synth.failed_code", room(("a", CODE), ("terminal", FAILED), ("b", "It failed."))),
    ("plan.fruitless_code", planned(CODE, "Code output: ")),
    ("synth.fruitless_code", room(("a", CODE), ("terminal", "Code output: None"))),
    ("plan.stand_in_code", planned(KEY)),
    ("synth.stand_in_code", room(("a", KEY))),
    ("plan.assumed_data", planned("I will assume a price of 5.")),
    ("synth.assumed_data", room(("a", "We go on with mock data."))),
    ("plan.by_hand", planned("We have to check the list manually.")),
    (
        "synth.by_hand",
        room(("a", CODE), ("terminal", "7"), ("b", "Count them by hand.")),
    ),
]
SILENT = [
    ("plan.failed_code", planned(CODE)),
    ("synth.failed_code", room(("a", CODE), ("terminal", "Code output: 3"))),
    ("plan.fruitless_code", planned(CODE)),
    ("synth.fruitless_code", room(("a", CODE), ("terminal", "Code output: 3"))),
    ("plan.stand_in_code", planned("Set your_api_key first.")),
    ("synth.stand_in_code", room(("a", "```python\nkey = os.environ['KEY']\n```"))),
    ("plan.assumed_data", planned("# Assume the name is in the first column")),
    ("synth.assumed_data", room(("a", "The mock turtle speaks."))),
    ("plan.by_hand", Talk().plan("Check it manually.")),
    ("synth.by_hand", room(("a", CODE), ("terminal", "7"), ("b", "See the manual."))),
]


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)


def test_code_that_is_put_right_weighs_less():
    bad = room(("a", CODE), ("terminal", FAILED), ("b", "It failed."))
    mended = room(
        ("a", CODE), ("terminal", FAILED), ("a", CODE), ("terminal", "Code output: 3")
    )
    assert found(bad, "synth.failed_code").cap == 2.0
    assert found(mended, "synth.failed_code").cap == 3.0
