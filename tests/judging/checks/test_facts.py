"""Statements that are wrong by themselves."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import fired, said

FIRES = [
    ("synth.wrong_sum", said("The two cost 12 + 30 = 52.")),
    ("synth.wrong_weekday", said("It comes on Monday, May 21, 2024.")),
    ("synth.wrong_weekday", said("It came on Friday 2024-05-20.")),
    ("synth.wrong_count", said("Here are the three rooms:\n- red\n- blue\n")),
]
SILENT = [
    (
        "synth.wrong_sum",
        said("12 + 30 = 42; 10 / 3 = 3.33; 1 + 2 * 3 = 7; 5 * 2 + 1 = 11"),
    ),
    (
        "synth.wrong_weekday",
        said("It comes on Monday, May 20, 2024, or Friday, February 30, 2024."),
    ),
    ("synth.wrong_count", said("Here are the two rooms:\n- red\n   - big\n- blue\n")),
]


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)
