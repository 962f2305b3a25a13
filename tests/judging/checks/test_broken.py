"""Contents that are cut or damaged."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import GOOD, Talk, fired, lookup, said

CUT = "a 1\nb 2\n[truncated: 90 rows]"
LONG = "The order was packed on Monday and left the house in the evening. " * 8
FIRES = [
    ("exec.cut", lookup(CUT)),
    ("exec.cut", lookup("a, b, c …[cut: 1800 of 9000 characters]")),
    ("exec.broken_json", lookup('{"orders": [{"id": "TB-4821", "state": "ship')),
    ("exec.markup", lookup("<!DOCTYPE html><html><body>Sign in</body></html>")),
    ("exec.wrong_alphabet", lookup("\ufffd a \ufffd b \ufffd")),
    ("plan.length_limit", Talk().plan("We will", finish_reason="length")),
    (
        "paramgen.length_limit",
        Talk().ask("get_order", GOOD, finish="max_tokens").get("ok"),
    ),
    ("synth.length_limit", Talk().say("It is", finish_reason="['length']")),
    ("plan.open_fence", Talk().plan("Run this:\n```\nls")),
    ("synth.open_fence", said("Run this:\n```\nls")),
    (
        "synth.breaks_off",
        said(LONG + "It will be with you as soon as the driver has found the"),
    ),
    ("synth.on_cut_ground", lookup(CUT, "In total 3.")),
]
SILENT = [
    ("exec.cut", lookup("The film was cut by the censor.")),
    ("exec.broken_json", lookup('{"a": 1}')),
    ("exec.broken_json", lookup("[note] see {below}")),
    ("exec.markup", lookup("<html>page</html>", tool="fetch_page")),
    ("exec.wrong_alphabet", lookup("naïve café")),
    ("plan.length_limit", Talk().plan("We will", finish_reason="stop")),
    (
        "paramgen.length_limit",
        Talk().ask("get_order", GOOD, finish="tool_calls").get("ok"),
    ),
    ("synth.length_limit", Talk().say("It is", finish_reason="stop")),
    ("plan.open_fence", Talk().plan("```\nls\n```")),
    ("synth.open_fence", said("```33040, 33037```")),
    ("synth.breaks_off", said(LONG)),
    ("synth.on_cut_ground", lookup(CUT, "In total 3, of a partial list.")),
]


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)
