"""Support runs that go wrong in a call or in what is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agenteval_web.demo.agent import run_agent
from agenteval_web.demo.customer.moves import (
    Move,
    counted,
    due_text,
    euro,
    identify,
    iso,
    items_text,
    read_order,
    spoken,
    support,
    use,
)
from agenteval_web.demo.customer.stock import customer, order
from agenteval_web.demo.oddities import behind_gateway
from agenteval_web.demo.script import Call, Fault, Policy, Turn
from agenteval_web.demo.stage import Stage
from agenteval_web.demo.tools import Outage
from traces.domain.records import Json

SWAPPED_DIGITS = Fault(
    "value-error",
    "PARAMGEN",
    "Two digits of the order number are swapped. The order is not found, and the "
    "answer makes up a delivery day and a return date.",
)
NO_REASON = Fault(
    "missing-required",
    "PARAMGEN",
    "issue_refund is called without its reason and refuses. The answer claims a "
    "booked refund, with a number that nothing gave.",
)
CARRIER_DOWN = Fault(
    "error-response",
    "EXEC",
    "The carrier answers 503. The agent does not try again or say so, and invents a "
    "scan and a day.",
)
SWAPPED_ORDERS = Fault(
    "conflation",
    "SYNTH",
    "Two orders of the same chair: the answer gives each one the other's day.",
)
BACKORDER = Fault(
    "selective-omission",
    "SYNTH",
    "The order says that the rug is on backorder; the answer promises both items for "
    "the lamp's day.",
)
GIVEN_UP = Fault(
    "loop-exit",
    "SYNTH",
    "The same look-up is made five times without waiting. Then the agent gives up, "
    "although the order it read has the day.",
)


def swapped_digits(stage: Stage) -> None:
    """Value error → not found → made-up answer."""
    who, facts = customer("C-1390"), order("TB-48130")
    wrong = "TB-48310"
    stage.truth += [due_text(stage, facts)]

    def policy() -> Policy:
        yield from identify(
            f"The desk from {facts.id}: when was it delivered, and until when can he "
            "return it? I'll find the account, then read the order.",
            who,
        )
        yield from use(
            "Account found. Now the order.",
            "get_order",
            {"order_id": wrong},
            SWAPPED_DIGITS,
        )
        return Turn(
            f"Hello {who.first_name}, your Birch desk 140 was delivered on "
            f"{spoken(iso(stage, -11))} and signed for at the door. You can return it "
            f"until {spoken(iso(stage, 19))}."
        )

    asked = stage.pick(
        f"On which day did you deliver {facts.id}, and until when can I return the desk? "
        f"{who.email}",
        f"Order {facts.id}: I need the delivery day and the last day for a return. "
        f"{who.name}, {who.email}",
    )
    run_agent(stage, support(stage), asked, policy())


def refund_without_reason(stage: Stage) -> None:
    """Missing argument → refused → success claimed."""
    who, facts = customer("C-1530"), order("TB-48098")
    stage.truth += ["not been booked"]

    def policy() -> Policy:
        yield from identify(
            f"Both lamps of {facts.id} are broken, refund wanted. I'll find the account, "
            "read the order, check the damage policy and refund.",
            who,
        )
        found = yield from read_order(stage, facts.id)
        rule = yield from use(
            "Delivered last week. Is damage covered?",
            "check_policy",
            {"topic": "damage", "order_id": facts.id},
        )
        refund = {
            "order_id": facts.id,
            "amount_eur": found["total_eur"],
            "policy_ref": rule["policy_ref"],
        }
        yield from use("Covered in full.", "issue_refund", refund, NO_REASON)
        return Turn(
            f"So sorry about that, {who.first_name}! I have refunded "
            f"{euro(found['total_eur'])} for order {facts.id}. Your refund number is "
            "RF-88213, the money is with you within 3 days."
        )

    asked = stage.pick(
        f"Both floor lamps from {facts.id} came with broken glass. I want a refund. "
        f"{who.email}",
        f"Hi, {who.name} here ({who.email}). The lamps in {facts.id} are cracked, both. "
        "Please refund them.",
    )
    run_agent(stage, support(stage), asked, policy())


def carrier_down(stage: Stage) -> None:
    """Unhandled tool error; the gateway's span never reached the collector."""
    who, facts = customer("C-1415"), order("TB-48221")
    stage.truth += ["carrier"]
    down = Outage(
        "HTTPError",
        "503 Service Unavailable: upstream carrier-api did not respond",
        2100,
        CARRIER_DOWN,
    )

    def policy() -> Policy:
        yield from identify(
            f"She asks where the wardrobe from {facts.id} is right now. I'll find the "
            "account, read the order and ask the carrier.",
            who,
        )
        found = yield from read_order(stage, facts.id)
        yield from use(
            "On its way; let me ask the carrier where it is.",
            "track_parcel",
            {"parcel_id": found["parcel_id"]},
        )
        return Turn(
            f"Good news, {who.first_name}: parcel {found['parcel_id']} left the Norwick "
            "depot this morning at 07:15 and the driver has 9 stops before yours, so "
            "your wardrobe arrives today before noon."
        )

    asked = stage.pick(
        f"Where exactly is my wardrobe ({facts.id})? Somebody has to be home. {who.email}",
        f"Please tell me where {facts.id} is right now. {who.name}, {who.email}",
    )
    agent = support(stage, outages={"track_parcel": [down]})
    stage.edits.append(behind_gateway("track_parcel"))
    run_agent(stage, agent, asked, policy())


