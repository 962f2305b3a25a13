"""The shop's systems as tools: what they answer depends on what was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date, timedelta

from agenteval_web.demo.customer.stock import (
    COLLECTION_FEE,
    CUSTOMERS,
    DAMAGE_DAYS,
    ORDERS,
    PRICES,
    RETURN_DAYS,
    STOCK,
    OrderFacts,
)
from agenteval_web.demo.stage import Stage, day_text, workday
from agenteval_web.demo.tools import ToolError
from traces.domain.records import Json

Arguments = Mapping[str, Json]


class Shop:
    """Orders, policies and deliveries on the day of one run."""

    def __init__(self, stage: Stage) -> None:
        """Open the shop with all orders as they are on the day of a run."""
        self.stage = stage
        self.orders: dict[str, dict[str, Json]] = {
            facts.id: self._order(facts) for facts in ORDERS
        }
        self.policies: set[str] = set()
        self.full_days: set[str] = set()
        self.slow_writes = False
        """Whether changes are only queued, and dropped by the carrier later."""

    def _order(self, facts: OrderFacts) -> dict[str, Json]:
        due = facts.due_day(self.stage.today)
        return {
            "order_id": facts.id,
            "customer_id": facts.customer,
            "status": facts.status,
            "placed_on": (self.stage.today - timedelta(days=facts.placed)).isoformat(),
            "items": [self._item(facts, *item) for item in facts.items],
            "total_eur": facts.total,
            "delivery": {
                "date": due.isoformat(),
                "day": day_text(due),
                "window": facts.window,
            },
            "parcel_id": facts.parcel or None,
        }

    def _item(self, facts: OrderFacts, name: str, count: int) -> dict[str, Json]:
        row: dict[str, Json] = {
            "product": name,
            "quantity": count,
            "unit_price_eur": PRICES[name],
        }
        if name == facts.backorder:
            late = workday(self.stage.today + timedelta(days=facts.due + 18))
            row["availability"] = {
                "state": "backorder",
                "expected": late.isoformat(),
                "day": day_text(late),
            }
        return row

    def find_customer(self, given: Arguments) -> Json:
        """Account of an e-mail address."""
        for customer in CUSTOMERS:
            if customer.email == given["email"].strip().lower():
                return asdict(customer) | {"verified": True}
        raise ToolError(f"No customer with e-mail {given['email']}.", "NotFoundError")

    def list_orders(self, given: Arguments) -> Json:
        """Orders of a customer, newest first, without their details."""
        found = [
            {
                "order_id": order["order_id"],
                "status": order["status"],
                "placed_on": order["placed_on"],
                "products": [item["product"] for item in order["items"]],
            }
            for order in self.orders.values()
            if order["customer_id"] == given["customer_id"]
        ]
        return {"orders": sorted(found, key=lambda o: o["placed_on"], reverse=True)}

    def get_order(self, given: Arguments) -> Json:
        """One order, complete."""
        order = self.orders.get(given["order_id"])
        if order is None:
            text = f"Order {given['order_id']} does not exist."
            raise ToolError(text, "NotFoundError")
        return order

    def search_orders(self, given: Arguments) -> Json:
        """Orders whose customer's name contains a text, over the whole shop."""
        people = {
            c.id: c.name for c in CUSTOMERS if given["name"].lower() in c.name.lower()
        }
        found = [
            {"customer": people[order["customer_id"]], **order}
            for order in self.orders.values()
            if order["customer_id"] in people
        ]
        found.sort(key=lambda order: str(order["placed_on"]), reverse=True)
        return {"count": len(found), "orders": found}

    def track_parcel(self, given: Arguments) -> Json:
        """Where the carrier says a parcel is."""
        for order in self.orders.values():
            if order["parcel_id"] == given["parcel_id"]:
                return {
                    "parcel_id": given["parcel_id"],
                    "state": order["status"],
                    "last_scan": "Fennbridge hub, 06:42",
                    "estimated_delivery": order["delivery"],
                }
        raise ToolError(f"Parcel {given['parcel_id']} is unknown.", "NotFoundError")

    def check_policy(self, given: Arguments) -> Json:
        """Whether the rules allow something for an order; gives a reference."""
        order = self.get_order(given)
        allowed, rule = self._rule(given["topic"], order)
        reference = f"POL-{given['topic'][:3].upper()}-{order['order_id'][3:]}"
        if allowed:
            self.policies.add(reference)
        return {"policy_ref": reference, "allowed": allowed, "rule": rule}

    def _rule(self, topic: str, order: Mapping[str, Json]) -> tuple[bool, str]:
        delivered = order["status"] == "delivered"
        since = self.stage.today.toordinal() - _ordinal(order["delivery"]["date"])
        if topic == "return":
            text = (
                f"Returns within {RETURN_DAYS} days of delivery, unused; "
                f"collection costs {COLLECTION_FEE:.2f} EUR."
            )
            return delivered and since <= RETURN_DAYS, text
        if topic == "damage":
            text = (
                f"Damage reported within {DAMAGE_DAYS} days of delivery: the item's "
                "price is refunded, no collection fee."
            )
            return delivered and since <= DAMAGE_DAYS, text
        if topic == "cancellation":
            text = "Free of charge until the parcel is handed to the carrier."
            return order["status"] in {"processing", "scheduled"}, text
        text = "The delivery day can be moved once, up to the evening before."
        return order["status"] != "delivered", text

    def change_delivery(self, given: Arguments) -> Json:
        """Move an order's delivery to another day."""
        order = self.get_order(given)
        if given["date"] in self.full_days:
            free = _shift(given["date"], 1)
            raise ToolError(
                f"No slot left on {given['date']}. Next free day: {free}.",
                "ConflictError",
            )
        if self.slow_writes:
            return {"request": f"CHG-{order['order_id'][3:]}", "accepted": True}
        order["delivery"] = {
            "date": given["date"],
            "day": _day(given["date"]),
            "window": given["window"],
        }
        return {"request": f"CHG-{order['order_id'][3:]}", "accepted": True}

    def cancel_order(self, given: Arguments) -> Json:
        """Cancel an order that hasn't been handed to the carrier."""
        order = self.get_order(given)
        self._need_policy(given["policy_ref"])
        order["status"] = "cancelled"
        return {
            "order_id": order["order_id"],
            "status": "cancelled",
            "refund_eur": order["total_eur"],
            "refund_within_days": 5,
        }

    def issue_refund(self, given: Arguments) -> Json:
        """Pay money back for an order."""
        order = self.get_order(given)
        self._need_policy(given["policy_ref"])
        if given["amount_eur"] > order["total_eur"]:
            raise ToolError(
                "Amount is higher than the order's total.", "ValidationError"
            )
        return {
            "refund_id": f"RF-{int(order['order_id'][3:]) + 41977}",
            "order_id": order["order_id"],
            "amount_eur": given["amount_eur"],
            "state": "booked",
            "arrives_within_days": 5,
        }

    def _need_policy(self, reference: str) -> None:
        if reference not in self.policies:
            text = f"Policy reference {reference} is unknown or does not allow this."
            raise ToolError(text, "PermissionDeniedError")

    def check_stock(self, given: Arguments) -> Json:
        """Pieces of a product in one shop."""
        pieces = STOCK.get((given["product"], given["store"]))
        if pieces is None:
            text = f"{given['product']} is not listed in {given['store']}."
            raise ToolError(text, "NotFoundError")
        return {"product": given["product"], "store": given["store"], "pieces": pieces}

    def send_confirmation(self, given: Arguments) -> Json:
        """Send the customer a written confirmation."""
        number = sum(ord(c) for c in f"{given['customer_id']}{given['order_id']}")
        return {"message_id": f"MSG-{number * 37}", "sent": True}


def _ordinal(text: str) -> int:
    return date.fromisoformat(text).toordinal()


def _shift(text: str, days: int) -> str:
    return workday(date.fromisoformat(text) + timedelta(days=days)).isoformat()


def _day(text: str) -> str:
    return day_text(date.fromisoformat(text))
