"""The same again."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import GOOD, Talk, fired, lookup, room, said

WORDS = "I have looked at the list of moons and I can't find the one that you asked for, sorry."
HAND = "Please open the list of all moons and count them for me."
EDIT = {"path": "a.py", "old_str": "x = 1", "new_str": "x = 2"}
BACK = {"path": "a.py", "old_str": "x = 2", "new_str": "x = 1"}


def calls(*pairs):
    talk = Talk()
    for arguments, result in pairs:
        talk.call("get_order", arguments, result)
    return talk


def handed(*texts):
    talk = Talk().say("Go.", agent="boss")
    for text in texts:
        talk.hand("anna", text).say("Not yet.", agent="anna")
    return talk


FIRES = [
    ("toolsel.repeated_call", calls((GOOD, "ok"), (GOOD, "ok"))),
    ("toolsel.same_try_again", calls(*[(GOOD, "Error: busy")] * 3)),
    ("toolsel.repeated_instruction", handed(HAND, HAND)),
    ("plan.repeated_text", Talk().plan(WORDS).plan(WORDS)),
    ("synth.repeated_text", said(WORDS, WORDS)),
    ("synth.same_line", said("The moon of that name is small.\n" * 30)),
    ("paramgen.taken_back", Talk().call("edit", EDIT, "ok").call("edit", BACK, "ok")),
]
SILENT = [
    ("toolsel.repeated_call", calls((GOOD, "waiting"), (GOOD, "shipped"))),
    ("toolsel.repeated_call",
     calls((GOOD, "ok")).call("cancel_order", GOOD, "done").call("get_order", GOOD, "ok")),
    ("toolsel.repeated_call", Talk().call("bash", {"c": "ls"}, "a").call("bash", {"c": "ls"}, "a")),
    ("toolsel.same_try_again", calls(*[(GOOD, "Error: busy")] * 2)),
    ("toolsel.repeated_instruction", handed(HAND, HAND + " All of them.")),
    ("plan.repeated_text", Talk().plan("Next.").plan("Next.")),
    ("synth.repeated_text", room(("a", WORDS), ("b", WORDS))),
    ("synth.same_line", lookup(answer="The moon of that name is small.\n" * 3)),
    ("paramgen.taken_back", Talk().call("edit", EDIT, "ok").call("edit", EDIT, "ok")),
]  # fmt: skip


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)
