"""Answers that decline, give up or promise."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import Talk, fired, lookup, room, said

CALL = '<tool_call>{"name": "get_order", "arguments": {}}</tool_call>'
FIRES = [
    ("synth.model_error", Talk().say(None, error="overloaded")),
    ("synth.empty", said(" ")),
    ("synth.refuses", said("I'm sorry, I can't help with that.")),
    ("synth.gives_up", said("I couldn't reach the shop. Please try again later.")),
    ("synth.only_promises", said("Let me look that up for you.")),
    ("synth.call_in_text", said(CALL)),
    ("synth.speaks_for_others", said("It is shipped.\nUser: Thank you!")),
]
SILENT = [
    ("synth.model_error", said("It is shipped.")),
    ("synth.empty", Talk().say(" ").say("It is shipped.")),
    (
        "synth.refuses",
        said("I can't help with that: our policy has no refunds for lamps."),
    ),
    ("synth.gives_up", said("It is shipped; I had no trouble with it.")),
    ("synth.only_promises", said("Let me know if you need more. It is shipped.")),
    ("synth.only_promises", said("Shall I look? Let me ask: which one?")),
    ("synth.call_in_text", lookup(answer="```\n" + CALL + "\n```")),
    ("synth.speaks_for_others", room(("a", "x\nUser: yes it is"), ("b", "Fine."))),
]


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)
