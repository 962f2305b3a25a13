"""Two desks: the first one hands a conversation over to the second."""

from __future__ import annotations

from agenteval_web.demo.agent import run_agent
from agenteval_web.demo.customer.moves import euro, support, use
from agenteval_web.demo.customer.shop import Shop
from agenteval_web.demo.customer.stock import (
    COLLECTION_FEE,
    PRICES,
    customer,
    order,
)
from agenteval_web.demo.script import Policy, Turn
from agenteval_web.demo.stage import Stage
from agenteval_web.demo.tools import Tool, Toolbox, schema
from traces.domain.records import Json


def handed_to_returns(stage: Stage) -> None:
    """The front desk hands over; the returns desk does the rest."""
    who, facts = customer("C-1204"), order("TB-48069")
    paid = PRICES["Finch office chair"] - COLLECTION_FEE
    stage.truth += [f"{paid:.2f}", facts.id]
    asked = stage.pick(
        f"One of the two office chairs from {facts.id} doesn't fit under my desk. It's "
        f"unused. Can I send it back? {who.email}",
        f"I'd like to return one Finch chair (order {facts.id}), never used. "
        f"{who.name}, {who.email}",
    )
    shop = Shop(stage)
    front = support(stage, shop, ("find_customer", "list_orders"), name="front_desk")
    front.toolbox = _with_transfer(front.toolbox)
    with stage.tracer.span("support conversation", _workflow(asked)) as span:
        stage.adopt(span)
        run_agent(stage, front, asked, _front_desk(facts.id, who.email))
        returns = support(
            stage,
            shop,
            ("get_order", "check_policy", "issue_refund", "send_confirmation"),
            name="returns_desk",
        )
        stage.answer = run_agent(stage, returns, asked, _returns_desk(stage))
        span.attributes["output.value"] = stage.answer


def _workflow(asked: str) -> dict[str, Json]:
    return {"openinference.span.kind": "CHAIN", "input.value": asked}


def _with_transfer(box: Toolbox) -> Toolbox:
    transfer = Tool(
        "transfer_to_returns_desk",
        "Hand the conversation over to the returns desk.",
        schema({"reason": "string: Why"}),
        lambda given: {"transferred_to": "returns_desk", "reason": given["reason"]},
        (2, 9),
    )
    return Toolbox.of([*box.tools.values(), transfer])


def _front_desk(number: str, email: str) -> Policy:
    account = yield from use(
        f"A return from order {number}. I'll find the account, then the returns desk "
        "takes over.",
        "find_customer",
        {"email": email},
    )
    yield from use(
        "The account is verified. Returns are not mine to decide.",
        "transfer_to_returns_desk",
        {"reason": f"{account['id']} wants to return one item of {number}"},
    )
    return Turn("I'm handing you over to our returns desk.")


def _returns_desk(stage: Stage) -> Policy:
    who, facts = customer("C-1204"), order("TB-48069")
    found = yield from use(
        f"One item of order {facts.id} is to come back. First the order itself.",
        "get_order",
        {"order_id": facts.id},
    )
    rule = yield from use(
        "Delivered; now the return policy.",
        "check_policy",
        {"topic": "return", "order_id": facts.id},
    )
    price = found["items"][0]["unit_price_eur"]
    paid = yield from use(
        f"Within the window. {euro(price)} less {euro(COLLECTION_FEE)} for collection.",
        "issue_refund",
        {
            "order_id": facts.id,
            "amount_eur": price - COLLECTION_FEE,
            "reason": "Return of one unused Finch office chair, less collection",
            "policy_ref": rule["policy_ref"],
        },
    )
    yield from use(
        "Booked. The customer gets it in writing.",
        "send_confirmation",
        {"customer_id": who.id, "order_id": facts.id, "topic": "return and refund"},
    )
    return Turn(
        f"That's fine, {who.first_name}. We collect one chair of order {facts.id} and "
        f"refund {euro(paid['amount_eur'])} ({euro(price)} less {euro(COLLECTION_FEE)} "
        f"collection), refund {paid['refund_id']}."
    )
