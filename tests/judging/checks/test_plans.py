"""What a plan names and what then happens."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import GOOD, Talk, fired

LIST = "1. get_order for the state\n2. cancel_order to stop it"
TWO = "Stop TB-4821 and TB-7715"


def chosen(text, tool):
    return Talk().plan(text, span="m").ask(tool, GOOD, span="m").get("ok")


FIRES = [
    (
        "plan.tool_left_out",
        Talk().plan(LIST).call("get_order", GOOD, "open").say("Open."),
    ),
    ("plan.part_left_out", Talk(request=TWO).plan("1. read TB-4821\n2. stop it")),
    ("toolsel.not_as_planned", chosen("I call get_order now.", "cancel_order")),
]
SILENT = [
    ("plan.tool_left_out",
     Talk().plan(LIST).call("get_order", GOOD, "open").call("cancel_order", GOOD, "done")),
    ("plan.tool_left_out",
     Talk().plan("1. get_order\n2. if open, cancel_order").call("get_order", GOOD, "sent")),
    ("plan.part_left_out", Talk(request=TWO).plan("1. read TB-4821\n2. read TB-7715")),
    ("toolsel.not_as_planned", chosen("I call cancel_order now.", "cancel_order")),
]  # fmt: skip


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)
