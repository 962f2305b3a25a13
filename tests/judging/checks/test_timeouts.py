"""Calls that took too long or never ended."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import GOOD, Talk, fired, found, lookup

LOST = (
    Talk()
    .call("get_order", GOOD, "ok")
    .say("First.")
    .ask("get_order", GOOD)
    .say("Second.")
)
FIRES = [
    ("exec.timeout", lookup("", error="TimeoutError: no answer in 30 s")),
    ("exec.timeout", lookup("Error: the request timed out")),
    ("exec.unfinished", Talk().ask("get_order", GOOD).get(None, finished=False)),
    ("paramgen.never_run", LOST),
]
SILENT = [
    ("exec.timeout", lookup({"timeout": 30, "rows": 4})),
    ("exec.unfinished", Talk().ask("get_order", GOOD).get("shipped", finished=False)),
    ("paramgen.never_run", Talk().ask("get_order", GOOD).say("Second.")),
]


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)


def test_a_timeout_has_its_own_category():
    finding = found(lookup("", error="deadline exceeded"), "exec.timeout")
    assert finding.category == "timeout"
