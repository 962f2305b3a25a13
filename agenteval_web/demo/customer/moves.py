"""What every support conversation has in common."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import TypeAlias

from agenteval_web.demo.agent import Agent
from agenteval_web.demo.customer.shop import Shop
from agenteval_web.demo.customer.stock import Customer, OrderFacts
from agenteval_web.demo.customer.tooling import toolbox
from agenteval_web.demo.script import Call, Fault, Replies, Turn
from agenteval_web.demo.stage import Stage, day_text, workday
from agenteval_web.demo.tools import Outage
from traces.domain.records import Json

Move: TypeAlias = Generator[Turn, Replies, Json]

SYSTEM = """You are the support agent of Tallowbrook Furniture.
- Find the customer's account before you read or change an order.
- Never quote dates, amounts or rules from memory: look them up.
- Check the policy before a refund or a cancellation and pass its reference on.
- After a change, read the order again before you confirm it.
- If a request can mean two things, ask one short question first.
Answer in plain text, friendly and brief. Currency is EUR."""


def support(
    stage: Stage,
    shop: Shop | None = None,
    tools: Sequence[str] = (),
    outages: Mapping[str, Sequence[Outage]] | None = None,
    name: str = "support_agent",
) -> Agent:
    """A support agent with these tools of the shop."""
    return Agent(name, SYSTEM, toolbox(shop or Shop(stage), tools, outages))


def use(
    text: str, tool: str, arguments: Mapping[str, Json], fault: Fault | None = None
) -> Move:
    """One turn with one call; gives the reply's data."""
    (reply,) = yield Turn(text, (Call(tool, arguments),), fault)
    return reply.data


def identify(plan: str, who: Customer, fault: Fault | None = None) -> Move:
    """Say the plan and find the account."""
    return (yield from use(plan, "find_customer", {"email": who.email}, fault))


def read_order(stage: Stage, number: str) -> Move:
    """Read an order by its number."""
    text = stage.pick(
        f"The account is there. Now I'll read order {number}.",
        f"Account found. Next: order {number}.",
    )
    return (yield from use(text, "get_order", {"order_id": number}))


def items_text(order: Mapping[str, Json]) -> str:
    """The items of an order in a sentence."""
    return counted((item["product"], item["quantity"]) for item in order["items"])


def counted(items: Iterable[tuple[str, int]]) -> str:
    """Products with their counts: ``Alder dining table and 4 x Rowan chair``."""
    return " and ".join(
        f"{count} x {name}" if count > 1 else name for name, count in items
    )


def due_text(stage: Stage, order: OrderFacts) -> str:
    """When an order comes (or came), found from the facts alone."""
    return day_text(order.due_day(stage.today))


def iso(stage: Stage, days: int) -> str:
    """A day this far from the run, never a Sunday."""
    return workday(stage.today + timedelta(days=days)).isoformat()


def spoken(day: str) -> str:
    """An ISO date as people write it."""
    return day_text(date.fromisoformat(day))


def euro(amount: float) -> str:
    """An amount as the agents write it."""
    return f"{amount:,.2f} EUR"
