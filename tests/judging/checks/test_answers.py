"""Answers against the request."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import Talk, fired, lookup, said

TWO = "Where are TB-4821 and TB-7715?"
ASKED = "Can you move the delivery to Friday? How long is the return window for lamps?"
MOVED = "The delivery is moved to Friday."
FIRES = [
    ("synth.leaves_out", lookup(request=TWO)),
    ("synth.unanswered", said(MOVED, request=ASKED)),
    ("synth.not_json", lookup(request="List them. Respond only with JSON.")),
    ("synth.stand_in", said("Dear [your name], it is shipped.")),
    ("synth.other_script", said("Ваш заказ отправлен вчера вечером курьером.")),
    ("synth.repeats_request",
     Talk(request="Please tell me where the order of last week is.").say(
         "Please tell me where the order of last week is.")),
]  # fmt: skip
SILENT = [
    (
        "synth.leaves_out",
        lookup(request=TWO, answer="TB-7715 isn't shipped, TB-4821 is."),
    ),
    ("synth.leaves_out", lookup()),
    (
        "synth.unanswered",
        said(MOVED + " Lamps have a return window of 30 days.", request=ASKED),
    ),
    ("synth.not_json", lookup(request="Respond only with JSON.", answer='{"a": 1}')),
    ("synth.stand_in", said("See [the list](a) of names.")),
    (
        "synth.other_script",
        said("Ваш заказ отправлен вчера вечером.", request="Где мой заказ?"),
    ),
    ("synth.repeats_request", lookup(answer="Where is order TB-4821?")),
]


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)
