"""Results with nothing in them."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import Talk, fired, lookup, room

PRINTS = "```python\nprint(1)\n```"
FIRES = [
    ("exec.empty", lookup("")),
    ("exec.empty", room(("a", PRINTS), ("terminal", "Code output: \n"))),
    ("exec.null_result", lookup("None")),
    ("exec.null_result", lookup("Code output: result: []", tool="get_rows")),
    ("exec.no_results", lookup("No results found.")),
    ("exec.no_results", lookup([])),
    ("exec.no_results", lookup({"query": "x", "results": []})),
]
SILENT = [
    ("exec.empty", lookup(None)),
    ("exec.empty", lookup(0)),
    ("exec.empty", lookup([])),
    ("exec.empty", lookup("", tool="send_note")),
    ("exec.empty", Talk().call("bash", {"command": "mkdir x"}, "")),
    ("exec.null_result", lookup("None of the rooms is free.")),
    ("exec.no_results", lookup("3 results found.")),
    ("exec.no_results", lookup({"results": [1]})),
]


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)
