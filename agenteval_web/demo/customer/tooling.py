"""What the support agents are told about their tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from agenteval_web.demo.customer.shop import Shop
from agenteval_web.demo.tools import Outage, Tool, Toolbox, schema
from traces.domain.records import Json

FAST, SLOW = (40.0, 180.0), (350.0, 1400.0)
ORDER = {"order_id": "string: Order number, for example TB-10000"}
POLICY = {"policy_ref": "string: Reference from check_policy"}

_TOOLS: Mapping[str, tuple[str, dict[str, Json], tuple[float, float]]] = {
    "find_customer": (
        "Find a customer's account by e-mail address.",
        schema({"email": "string: Address the customer writes from"}),
        FAST,
    ),
    "list_orders": (
        "List a customer's orders, newest first.",
        schema({"customer_id": "string: Account number"}),
        FAST,
    ),
    "get_order": (
        "Read one order with items, total and delivery.",
        schema(ORDER),
        FAST,
    ),
    "search_orders": (
        "Search all orders of the shop by part of a customer's name. Slow.",
        schema({"name": "string: Part of a name"}),
        SLOW,
    ),
    "track_parcel": (
        "Ask the carrier where a parcel is.",
        schema({"parcel_id": "string: Parcel number from the order"}),
        SLOW,
    ),
    "check_policy": (
        "Check whether the shop's rules allow something for an order.",
        schema({"topic": "return|damage|cancellation|delivery: Subject", **ORDER}),
        FAST,
    ),
    "change_delivery": (
        "Ask the carrier to move a delivery. Read the order again afterwards to "
        "see whether it was done.",
        schema(
            {
                **ORDER,
                "date": "string: New day, YYYY-MM-DD",
                "window": "string: Time window, HH:MM-HH:MM",
            }
        ),
        SLOW,
    ),
    "cancel_order": ("Cancel an order.", schema({**ORDER, **POLICY}), SLOW),
    "issue_refund": (
        "Refund an amount for an order.",
        schema(
            {
                **ORDER,
                "amount_eur": "number: Amount in EUR",
                "reason": "string: Reason for the ledger",
                **POLICY,
            }
        ),
        SLOW,
    ),
    "check_stock": (
        "Pieces of a product in one of the shops.",
        schema(
            {
                "product": "string: Full product name",
                "store": "Aldermoor|Quayside|Fennbridge: Shop",
            }
        ),
        FAST,
    ),
    "send_confirmation": (
        "Send the customer a written confirmation.",
        schema(
            {
                "customer_id": "string: Account number",
                **ORDER,
                "topic": "string: What is confirmed",
            }
        ),
        FAST,
    ),
}


def toolbox(
    shop: Shop,
    names: Sequence[str] = (),
    outages: Mapping[str, Sequence[Outage]] | None = None,
) -> Toolbox:
    """The shop's tools with these names, all of them without names."""
    tools = [
        Tool(name, text, parameters, partial(_run, shop, name), takes)
        for name, (text, parameters, takes) in _TOOLS.items()
        if not names or name in names
    ]
    return Toolbox.of(tools, outages)


def _run(shop: Shop, name: str, given: Mapping[str, Json]) -> Json:
    return getattr(shop, name)(given)
