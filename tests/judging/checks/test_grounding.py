"""Arguments that nothing upstream gave."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import Talk, findings, fired, found, lookup

FIRES = [
    ("paramgen.altered", lookup(arguments={"order_id": "TB-4812"})),
    ("paramgen.altered", lookup(arguments={"order_id": "TB-482"})),
    ("paramgen.ungrounded", lookup(arguments={"order_id": "QX-99130"})),
    ("paramgen.ungrounded", lookup(arguments={"email": "ada77@mail.example"}, tool="get_user")),
    ("paramgen.ungrounded_date",
     Talk(request="A flight on May 20th").call("search_flights", {"date": "2024-05-17"}, [1])),
]  # fmt: skip
SILENT = [
    ("paramgen.altered", lookup()),
    ("paramgen.ungrounded", lookup(arguments={"query": "XR-7741"}, tool="find_part")),
    ("paramgen.ungrounded", lookup(arguments={"window": "16:00-20:00"})),
    ("paramgen.ungrounded", lookup(arguments={"code": "print(77012)"}, tool="python")),
    ("paramgen.ungrounded",
     lookup(arguments={"order_id": "TB-4823"}, request="All from TB-4821 to TB-4830.")),
    ("paramgen.ungrounded", Talk(request="").call("get_order", {"order_id": "QX-99130"}, "ok")),
    ("paramgen.ungrounded",
     Talk().call("list_orders", {}, {"id": "QX-99130"}).call("get_order", {"order_id": "QX-99130"}, "ok")),
    ("paramgen.ungrounded_date",
     Talk(request="A flight on May 20th").call("search_flights", {"date": "2024-05-20"}, [1])),
    ("paramgen.ungrounded_date",
     Talk(request="A flight next week").call("search_flights", {"date": "2024-05-17"}, [1])),
]  # fmt: skip


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)


def test_an_altered_value_names_what_it_was():
    finding = found(lookup(arguments={"order_id": "TB-4812"}), "paramgen.altered")
    assert (finding.cap, finding.category) == (1.0, "value-error")
    assert [one.text for one in finding.evidence] == ["TB-4812", "TB-4821"]


def test_an_error_that_repeats_a_value_does_not_make_it_known():
    talk = Talk()
    for _ in range(2):
        talk.call("get_order", {"order_id": "QX-99130"}, "Error: QX-99130 not found")
    steps = [f.step for f in findings(talk) if f.check == "paramgen.ungrounded"]
    assert len(steps) == 2
