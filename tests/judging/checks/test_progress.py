"""Loops and limits."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import GOOD, Talk, fired

LEDGER = '{"is_in_loop": {"reason": "The same pages again.", "answer": %s}}'


def turns(*names):
    talk = Talk()
    for number, name in enumerate(names):
        talk.call("get_" + name, {"of": name}, f"{number}")
    return talk


def pages(count, tool="get_page"):
    talk = Talk()
    for number in range(count):
        talk.call(tool, {"n": number}, "text")
    return talk


FIRES = [
    ("plan.admits_loop", Talk().plan(LEDGER % "true")),
    ("plan.admits_loop", Talk().plan("We are stuck here.")),
    ("synth.at_limit", Talk().say("Agent stopped due to iteration limit.")),
    ("toolsel.alternates", turns("a", "b", "a", "b", "a", "b")),
    ("toolsel.long_row", pages(12)),
    ("exec.nobody_reads", Talk().say("Wait.").call("get_order", GOOD, "ok")),
]
SILENT = [
    ("plan.admits_loop", Talk().plan(LEDGER % "false")),
    ("plan.admits_loop", Talk().plan("The wheel is stuck; ask for a new one.")),
    ("synth.at_limit", Talk().say("The limit of the card is 500.")),
    ("toolsel.alternates", turns("a", "b", "c", "a", "b", "c")),
    ("toolsel.alternates", turns(*"aaaaaa")),
    ("toolsel.long_row", pages(11)),
    ("exec.nobody_reads", Talk().call("get_order", GOOD, "ok").say("Here.")),
]


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)
