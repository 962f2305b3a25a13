"""The accounts office as tools: archive, checks, orders, filing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from agenteval_web.demo.documents.ledger import (
    RATES,
    SUPPLIERS,
    Contract,
    Invoice,
    contracts,
    invoices,
)
from agenteval_web.demo.stage import Stage
from agenteval_web.demo.tools import Outage, Tool, Toolbox, ToolError, schema
from traces.domain.records import Json

CENT = 0.01
GENERAL_COST_CENTER = "4000"
"""For invoices without an order."""
Arguments = Mapping[str, Json]


@dataclass
class Office:
    """The archive, and what was validated and filed during one run."""

    invoices: Mapping[str, Invoice]
    contracts: Mapping[str, Contract]
    ordered: dict[str, float] = field(default_factory=dict)
    """Net amounts ordered, where they differ from the invoice, by order number."""
    validated: set[str] = field(default_factory=set)
    matched: set[str] = field(default_factory=set)
    filed: dict[str, float] = field(default_factory=dict)

    @staticmethod
    def of(stage: Stage) -> Office:
        """The office on the day of a run."""
        return Office(
            invoices(stage.seed, stage.data_until), contracts(stage.data_until)
        )

    def read_document(self, given: Arguments) -> Json:
        """Text of a document."""
        number = given["document_id"]
        found = self.invoices.get(number) or self.contracts.get(number)
        if found is None:
            raise ToolError(
                f"Document {number} is not in the archive.", "NotFoundError"
            )
        kind = "invoice" if isinstance(found, Invoice) else "contract"
        return {"document_id": number, "kind": kind, "pages": 1, "text": found.text}

    def validate_invoice(self, given: Arguments) -> Json:
        """Whether extracted fields fit together."""
        problems = []
        if given["supplier"] not in SUPPLIERS:
            problems.append(f"supplier {given['supplier']!r} is not on the list")
        if abs(given["net"] + given["vat"] - given["total"]) > CENT:
            problems.append("net and VAT don't add up to the total")
        if not problems:
            self.validated.add(given["document_id"])
        return {"valid": not problems, "problems": problems}

    def match_purchase_order(self, given: Arguments) -> Json:
        """Hold an invoice against the order it names."""
        for invoice in self.invoices.values():
            if invoice.po_number == given["po_number"]:
                self.matched.add(invoice.document_id)
                ordered = self.ordered.get(invoice.po_number, invoice.net)
                return {
                    "po_number": invoice.po_number,
                    "supplier": invoice.supplier,
                    "ordered_net": ordered,
                    "difference": round(given["net"] - ordered, 2),
                    "cost_center": invoice.cost_center,
                }
        raise ToolError(
            f"Purchase order {given['po_number']} not found.", "NotFoundError"
        )

    def convert_to_eur(self, given: Arguments) -> Json:
        """Convert at the month's rate."""
        rate = RATES[given["currency"]]
        return {
            "amount": given["amount"],
            "currency": given["currency"],
            "rate": rate,
            "amount_eur": round(given["amount"] * rate, 2),
        }

    def file_invoice(self, given: Arguments) -> Json:
        """Put an invoice on the payment list; it must have been validated."""
        number = given["document_id"]
        if number not in self.validated:
            raise ToolError(
                f"409 Conflict: {number} has not been validated.", "ConflictError"
            )
        if number not in self.matched and given["cost_center"] != GENERAL_COST_CENTER:
            raise ToolError(f"409 Conflict: {number} has no order.", "ConflictError")
        self.filed[number] = given["total_eur"]
        return {
            "filing_ref": f"AP-{int(number[4:]) + 81160}",
            "payable_eur": given["total_eur"],
            "cost_center": given["cost_center"],
        }

    def flag_for_review(self, given: Arguments) -> Json:
        """Put a document on a person's desk."""
        return {
            "review": f"RV-{given['document_id'][4:]}",
            "assigned_to": "accounts desk",
        }

    def file_contract(self, given: Arguments) -> Json:
        """Put a contract on the list of running contracts."""
        return {"filing_ref": f"CT-{given['document_id'][4:]}", "reminder_set": True}

    def list_documents(self, given: Arguments) -> Json:
        """Numbers of the documents from one to another."""
        first, last = given["first"], given["last"]
        return {"documents": [n for n in self.invoices if first <= n <= last]}

    def add_up(self, given: Arguments) -> Json:
        """Sum of amounts."""
        return {
            "count": len(given["amounts"]),
            "sum_eur": round(sum(given["amounts"]), 2),
        }


DOCUMENT = {"document_id": "string: Number in the archive, for example DOC-1000"}

_TOOLS: Mapping[str, tuple[str, dict[str, Json], tuple[float, float]]] = {
    "read_document": ("Text of a document.", schema(DOCUMENT), (600, 2600)),
    "validate_invoice": (
        "Check extracted fields: supplier known, amounts add up.",
        schema(
            {
                **DOCUMENT,
                "supplier": "string: Name on the invoice",
                "net": "number: Net amount",
                "vat": "number: Tax",
                "total": "number: Total",
            }
        ),
        (60, 200),
    ),
    "match_purchase_order": (
        "Hold the net amount against the purchase order.",
        schema({"po_number": "string: Order number", "net": "number: Net amount"}),
        (90, 380),
    ),
    "convert_to_eur": (
        "Convert an amount to EUR.",
        schema({"amount": "number: Amount", "currency": "EUR|SEK|GBP: Its currency"}),
        (20, 90),
    ),
    "file_invoice": (
        "Put a validated invoice on the payment list.",
        schema(
            {
                **DOCUMENT,
                "total_eur": "number: Total in EUR",
                "cost_center": "string: Cost centre of the order",
            }
        ),
        (150, 600),
    ),
    "flag_for_review": (
        "Put a document on a person's desk.",
        schema({**DOCUMENT, "reason": "string: Why"}),
        (60, 160),
    ),
    "file_contract": (
        "Put a contract on the list of running contracts.",
        schema(
            {
                **DOCUMENT,
                "counterparty": "string: Other party",
                "notice_days": "integer: Days of notice",
                "ends_on": "string: Last day, YYYY-MM-DD",
            }
        ),
        (150, 600),
    ),
    "list_documents": (
        "Numbers of the documents in the archive from one to another.",
        schema({"first": "string: First number", "last": "string: Last number"}),
        (40, 160),
    ),
    "add_up": (
        "Add up amounts in EUR.",
        schema({"amounts": "array: Numbers"}),
        (2, 10),
    ),
}


def toolbox(
    office: Office,
    names: Sequence[str],
    outages: Mapping[str, Sequence[Outage]] | None = None,
) -> Toolbox:
    """The office's tools with these names."""
    return Toolbox.of([_tool(office, name) for name in names], outages)


def _tool(office: Office, name: str) -> Tool:
    text, parameters, takes = _TOOLS[name]
    return Tool(name, text, parameters, partial(_run, office, name), takes)


def _run(office: Office, name: str, given: Mapping[str, Any]) -> Json:
    return getattr(office, name)(given)
