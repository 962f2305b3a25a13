"""Support runs that go well, some after a detour."""

from __future__ import annotations

from datetime import date, timedelta

from agenteval_web.demo.agent import history, run_agent
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
from agenteval_web.demo.customer.stock import (
    Customer,
    OrderFacts,
    customer,
    order,
)
from agenteval_web.demo.script import Call, Policy, Turn
from agenteval_web.demo.stage import Stage, workday
from traces.domain.records import Json


def where_is_my_order(stage: Stage) -> None:
    """Account, order, carrier, answer."""
    who, facts = customer("C-1042"), order("TB-48213")
    stage.truth += [due_text(stage, facts), facts.window, facts.parcel]

    def policy() -> Policy:
        yield from identify(
            f"The customer wants to know when order {facts.id} arrives. I'll find the "
            "account, read the order and ask the carrier.",
            who,
        )
        found = yield from read_order(stage, facts.id)
        where = yield from use(
            "It has left the warehouse; the carrier knows more.",
            "track_parcel",
            {"parcel_id": found["parcel_id"]},
        )
        due = where["estimated_delivery"]
        return Turn(
            f"Hello {who.first_name}, your order {facts.id} ({items_text(found)}) is on "
            f"its way. Parcel {found['parcel_id']} was last scanned at "
            f"{where['last_scan']} and should reach you on {due['day']} between "
            f"{due['window']}."
        )

    asked = stage.pick(
        f"Hi, I ordered a dining table and four chairs a while ago ({facts.id}). When "
        f"will they arrive? My e-mail is {who.email}. Thanks, {who.first_name}",
        f"Where is my order {facts.id}? You have me as {who.email}. {who.name}",
    )
    run_agent(stage, support(stage), asked, policy())


def refund_damaged_rug(stage: Stage) -> None:
    """A refund with everything that has to come before it."""
    who, facts = customer("C-1077"), order("TB-48107")
    stage.truth += [f"{facts.total:.2f}", facts.id]

    asked = stage.pick(
        f"The rug from {facts.id} arrived with a tear along the edge. I'd like my money "
        f"back please. {who.email}",
        f"Hello, order {facts.id}: the wool rug is torn. Please refund it. Regards, "
        f"{who.name} ({who.email})",
    )
    run_agent(stage, support(stage), asked, _refunds(stage, who, facts))


def _refunds(stage: Stage, who: Customer, facts: OrderFacts) -> Policy:
    yield from identify(
        f"Damaged rug from order {facts.id}, refund wanted. I'll find the account, "
        "read the order, check the damage policy, then refund and confirm.",
        who,
    )
    found = yield from read_order(stage, facts.id)
    rule = yield from use(
        "Delivered. Does the damage policy cover it?",
        "check_policy",
        {"topic": "damage", "order_id": facts.id},
    )
    paid = yield from use(
        "It is covered, at the item's full price.",
        "issue_refund",
        {
            "order_id": facts.id,
            "amount_eur": found["items"][0]["unit_price_eur"],
            "reason": "Rug arrived with a tear, reported by the customer",
            "policy_ref": rule["policy_ref"],
        },
    )
    yield from use(
        "The refund is booked; now the written confirmation.",
        "send_confirmation",
        {"customer_id": who.id, "order_id": facts.id, "topic": "refund"},
    )
    return Turn(
        f"I'm sorry about the rug, {who.first_name}. I have refunded "
        f"{euro(paid['amount_eur'])} for order {facts.id} (refund "
        f"{paid['refund_id']}). It arrives within {paid['arrives_within_days']} "
        "days, and a confirmation is in your inbox."
    )


def move_delivery(stage: Stage) -> None:
    """The wished day is full; the next free one is taken, as the customer allowed."""
    who, facts = customer("C-1103"), order("TB-48355")
    wished = iso(stage, 6)
    free = workday(date.fromisoformat(wished) + timedelta(days=1)).isoformat()
    shop = Shop(stage)
    shop.full_days = {wished}
    stage.truth += [spoken(free), facts.window]

    asked = stage.pick(
        f"Can you deliver {facts.id} on {wished} instead, or the first free day after "
        f"that? Same time of day is fine. {who.email}",
        f"I'm away this week. Please move order {facts.id} to {wished} or the next free "
        f"day. Thanks! {who.name}, {who.email}",
    )
    run_agent(stage, support(stage, shop), asked, _moves(who, facts, wished))


def _moves(who: Customer, facts: OrderFacts, wished: str) -> Policy:
    yield from identify(
        f"Delivery of {facts.id} is to be moved to {wished}, or to the first free "
        "day after it. I'll find the account, read the order and change the "
        "delivery.",
        who,
    )
    yield from use(
        "The account is there. Now the order.", "get_order", {"order_id": facts.id}
    )
    change = {"order_id": facts.id, "date": wished, "window": facts.window}
    refused = yield from use(
        "Still movable. I'll ask for the wished day.", "change_delivery", change
    )
    next_free = refused["error"].rpartition(": ")[2].rstrip(".")
    yield from use(
        f"{wished} is full. The customer accepts the next free day, {next_free}.",
        "change_delivery",
        {**change, "date": next_free},
    )
    now = yield from use(
        "Accepted. I'll read the order again to be sure.",
        "get_order",
        {"order_id": facts.id},
    )
    return Turn(
        f"Done, {who.first_name}: {wished} was already full, so your "
        f"{items_text(now)} now comes on {now['delivery']['day']} between "
        f"{now['delivery']['window']}."
    )


