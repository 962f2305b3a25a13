"""Values of one record told of another."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import GOOD, Talk, fired, lookup


def two(answer):
    talk = Talk(request="When do my two orders come?")
    for order, day in (("TB-4821", "2026-11-26"), ("TB-7715", "2026-12-02")):
        talk.call(
            "get_order", {"order_id": order}, {"order_id": order, "delivery": day}
        )
    return talk.say(answer)


FIRES = [
    ("synth.mixed_up", two("TB-4821 comes on 2026-12-02.")),
    ("synth.mixed_up", two("TB-4821 comes on 2026-12-02 and TB-7715 on 2026-11-26.")),
]
SILENT = [
    ("synth.mixed_up", two("TB-4821 comes on 2026-11-26 and TB-7715 on 2026-12-02.")),
    (
        "synth.mixed_up",
        two("On 2026-11-26 comes TB-4821, on 2026-12-02 comes TB-7715."),
    ),
    ("synth.mixed_up", two("TB-4821 comes on 2026-12-09.")),
    (
        "synth.mixed_up",
        lookup({"order_id": GOOD["order_id"], "delivery": "2026-11-26"}),
    ),
]


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)
