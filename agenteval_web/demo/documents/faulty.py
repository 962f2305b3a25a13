"""Documents that end in the wrong place, or nowhere."""

from __future__ import annotations

from dataclasses import replace

from agenteval_web.demo.agent import Agent, run_agent
from agenteval_web.demo.documents.healthy import (
    LEAD_SYSTEM,
    asks_for,
    contract_terms,
    desk,
    desk_tools,
)
from agenteval_web.demo.documents.ledger import SUPPLIERS
from agenteval_web.demo.documents.moves import (
    CONTRACT_TOOLS,
    clerk,
    extract,
    file,
    in_eur,
    match,
    read_invoice,
    use,
    validate,
)
from agenteval_web.demo.documents.office import GENERAL_COST_CENTER, Office
from agenteval_web.demo.models import LARGE
from agenteval_web.demo.oddities import killed, linked_in_a_ring
from agenteval_web.demo.script import Call, Fault, Policy, Turn
from agenteval_web.demo.stage import Stage
from agenteval_web.demo.tools import Outage, Toolbox

TEXT_FOR_NUMBER = Fault(
    "type-mismatch",
    "PARAMGEN",
    "The total is passed as text with a currency sign where a number is required. "
    "Validation refuses, filing refuses, and the report says it is filed.",
)
FILED_FIRST = Fault(
    "dependency-violation",
    "PLAN",
    "Filing comes before validation, which it needs, and is refused. Validation passes "
    "afterwards, but nothing files the invoice again; the report says it is filed.",
)
BROKEN_TEXT = Fault(
    "malformed-response",
    "EXEC",
    "The text recognition answers with half a JSON document. The agent reads no amounts "
    "off it and files the invoice with 0.00 EUR.",
)
SWAPPED_NOTICE = Fault(
    "conflation",
    "SYNTH",
    "Two contracts were read; the draft gives each the other's notice period, the "
    "review doesn't see it, and the report repeats it.",
)
MADE_UP_ORDER = Fault(
    "value-error",
    "PARAMGEN",
    "The order number in the call stands neither on the invoice nor anywhere else. The "
    "order is not found, and a sound invoice is sent to review.",
)
NO_TEXT = Fault(
    "timeout",
    "EXEC",
    "The text recognition times out three times; then the process is killed in the "
    "middle of the fourth try.",
)
WORKERS_ORDER = Fault(
    "value-error",
    "PARAMGEN",
    "One of twenty workers passes an order number that stands on no document. The order "
    "is not found, filing is refused, the worker reports the invoice as filed, and the "
    "desk counts it in the sum to pay.",
)

UNFILED = "DOC-3033"
COMPARISON_SYSTEM = "You write and check comparisons of contracts for the office."


def total_as_text(stage: Stage) -> None:
    """Wrong type → refused twice → success claimed."""
    office = Office.of(stage)
    number = "DOC-3003"
    stage.truth += ["not filed"]

    def policy() -> Policy:
        fields = yield from read_invoice(number)
        yield from use(
            f"{fields.supplier}, order {fields.po_number}. Do the amounts fit?",
            "validate_invoice",
            {
                "document_id": number,
                "supplier": fields.supplier,
                "net": fields.net,
                "vat": fields.vat,
                "total": f"EUR {fields.total:,.2f}",
            },
            TEXT_FOR_NUMBER,
        )
        order = yield from match(fields, "Checked. Now the purchase order.")
        yield from file(number, fields.total, order["cost_center"])
        return Turn(
            f"{number} from {fields.supplier} is validated and filed: "
            f"{fields.total:.2f} EUR under cost centre {order['cost_center']}."
        )

    run_agent(stage, clerk(office), asks_for(stage, number), policy())


def files_first(stage: Stage) -> None:
    """Filing before validation."""
    office = Office.of(stage)
    invoice = office.invoices["DOC-3008"]
    number = invoice.document_id
    stage.truth += ["not filed"]

    def policy() -> Policy:
        found = yield from use(
            f"Invoice {number}: read it, extract the fields, match the order.",
            "read_document",
            {"document_id": number},
        )
        fields = extract(found["text"])
        order = yield from match(fields, "Extracted. Now the purchase order.")
        yield from use(
            "The order matches, so I'll file the invoice first and validate it after.",
            "file_invoice",
            {
                "document_id": number,
                "total_eur": fields.total,
                "cost_center": order["cost_center"],
            },
            FILED_FIRST,
        )
        yield from validate(number, fields)
        return Turn(
            f"{number} from {fields.supplier} is filed and validated: {fields.total:.2f} "
            f"EUR under cost centre {order['cost_center']}."
        )

    run_agent(stage, clerk(office), asks_for(stage, number), policy())


def broken_text(stage: Stage) -> None:
    """Half a document → no amounts → filed with nothing."""
    office = Office.of(stage)
    invoice = office.invoices["DOC-3010"]
    number = invoice.document_id
    stage.truth += [f"{invoice.total:.2f}"]
    head = invoice.text.partition("\nBill")[0].replace("\n", "\\n")
    half = (
        f'{{"document_id": "{number}", "kind": "invoice", "pages": 1, "text": "{head}'
    )
    outage = Outage("", half, 1900, BROKEN_TEXT)

    def policy() -> Policy:
        (reply,) = yield Turn(
            f"Invoice {number}: read it, extract the fields, validate them, match the "
            "purchase order and file it.",
            (Call("read_document", {"document_id": number}),),
        )
        text = reply.text.partition('"text": "')[2].replace("\\n", "\n")
        fields = extract(text)
        yield from validate(number, fields)
        filed = yield from use(
            "There is no order to match, so I'll file it under the general cost centre.",
            "file_invoice",
            {
                "document_id": number,
                "total_eur": fields.total,
                "cost_center": GENERAL_COST_CENTER,
            },
        )
        return Turn(
            f"{number} from {fields.supplier} is filed as {filed['filing_ref']}, "
            f"{filed['payable_eur']:.2f} EUR to pay."
        )

    agent = clerk(office, outages={"read_document": [outage]})
    run_agent(stage, agent, asks_for(stage, number), policy())


