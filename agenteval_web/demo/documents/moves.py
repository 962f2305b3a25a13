"""Reading an invoice and taking it through the office."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from agenteval_web.demo.agent import Agent
from agenteval_web.demo.documents.office import Office, toolbox
from agenteval_web.demo.script import Call, Fault, Policy, Replies, Turn
from agenteval_web.demo.tools import Outage
from traces.domain.records import Json

Move: TypeAlias = Generator[Turn, Replies, Json]

SYSTEM = """You process documents for Marrowgate Logistics.
Invoices: read the document, extract supplier, order number, net, tax, total and
currency, validate them, match the purchase order, convert other currencies to EUR, then
file the invoice under the order's cost centre. If something doesn't fit, flag the
document for review and don't file it.
Contracts: read them, extract counterparty, end and notice, and file them.
Report the filing reference and the amounts exactly as the tools gave them."""

INVOICE_TOOLS = (
    "read_document",
    "validate_invoice",
    "match_purchase_order",
    "convert_to_eur",
    "file_invoice",
    "flag_for_review",
)
CONTRACT_TOOLS = ("read_document", "file_contract", "flag_for_review")


@dataclass(frozen=True, slots=True)
class Fields:
    """What the model reads off an invoice."""

    supplier: str
    po_number: str
    net: float
    vat: float
    total: float
    currency: str


def clerk(
    office: Office,
    tools: Sequence[str] = INVOICE_TOOLS,
    outages: Mapping[str, Sequence[Outage]] | None = None,
    name: str = "document_clerk",
) -> Agent:
    """An agent with these tools of the office."""
    return Agent(name, SYSTEM, toolbox(office, tools, outages))


def extract(text: str) -> Fields:
    """Read the fields off an invoice's text, as a careful reader does."""
    net, vat, total = (_amount(text, word) for word in ("Net", "VAT 20%", "Total"))
    order = re.search(r"PO-\d+", text)
    currency = re.search(r"Total: [\d,.]+ (\w+)", text)
    return Fields(
        supplier=text.partition("\n")[0],
        po_number=order.group() if order else "",
        net=net,
        vat=vat,
        total=total,
        currency=currency.group(1) if currency else "EUR",
    )


def _amount(text: str, word: str) -> float:
    found = re.search(rf"{re.escape(word)}: ([\d,.]+)", text)
    return float(found.group(1).replace(",", "")) if found else 0.0


def use(
    text: str, tool: str, arguments: Mapping[str, Json], fault: Fault | None = None
) -> Move:
    """One turn with one call; gives the reply's data."""
    (reply,) = yield Turn(text, (Call(tool, arguments),), fault)
    return reply.data


def read_invoice(number: str) -> Generator[Turn, Replies, Fields]:
    """Say the plan, read the document, extract its fields."""
    found = yield from use(
        f"Invoice {number}: read it, extract the fields, validate them, match the "
        "purchase order and file it.",
        "read_document",
        {"document_id": number},
    )
    return extract(found["text"])


def validate(number: str, fields: Fields) -> Move:
    """Have extracted fields checked."""
    text = (
        f"{fields.supplier}, order {fields.po_number or 'not given'}: net {fields.net:.2f}, tax "
        f"{fields.vat:.2f}, total {fields.total:.2f} {fields.currency}. Do they fit?"
    )
    return (
        yield from use(
            text,
            "validate_invoice",
            {
                "document_id": number,
                "supplier": fields.supplier,
                "net": fields.net,
                "vat": fields.vat,
                "total": fields.total,
            },
        )
    )


def match(fields: Fields, text: str = "The fields fit. Now the order.") -> Move:
    """Hold the invoice against its order."""
    return (
        yield from use(
            text,
            "match_purchase_order",
            {"po_number": fields.po_number, "net": fields.net},
        )
    )


def in_eur(fields: Fields) -> Move:
    """The total in EUR, converted where it has to be."""
    if fields.currency == "EUR":
        return fields.total
    converted = yield from use(
        "The order matches. The payment list is in EUR, so the total is converted.",
        "convert_to_eur",
        {"amount": fields.total, "currency": fields.currency},
    )
    return converted["amount_eur"]


def file(number: str, total_eur: float, cost_center: str) -> Move:
    """Put the invoice on the payment list."""
    return (
        yield from use(
            f"Everything fits; I'll file it under cost centre {cost_center}.",
            "file_invoice",
            {
                "document_id": number,
                "total_eur": total_eur,
                "cost_center": cost_center,
            },
        )
    )


def process(number: str) -> Policy:
    """An invoice from the archive to the payment list."""
    fields = yield from read_invoice(number)
    yield from validate(number, fields)
    order = yield from match(fields)
    total_eur = yield from in_eur(fields)
    filed = yield from file(number, total_eur, order["cost_center"])
    return Turn(done_text(number, fields, filed))


def done_text(number: str, fields: Fields, filed: Mapping[str, Json]) -> str:
    """The report on a filed invoice."""
    return (
        f"{number} from {fields.supplier} is filed as {filed['filing_ref']}: "
        f"{filed['payable_eur']:.2f} EUR under cost centre {filed['cost_center']}, order "
        f"{fields.po_number} matches."
    )
