"""Errors that tools report, and what became of them."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import Talk, fired, found, lookup, room, said

TRACE = "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'"
BUSY = "Error: the order book is locked"
THRICE = Talk()
for _ in range(3):
    THRICE.call("get_order", {"order_id": "TB-4821"}, BUSY)

FIRES = [
    ("exec.error", lookup(BUSY)),
    ("exec.error", lookup("", error="boom")),
    ("exec.error", lookup({"success": False, "reason": "locked"})),
    ("exec.error", lookup({"error": {"code": 7, "message": "locked"}})),
    ("exec.stack_trace", lookup(TRACE)),
    ("exec.exit_code", lookup("exitcode: 1 (execution failed)\nCode output:")),
    ("exec.exit_code", lookup({"stdout": "", "exit_code": 2})),
    ("exec.tests_failed", lookup("...\n=== 2 failed, 5 passed in 1.2s ===")),
    ("exec.same_error_again", THRICE),
    ("plan.ignored_error", lookup(BUSY).plan("Next.")),
    ("synth.ignored_error", lookup(BUSY, "It comes on Monday.")),
    ("paramgen.rejected", lookup("Error: order TB-4821 not found")),
    ("paramgen.too_early", lookup("Error: the order has not been validated")),
]
FIRES[8:9] = [("exec.same_error_again", THRICE)]
FIRES = [pair for pair in FIRES if pair[0] != "plan.ignored_error"] + [
    (
        "plan.ignored_error",
        Talk().call("get_order", {}, BUSY).plan("The parcel is on its way."),
    ),
]

SILENT = [
    ("exec.error", lookup("No errors were found in the log.")),
    ("exec.error", lookup({"error": None, "id": 3})),
    ("exec.error", lookup({"rows": [{"name": "a", "error": "typo in a record"}]})),
    ("exec.stack_trace", lookup(TRACE, tool="open_file")),
    ("exec.exit_code", lookup("exitcode: 0 (execution succeeded)")),
    ("exec.tests_failed", lookup("=== 5 passed in 1.2s ===")),
    ("exec.same_error_again", lookup(BUSY)),
    ("synth.ignored_error", lookup(BUSY, "Sorry, the order book is locked.")),
    ("paramgen.rejected", lookup(BUSY)),
    ("paramgen.too_early", lookup("has not been validated", "Fine.")),
    (
        "plan.ignored_error",
        Talk().call("get_order", {}, "fine").plan("It is on its way."),
    ),
]


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)


def test_an_unhandled_error_weighs_more_than_a_handled_one():
    assert found(lookup(BUSY, "It comes on Monday."), "exec.error").cap == 2.0
    assert found(lookup(BUSY, "Unfortunately that failed."), "exec.error").cap == 3.0


def test_a_later_success_makes_an_error_milder():
    talk = (
        Talk()
        .call("get_order", {}, BUSY)
        .call("get_order", {"order_id": "TB-4821"}, "ok")
    )
    assert found(talk, "exec.error").cap == 3.0


def test_a_missing_argument_is_named_as_such():
    finding = found(
        lookup("Error: missing required field order_id"), "paramgen.rejected"
    )
    assert finding.category == "missing-required"


def test_healthy_runs_have_no_finding():
    assert fired(said("It is shipped.")) == set()
    assert fired(room(("a", "Let me see."), ("b", "Twelve of them."))) == set()
