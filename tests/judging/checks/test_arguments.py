"""Arguments against their schema."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import CANCEL, GOOD, Talk, fired, found, lookup

AGENTS = Talk().say("Go.", agent="boss").say("Done.", agent="anna")
FIRES = [
    (
        "paramgen.malformed",
        Talk().ask("get_order", '{"order_id": ', malformed="cut").get("ok"),
    ),
    (
        "paramgen.wrong_type",
        lookup(arguments={"order_id": "TB-4821", "count": "three"}),
    ),
    ("paramgen.not_in_enum", lookup(arguments={"order_id": "TB-4821", "kind": "odd"})),
    ("paramgen.unknown_argument", lookup(arguments={"order_id": "TB-4821", "x": 1})),
    ("paramgen.missing_required", lookup(arguments={})),
    ("paramgen.empty_required", lookup(arguments={"order_id": " "})),
    ("paramgen.placeholder", lookup(arguments={"order_id": "<order id>"})),
    ("paramgen.placeholder", lookup(arguments={"order_id": "your_order_id"})),
    ("toolsel.unknown_tool", lookup(tool="find_order")),
    (
        "toolsel.unknown_agent",
        AGENTS.hand("carl", "Count the moons.").say("Well.", agent="anna"),
    ),
]
SILENT = [
    ("paramgen.malformed", lookup()),
    ("paramgen.wrong_type", lookup(arguments={"order_id": "TB-4821", "count": 3.0})),
    ("paramgen.not_in_enum", lookup(arguments={"order_id": "TB-4821", "kind": "old"})),
    (
        "paramgen.unknown_argument",
        lookup(arguments={"anything": 1}, tool="cancel_order"),
    ),
    ("paramgen.missing_required", lookup(arguments={"order_id": ""})),
    ("paramgen.empty_required", lookup()),
    ("paramgen.placeholder", lookup(arguments={"kind": "1 < 2", "text": "<id>"})),
    (
        "paramgen.placeholder",
        lookup(
            request="Look up your_order_id", arguments={"order_id": "your_order_id"}
        ),
    ),
    ("toolsel.unknown_tool", Talk(tools=()).call("find_order", GOOD, "ok").say("Yes.")),
    (
        "toolsel.unknown_agent",
        Talk().say("Go.", agent="boss").hand("Anna", "Count.").say("12", agent="anna"),
    ),
]


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)


def test_what_is_wrong_is_named():
    finding = found(
        lookup(arguments={"order_id": "TB-4821", "kind": "odd"}), "paramgen.not_in_enum"
    )
    assert finding.message == "get_order: 'odd' is not one of 'new', 'old'."
    assert [one.text for one in finding.evidence] == ["odd"]
    assert CANCEL.parameters is None
