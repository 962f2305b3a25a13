"""Support runs that go wrong because of what was decided."""

from __future__ import annotations

from agenteval_web.demo.agent import history, run_agent
from agenteval_web.demo.customer.healthy import CHOICE, NOOR_ASKS, NOOR_CHOOSES
from agenteval_web.demo.customer.moves import (
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
from agenteval_web.demo.customer.shop import Shop
from agenteval_web.demo.customer.stock import RETURN_DAYS, customer, order
from agenteval_web.demo.script import Fault, Policy, Turn
from agenteval_web.demo.stage import Stage

AMBIGUITY = Fault(
    "ambiguity-failure",
    "PLAN",
    "Two orders are open and the request names none: the agent settles on the table "
    "without asking, and cancels it. The customer meant the desk.",
)
OMISSION = Fault(
    "tool-omission",
    "PLAN",
    "The plan leaves out check_policy. The answer states a return window of 60 days; "
    f"the shop's rule is {RETURN_DAYS}, and the order is past it.",
)
NO_CHECK = Fault(
    "verification-gap",
    "PLAN",
    "The change is only queued. Nothing reads the order again, and the answer confirms "
    "a day that was never booked.",
)
SKIPPED = Fault(
    "prerequisite-skip",
    "PLAN",
    "The cancellation policy is never checked, so there is no reference to pass on. "
    "The cancellation is refused, and the answer says it was done.",
)
TOO_BROAD = Fault(
    "granularity-mismatch",
    "TOOLSEL",
    "A search by surname in place of a look-up by order number. The first hit belongs "
    "to another customer, and the answer is about that order.",
)
HALF_DONE = Fault(
    "partial-completion",
    "SYNTH",
    "Two things were asked. The delivery is moved; the question about returns is "
    "dropped without a word.",
)

CANCELLED = "Order TB-48308 (Birch desk 140) is cancelled. You get 359.00 EUR back within 5 days."


def cancels_without_asking(stage: Stage) -> None:
    """Ambiguity failure, carried through policy and cancellation."""
    who, facts = customer("C-1150"), order("TB-48290")
    stage.truth += ["Which"]

    def policy() -> Policy:
        account = yield from identify(
            "The customer wants to cancel. I'll find the account and list the orders.",
            who,
        )
        yield from use("Account found.", "list_orders", {"customer_id": account["id"]})
        rule = yield from use(
            f"He has TB-48326 and {facts.id}. He must mean the dining table, {facts.id}; "
            "I'll check whether it can be cancelled and do it.",
            "check_policy",
            {"topic": "cancellation", "order_id": facts.id},
            AMBIGUITY,
        )
        done = yield from use(
            "Cancellation is free of charge.",
            "cancel_order",
            {"order_id": facts.id, "policy_ref": rule["policy_ref"]},
        )
        return Turn(
            f"Hello {who.first_name}, your order {facts.id} is cancelled and "
            f"{euro(done['refund_eur'])} will be back on your account within "
            f"{done['refund_within_days']} days."
        )

    asked = stage.pick(
        f"I changed my mind, please cancel my order. {who.email}",
        f"Please cancel what I ordered. {who.name}, {who.email}",
    )
    run_agent(stage, support(stage), asked, policy())


def quotes_rule_from_memory(stage: Stage) -> None:
    """Tool omission: a rule that is nowhere in the run."""
    who, facts = customer("C-1334"), order("TB-47788")
    stage.truth += [f"{RETURN_DAYS} days"]

    def policy() -> Policy:
        yield from identify(
            f"He wants to return the sofa from {facts.id}. I'll find the account and "
            "read the order; then I can tell him how to send it back.",
            who,
            OMISSION,
        )
        found = yield from read_order(stage, facts.id)
        return Turn(
            f"Hello {who.first_name}, your sofa was delivered on "
            f"{found['delivery']['day']}. You can return it within 60 days of delivery, "
            "so you are just in time: pack it up and we collect it free of charge."
        )

    asked = stage.pick(
        f"Can I still send back the sofa from order {facts.id}? It's unused. {who.email}",
        f"Is it too late to return {facts.id}? {who.name}, {who.email}",
    )
    run_agent(stage, support(stage), asked, policy())


def confirms_unread(stage: Stage) -> None:
    """Verification gap: an accepted request is taken for a booked day."""
    who, facts = customer("C-1502"), order("TB-48181")
    wished = iso(stage, 5)
    shop = Shop(stage)
    shop.slow_writes = True
    stage.truth += [due_text(stage, facts)]

    def policy() -> Policy:
        yield from identify(
            f"Delivery of {facts.id} is to move to {wished}. I'll find the account, read "
            "the order and change the delivery.",
            who,
        )
        found = yield from read_order(stage, facts.id)
        done = yield from use(
            "I'll send the change to the carrier; as soon as it is accepted I can "
            "confirm the new day.",
            "change_delivery",
            {"order_id": facts.id, "date": wished, "window": facts.window},
            NO_CHECK,
        )
        return Turn(
            f"All set, {who.first_name}! Your {items_text(found)} will now arrive on "
            f"{spoken(wished)} between {facts.window} (change {done['request']})."
        )

    asked = stage.pick(
        f"We are not at home on {due_text(stage, facts)}. Please bring {facts.id} on "
        f"{wished}. {who.email}",
        f"Could the garden benches ({facts.id}) come on {wished} instead? {who.email}",
    )
    run_agent(stage, support(stage, shop), asked, policy())


def cancels_without_policy(stage: Stage) -> None:
    """Prerequisite skip: a reference is made up, refused, and glossed over."""
    who, facts = customer("C-1448"), order("TB-48317")
    stage.truth += ["can't be cancelled"]

    def policy() -> Policy:
        yield from identify(
            f"Order {facts.id} is to be cancelled. I'll find the account and cancel it.",
            who,
        )
        yield from read_order(stage, facts.id)
        yield from use(
            "The order is not delivered yet, so I can cancel it straight away.",
            "cancel_order",
            {"order_id": facts.id, "policy_ref": "POL-2210"},
            SKIPPED,
        )
        return Turn(
            f"Hello {who.first_name}, I have cancelled order {facts.id} for you. The "
            f"{euro(facts.total)} will be refunded within 5 days."
        )

    asked = stage.pick(
        f"Please cancel {facts.id}, the bed is too wide for our room. {who.email}",
        f"I need to cancel the bed frame ({facts.id}). {who.name}, {who.email}",
    )
    run_agent(stage, support(stage), asked, policy())


def searches_by_surname(stage: Stage) -> None:
    """Granularity mismatch: somebody else's order comes first."""
    who, facts = customer("C-1256"), order("TB-48145")
    stage.truth += [due_text(stage, facts), "Linden bookcase"]

    def policy() -> Policy:
        yield from identify(
            "He asks when his order comes. I'll find the account and then his order.",
            who,
        )
        found = yield from use(
            "I'll search the orders by his surname.",
            "search_orders",
            {"name": who.name.split()[-1]},
            TOO_BROAD,
        )
        first = found["orders"][0]
        return Turn(
            f"Hello {who.first_name}, your {items_text(first)} (order "
            f"{first['order_id']}) will be with you on {first['delivery']['day']} between "
            f"{first['delivery']['window']}."
        )

    asked = stage.pick(
        f"When will order {facts.id} be delivered? {who.email}",
        f"Any news on {facts.id}? I need the day. {who.name}, {who.email}",
    )
    run_agent(stage, support(stage), asked, policy())


def answers_half(stage: Stage) -> None:
    """Partial completion, in the third turn of Noor's conversation."""
    facts = order("TB-48312")
    wished = iso(stage, 9)
    stage.truth += [spoken(wished), f"{RETURN_DAYS} days"]

    def policy() -> Policy:
        found = yield from use(
            f"The table, {facts.id}: delivery to {wished}, and the return rule. First "
            "the order.",
            "get_order",
            {"order_id": facts.id},
        )
        window = found["delivery"]["window"]
        yield from use(
            f"Now the delivery: {wished}, at the same time of day.",
            "change_delivery",
            {"order_id": facts.id, "date": wished, "window": window},
        )
        now = yield from use(
            "Accepted. I'll read the order again.", "get_order", {"order_id": facts.id}
        )
        return Turn(
            f"Your {items_text(now)} now comes on {now['delivery']['day']} between "
            f"{now['delivery']['window']}. Everything is taken care of!",
            fault=HALF_DONE,
        )

    agent = support(stage)
    agent.messages += history([(NOOR_ASKS, CHOICE), (NOOR_CHOOSES, CANCELLED)])
    asked = stage.pick(
        f"Great. Please deliver the table ({facts.id}) on {wished}. And how long can I "
        "return it, in case it doesn't fit?",
        f"Thanks! Two more things: move the table ({facts.id}) to {wished}, and tell me "
        "until when I could send it back.",
    )
    run_agent(stage, agent, asked, policy())
