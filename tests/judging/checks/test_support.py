"""Values in answers, against results."""

from __future__ import annotations

import pytest

from tests.judging.checks.runs import Talk, fired, found, lookup, room, said

PRICES = {"net": 100.25, "tax": 19.05}
FILMS = "\n".join(
    f"{n}. The Long Film ({1960 + n}), {90 + n} minutes" for n in range(1, 9)
)
FIRES = [
    ("synth.unsupported_id", said("Parcel ZX-55120 is on its way.")),
    ("synth.unsupported_address", said("See https://shop.example-store.com/a/b7/track")),
    ("synth.unsupported_address", said("Write to ada@nowhere-at-all.net")),
    ("synth.unsupported_amount", lookup(PRICES, "You pay $311.70.")),
    ("synth.unsupported_number", lookup(PRICES, "In a survey, 64 % were content.")),
    ("synth.from_memory", room(("a", "I look."), ("b", FILMS))),
    ("synth.ignores_results",
     lookup({"items": "oak table, walnut chair, silver lamp"},
            "Thank you for your patience, dear customer; have a pleasant evening.")),
]  # fmt: skip
SILENT = [
    ("synth.unsupported_id", lookup({"parcel": "ZX-55120"}, "Parcel ZX-55120 is on its way.")),
    ("synth.unsupported_id", said("It complies with ISO-8601.")),
    ("synth.unsupported_id", Talk().say("Parcel ZX-55120 is on its way.")),
    ("synth.unsupported_address", said("See https://www.example-store.com")),
    ("synth.unsupported_amount", lookup(PRICES, "Together you pay $119.30.")),
    ("synth.unsupported_amount", lookup({"n": 1042.5}, "You pay $1,042.50.")),
    ("synth.unsupported_number", lookup({"n": 104233}, "104,233 trips in 2026.")),
    ("synth.unsupported_number", lookup({"a": 50, "b": 200}, "That is 25 %.")),
    ("synth.from_memory", room(("a", FILMS[:35]), ("b", "Fine."))),
    ("synth.from_memory", Talk(request="", tools=()).say(FILMS)),
    ("synth.ignores_results",
     lookup({"items": "oak table, walnut chair, silver lamp"},
            "Your walnut chair and the rest of it will be with you this very evening.")),
]  # fmt: skip


@pytest.mark.parametrize(("check", "talk"), FIRES)
def test_it_fires(check, talk):
    assert check in fired(talk)


@pytest.mark.parametrize(("check", "talk"), SILENT)
def test_it_stays_silent(check, talk):
    assert check not in fired(talk)


def test_a_slip_in_an_answer_names_the_value_it_came_from():
    finding = found(
        lookup({"parcel": "ZX-55120"}, "Parcel ZX-55210 is near."),
        "synth.unsupported_id",
    )
    assert "'zx-55120' does, one slip away" in finding.message