def swapped_notice(stage: Stage) -> None:
    """Two contracts, one draft, one review; the two refer to each other."""
    office = Office.of(stage)
    pair = [office.contracts[number] for number in ("DOC-7101", "DOC-7102")]
    stage.truth += [
        f"{c.counterparty} can be left with {c.notice_days} days" for c in pair
    ]
    stage.edits.append(linked_in_a_ring("comparison_drafter", "comparison_reviewer"))
    asked = stage.pick(
        "Compare contracts DOC-7101 and DOC-7102: with how much notice can we leave each?",
        "What are the notice periods in DOC-7101 and DOC-7102?",
    )
    reader = clerk(office, CONTRACT_TOOLS)

    def policy() -> Policy:
        calls = [Call("read_document", {"document_id": c.document_id}) for c in pair]
        replies = yield Turn(
            "Two contracts: I'll read both, have the notice periods compared and "
            "reviewed, and report them.",
            tuple(calls),
        )
        texts = [reply.data["text"] for reply in replies]
        (first, _), (second, _) = (contract_terms(text) for text in texts)
        draft = (
            f"{pair[0].counterparty} can be left with {second} days' notice, "
            f"{pair[1].counterparty} with {first} days' notice."
        )
        drafted = _write(stage, "comparison_drafter", "\n\n".join(texts), draft)
        checked = _write(stage, "comparison_reviewer", drafted, f"Approved: {drafted}")
        return Turn(checked.removeprefix("Approved: "))

    run_agent(stage, reader, asked, policy())


def _write(stage: Stage, name: str, given: str, text: str) -> str:
    agent = Agent(name, COMPARISON_SYSTEM, Toolbox.of([]), LARGE)
    fault = SWAPPED_NOTICE if name == "comparison_drafter" else None
    return run_agent(stage, agent, given, _says(text, fault))


def _says(text: str, fault: Fault | None) -> Policy:
    yield from ()
    return Turn(text, fault=fault)


def made_up_order(stage: Stage) -> None:
    """Invented order number → not found → needless review."""
    office = Office.of(stage)
    invoice = office.invoices["DOC-3012"]
    number = invoice.document_id
    stage.truth += [f"{invoice.total_eur:.2f} EUR"]

    def policy() -> Policy:
        fields = yield from read_invoice(number)
        yield from validate(number, fields)
        yield from use(
            "The fields fit. Now the order.",
            "match_purchase_order",
            {"po_number": "PO-58814", "net": fields.net},
            MADE_UP_ORDER,
        )
        flagged = yield from use(
            "There is no such order, so a person has to look at it.",
            "flag_for_review",
            {"document_id": number, "reason": "Purchase order does not exist"},
        )
        return Turn(
            f"{number} from {fields.supplier} names an order that does not exist. It is "
            f"not filed and lies with the {flagged['assigned_to']} as {flagged['review']}."
        )

    run_agent(stage, clerk(office), asks_for(stage, number), policy())


def killed_while_reading(stage: Stage) -> None:
    """Timeouts, and a process that never ends its spans."""
    office = Office.of(stage)
    number = "DOC-3016"
    slow = Outage("TimeoutError", "ocr-worker: no answer within 20 s", 20_000)
    stage.edits.append(killed(6_000))

    def policy() -> Policy:
        text = (
            f"Invoice {number}: read it, extract the fields, validate them, match the "
            "purchase order and file it."
        )
        for _ in range(4):
            yield from use(text, "read_document", {"document_id": number})
            text = stage.pick("No answer. I'll read it again.", "Timed out; again.")
        return Turn("")

    outages = [replace(slow, fault=NO_TEXT), slow, slow, slow]
    agent = clerk(office, outages={"read_document": outages})
    run_agent(stage, agent, asks_for(stage, number), policy())


def month_end(stage: Stage) -> None:
    """Twenty invoices, five workers at a time; one of them makes up an order."""
    office = Office.of(stage)
    numbers = list(office.invoices)[-20:]
    stage.truth += [f"{UNFILED} is not filed"]
    odd = {UNFILED: _claims_filed(UNFILED)}
    lead = Agent("invoice_desk", LEAD_SYSTEM, desk_tools(stage, office, odd))
    asked = stage.pick(
        f"Month end: process {numbers[0]} to {numbers[-1]} and tell me the sum to pay.",
        f"Please take all invoices from {numbers[0]} to {numbers[-1]} to the payment "
        "list. What do we have to pay?",
    )
    run_agent(stage, lead, asked, _month(numbers[0], numbers[-1]))


def _month(first: str, last: str) -> Policy:
    listed = yield from use(
        f"First the list of documents from {first} to {last}; then the workers, five at "
        "a time; then the sum.",
        "list_documents",
        {"first": first, "last": last},
    )
    return (yield from desk(listed["documents"], group=5))


def _claims_filed(number: str) -> Policy:
    fields = yield from read_invoice(number)
    yield from validate(number, fields)
    yield from use(
        "The fields fit. Now the order.",
        "match_purchase_order",
        {"po_number": "PO-58227", "net": fields.net},
        WORKERS_ORDER,
    )
    total_eur = yield from in_eur(fields)
    yield from file(number, total_eur, SUPPLIERS[fields.supplier][1])
    return Turn(
        f"{number} from {fields.supplier} is filed: {total_eur:.2f} EUR, order "
        f"{fields.po_number} matches."
    )
