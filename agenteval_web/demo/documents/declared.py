"""The intake of invoices by mail: a pipeline that declares its steps."""

from __future__ import annotations

import json

from agenteval_web.demo.documents.moves import INVOICE_TOOLS, extract
from agenteval_web.demo.documents.office import Office, toolbox
from agenteval_web.demo.pipeline import USER, Node, Results, run_pipeline
from agenteval_web.demo.script import Fault
from agenteval_web.demo.stage import Stage
from traces.domain.records import Json

NO_COST_CENTER = Fault(
    "missing-required",
    "PARAMGEN",
    "The arguments for filing lack the cost centre, which the order gave. Filing "
    "refuses, and the receipt says that the invoice is filed.",
)


def mail_intake(stage: Stage) -> None:
    """Read, extract, validate and match, file, receipt; an argument is missing."""
    stage.truth += ["not filed"]
    box = toolbox(Office.of(stage), INVOICE_TOOLS)
    run_pipeline(stage, "mail_intake", box, _nodes("DOC-3018"))


def _nodes(number: str) -> tuple[Node, ...]:
    return (
        Node("mail", USER, (), lambda _: f"Invoice {number} came by mail: take it in."),
        Node("read_document", "EXEC", ("mail",), lambda _: {"document_id": number}),
        Node("extract_fields", "PARAMGEN", ("read_document",), _fields),
        Node(
            "validate_invoice",
            "EXEC",
            ("extract_fields",),
            lambda r: {
                "document_id": number,
                **_kept(r, "supplier", "net", "vat", "total"),
            },
        ),
        Node(
            "match_purchase_order",
            "EXEC",
            ("extract_fields",),
            lambda r: _kept(r, "po_number", "net"),
        ),
        Node(
            "filing_arguments",
            "PARAMGEN",
            ("extract_fields", "validate_invoice", "match_purchase_order"),
            lambda r: {
                "document_id": number,
                "total_eur": r["extract_fields"]["total"],
            },
            NO_COST_CENTER,
        ),
        Node(
            "file_invoice",
            "EXEC",
            ("filing_arguments",),
            lambda r: r["filing_arguments"],
        ),
        Node("receipt", "SYNTH", ("extract_fields", "file_invoice"), _receipt),
    )


def _fields(results: Results) -> Json:
    fields = extract(json.loads(results["read_document"])["text"])
    return {
        "supplier": fields.supplier,
        "po_number": fields.po_number,
        "net": fields.net,
        "vat": fields.vat,
        "total": fields.total,
        "currency": fields.currency,
    }


def _kept(results: Results, *names: str) -> dict[str, Json]:
    return {name: results["extract_fields"][name] for name in names}


def _receipt(results: Results) -> str:
    fields = results["extract_fields"]
    return (
        f"Your invoice over {fields['total']:.2f} {fields['currency']} for order "
        f"{fields['po_number']} has been checked and filed for payment."
    )