def three_orders_at_once(stage: Stage) -> None:
    """Three orders read side by side, joined in one answer."""
    who = customer("C-1188")
    numbers = ("TB-48171", "TB-48233", "TB-48301")
    stage.truth += [due_text(stage, order(number)) for number in numbers]
    stage.truth += [f"{order(number).total:.2f}" for number in numbers]

    def policy() -> Policy:
        account = yield from identify(
            "She asks for all her open orders, with dates and amounts. I'll find the "
            "account, list the orders and read each of them.",
            who,
        )
        listed = yield from use(
            "Account found. Which orders are open?",
            "list_orders",
            {"customer_id": account["id"]},
        )
        calls = [
            Call("get_order", {"order_id": o["order_id"]}) for o in listed["orders"]
        ]
        replies = yield Turn("Three orders; I'll read them together.", tuple(calls))
        lines = [
            f"- {o['order_id']} ({items_text(o)}): {o['delivery']['day']}, "
            f"{o['delivery']['window']}, {euro(o['total_eur'])}"
            for o in (reply.data for reply in replies)
        ]
        intro = f"Hello {who.first_name}, these are your open orders:\n"
        return Turn(intro + "\n".join(lines))

    asked = stage.pick(
        f"I have lost track of my orders. What is still to come, when, and for how "
        f"much? {who.email}",
        f"Could you list all my open orders with delivery date and amount? I'm "
        f"{who.name}, {who.email}.",
    )
    run_agent(stage, support(stage), asked, policy())


def stock_in_shops(stage: Stage) -> None:
    """The same product in three shops, asked side by side."""
    stage.truth += ["4 in Aldermoor", "11 in Fennbridge", "none in Quayside"]

    def policy() -> Policy:
        stores = ("Aldermoor", "Quayside", "Fennbridge")
        replies = yield Turn(
            "Stock of the Linden bookcase in all three shops; no account is needed.",
            tuple(
                Call("check_stock", {"product": "Linden bookcase", "store": store})
                for store in stores
            ),
        )
        found = [reply.data for reply in replies]
        words = [f"{row['pieces'] or 'none'} in {row['store']}" for row in found]
        return Turn(
            f"The Linden bookcase is available: {', '.join(words[:-1])} and "
            f"{words[-1]} right now. Shall I have one put aside?"
        )

    asked = stage.pick(
        "Which of your shops has the Linden bookcase today?",
        "Is the Linden bookcase in stock anywhere I can just pick it up?",
    )
    run_agent(stage, support(stage), asked, policy())


NOOR_ASKS = "Please cancel my order. I'm at noor.vandijk@example.org. Thank you, Noor"


def ask_back(stage: Stage) -> None:
    """Two orders are open, so the agent asks which one is meant."""
    stage.truth += ["TB-48308", "TB-48312"]
    run_agent(stage, support(stage), NOOR_ASKS, _ask_back())


def _ask_back() -> Policy:
    account = yield from identify(
        "A cancellation without an order number. I'll find the account and see which "
        "orders are open.",
        customer("C-1301"),
    )
    listed = yield from use(
        "Account found. Which orders are open?",
        "list_orders",
        {"customer_id": account["id"]},
    )
    return Turn(_which(listed))


def _which(listed: Json) -> str:
    names = [f"{o['order_id']} ({', '.join(o['products'])})" for o in listed["orders"]]
    return (
        f"Happy to help, Noor. You have two open orders: {' and '.join(names)}. "
        "Which one shall I cancel?"
    )


CHOICE = (
    "Happy to help, Noor. You have two open orders: TB-48312 (Alder dining table) and "
    "TB-48308 (Birch desk 140). Which one shall I cancel?"
)
NOOR_CHOOSES = "The desk, TB-48308, please."


def cancel_the_desk(stage: Stage) -> None:
    """The next turn of the same conversation: one order is cancelled."""
    facts = order("TB-48308")
    stage.truth += [facts.id, f"{facts.total:.2f}"]

    def policy() -> Policy:
        rule = yield from use(
            f"Noor means the desk, order {facts.id}. Is a cancellation still allowed?",
            "check_policy",
            {"topic": "cancellation", "order_id": facts.id},
        )
        done = yield from use(
            "It hasn't left the warehouse, so it's free of charge.",
            "cancel_order",
            {"order_id": facts.id, "policy_ref": rule["policy_ref"]},
        )
        now = yield from use(
            "Cancelled. I'll read the order again to be sure.",
            "get_order",
            {"order_id": facts.id},
        )
        return Turn(
            f"Order {facts.id} ({items_text(now)}) is {now['status']}. You get "
            f"{euro(done['refund_eur'])} back within {done['refund_within_days']} days."
        )

    agent = support(stage)
    agent.messages += history([(NOOR_ASKS, CHOICE)])
    run_agent(stage, agent, NOOR_CHOOSES, policy())