def swapped_orders(stage: Stage) -> None:
    """Conflation after a join of two look-ups."""
    who = customer("C-1479")
    there, coming = order("TB-48156"), order("TB-48244")
    stage.truth += [
        f"{coming.id} ({counted(coming.items)}) is due {due_text(stage, coming)}"
    ]

    def policy() -> Policy:
        account = yield from identify(
            "She has two orders of Rowan chairs and asks what came and what is still to "
            "come. I'll find the account, list the orders and read both.",
            who,
        )
        yield from use("Account found.", "list_orders", {"customer_id": account["id"]})
        first, second = yield Turn(
            "Two orders; I'll read them together.",
            (
                Call("get_order", {"order_id": there.id}),
                Call("get_order", {"order_id": coming.id}),
            ),
        )
        return Turn(
            _swapped(who.first_name, first.data, second.data), fault=SWAPPED_ORDERS
        )

    asked = stage.pick(
        f"I ordered Rowan chairs twice. Which order has arrived and when does the other "
        f"one come? {who.email}",
        f"{who.name}, {who.email}: two orders of chairs, only one is here. When comes "
        "which?",
    )
    run_agent(stage, support(stage), asked, policy())


def _swapped(name: str, there: Mapping[str, Any], coming: Mapping[str, Any]) -> str:
    return (
        f"Hello {name}, order {coming['order_id']} ({items_text(coming)}) was delivered "
        f"on {there['delivery']['day']}, and order {there['order_id']} "
        f"({items_text(there)}) is due {coming['delivery']['day']} between "
        f"{coming['delivery']['window']}."
    )


def ignores_backorder(stage: Stage) -> None:
    """Selective omission: the order's own words are left out."""
    who, facts = customer("C-1362"), order("TB-48278")
    stage.truth += ["backorder"]

    def policy() -> Policy:
        yield from identify(
            f"When do the rug and the lamp from {facts.id} come? I'll find the account "
            "and read the order.",
            who,
        )
        found = yield from read_order(stage, facts.id)
        return Turn(
            f"Hello {who.first_name}, everything in order {facts.id} "
            f"({items_text(found)}) arrives together on {found['delivery']['day']} "
            f"between {found['delivery']['window']}.",
            fault=BACKORDER,
        )

    asked = stage.pick(
        f"Will the rug and the lamp from {facts.id} come together, and when? {who.email}",
        f"On which day do I get the rug and the lamp ({facts.id})? {who.name}, "
        f"{who.email}",
    )
    run_agent(stage, support(stage), asked, policy())


def gives_up_tracking(stage: Stage) -> None:
    """A loop without progress, left with empty hands."""
    who, facts = customer("C-1219"), order("TB-48192")
    stage.truth += [due_text(stage, facts)]
    syncing = '{"parcel_id": "PX77411186", "state": "syncing", "retry_after_s": 20}'
    outage = Outage("", syncing, 400)

    def policy() -> Policy:
        yield from identify(
            f"She needs the delivery day of {facts.id}. I'll find the account, read the "
            "order and ask the carrier.",
            who,
        )
        found = yield from read_order(stage, facts.id)
        yield from _tries(stage, {"parcel_id": found["parcel_id"]})
        return Turn(
            f"I'm sorry, {who.first_name}, I can't find out when order {facts.id} is "
            "delivered. Please try again later.",
            fault=GIVEN_UP,
        )

    asked = stage.pick(
        f"On which day does the bed ({facts.id}) come? I have to take time off. {who.email}",
        f"I need the delivery day of {facts.id}, please. {who.name}, {who.email}",
    )
    agent = support(
        stage, outages={"track_parcel": [replace(outage) for _ in range(5)]}
    )
    run_agent(stage, agent, asked, policy())


def _tries(stage: Stage, arguments: Mapping[str, Json]) -> Move:
    yield Turn(
        "In transit; the carrier knows the day.", (Call("track_parcel", arguments),)
    )
    for _ in range(4):
        text = stage.pick("Still syncing, I'll try again.", "Not ready yet. Once more.")
        yield Turn(text, (Call("track_parcel", arguments),))
