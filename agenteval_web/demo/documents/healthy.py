"""Documents that end where they belong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from agenteval_web.demo.agent import Agent, run_agent
from agenteval_web.demo.documents.moves import (
    CONTRACT_TOOLS,
    INVOICE_TOOLS,
    SYSTEM,
    clerk,
    done_text,
    extract,
    file,
    in_eur,
    match,
    process,
    read_invoice,
    use,
    validate,
)
from agenteval_web.demo.documents.office import Office, toolbox
from agenteval_web.demo.oddities import clock_behind
from agenteval_web.demo.script import Call, Policy, Turn
from agenteval_web.demo.stage import Stage
from agenteval_web.demo.tools import Outage, Tool, Toolbox, schema
from traces.domain.records import Json


def asks_for(stage: Stage, number: str) -> str:
    """Somebody's request to process an invoice."""
    return stage.pick(
        f"Please process invoice {number}.",
        f"New invoice in the archive: {number}. Check and file it.",
        f"{number} came in this morning, please take it to the payment list.",
    )


def plain_invoice(stage: Stage) -> None:
    """Read, validate, match, file."""
    office = Office.of(stage)
    number = "DOC-3001"
    stage.truth += [f"{office.invoices[number].total_eur:.2f} EUR", "AP-84161"]
    run_agent(stage, clerk(office), asks_for(stage, number), process(number))


def order_differs(stage: Stage) -> None:
    """The order says less than the invoice: flagged, not filed."""
    office = Office.of(stage)
    invoice = office.invoices["DOC-3005"]
    office.ordered[invoice.po_number] = round(invoice.net - invoice.lines[0][2], 2)
    stage.truth += [f"{invoice.lines[0][2]:.2f}", "RV-3005"]
    number = invoice.document_id

    def policy() -> Policy:
        fields = yield from read_invoice(number)
        yield from validate(number, fields)
        order = yield from match(fields)
        gap = f"{order['difference']:.2f} EUR"
        flagged = yield from use(
            f"The invoice is {gap} above the order. That's for a person to decide.",
            "flag_for_review",
            {"document_id": number, "reason": f"Net is {gap} above {fields.po_number}"},
        )
        return Turn(
            f"{number} from {fields.supplier} is not filed: its net amount is {gap} above "
            f"order {fields.po_number}. It is with the {flagged['assigned_to']} as "
            f"{flagged['review']}."
        )

    run_agent(stage, clerk(office), asks_for(stage, number), policy())


def reads_again(stage: Stage) -> None:
    """The text recognition restarts; the second attempt works."""
    office = Office.of(stage)
    number = "DOC-3006"
    stage.truth += [f"{office.invoices[number].total_eur:.2f} EUR"]
    restart = Outage("HTTPError", "503 ocr-worker is restarting, retry shortly", 1500)

    def policy() -> Policy:
        yield from use(
            f"Invoice {number}: read it, extract the fields, validate them, match the "
            "purchase order and file it.",
            "read_document",
            {"document_id": number},
        )
        found = yield from use(
            "The text recognition was restarting. I'll read it again.",
            "read_document",
            {"document_id": number},
        )
        fields = extract(found["text"])
        yield from validate(number, fields)
        order = yield from match(fields)
        total_eur = yield from in_eur(fields)
        filed = yield from file(number, total_eur, order["cost_center"])
        return Turn(done_text(number, fields, filed))

    agent = clerk(office, outages={"read_document": [restart]})
    run_agent(stage, agent, asks_for(stage, number), policy())


def contract_filed(stage: Stage) -> None:
    """A contract; the reader's machine has a slow clock."""
    office = Office.of(stage)
    contract = office.contracts["DOC-7103"]
    stage.truth += [f"{contract.notice_days} days", contract.ends_on.isoformat()]
    stage.edits.append(clock_behind("read_document", 4_200))

    def policy() -> Policy:
        found = yield from use(
            "Contract DOC-7103: read it, extract counterparty, end and notice, file it.",
            "read_document",
            {"document_id": "DOC-7103"},
        )
        days, ends = contract_terms(found["text"])
        filed = yield from use(
            f"With {contract.counterparty}, notice {days} days, ends {ends}.",
            "file_contract",
            {
                "document_id": "DOC-7103",
                "counterparty": contract.counterparty,
                "notice_days": days,
                "ends_on": ends,
            },
        )
        return Turn(
            f"The agreement with {contract.counterparty} is filed as "
            f"{filed['filing_ref']}: notice {days} days, ends on {ends}, reminder set."
        )

    asked = stage.pick(
        "Please file contract DOC-7103; I need the notice period and the end.",
        "DOC-7103 is a new contract. File it and tell me notice and end date.",
    )
    run_agent(stage, clerk(office, CONTRACT_TOOLS), asked, policy())


def contract_terms(text: str) -> tuple[int, str]:
    """Days of notice and last day, as a contract's text has them."""
    days = re.search(r"with (\d+) days' notice", text)
    ends = re.search(r"ends on (\d{4}-\d\d-\d\d)", text)
    return int(days.group(1)) if days else 0, ends.group(1) if ends else ""


LEAD_SYSTEM = """You lead the invoice desk of Marrowgate Logistics. Give every invoice to
a worker, several at the same time, then add up what they filed and report the sum."""


def three_workers(stage: Stage) -> None:
    """Three workers of the same name at the same time."""
    office = Office.of(stage)
    numbers = ["DOC-3011", "DOC-3013", "DOC-3015"]
    total = sum(office.invoices[number].total_eur for number in numbers)
    stage.truth += [f"{total:.2f} EUR"]
    asked = (
        f"Process {', '.join(numbers[:-1])} and {numbers[-1]}; what do they add up to?"
    )
    lead = Agent("invoice_desk", LEAD_SYSTEM, desk_tools(stage, office))
    run_agent(stage, lead, asked, desk(numbers, group=3))


def desk_tools(
    stage: Stage, office: Office, odd: Mapping[str, Policy] | None = None
) -> Toolbox:
    """The lead's tools: workers, a list and a sum.

    Args:
        stage: The run.
        office: The office.
        odd: Policies of workers that don't work as the others do, by document.
    """
    worker = Tool(
        "process_invoice",
        "Have one invoice processed by an invoice worker.",
        schema({"document_id": "string: Number in the archive"}),
        partial(_work, stage, office, odd or {}),
        (2, 6),
    )
    own = toolbox(office, ("list_documents", "add_up")).tools
    return Toolbox.of([worker, *own.values()])


def _work(stage: Stage, office: Office, odd: Mapping[str, Policy], given: Json) -> Json:
    number = given["document_id"]
    worker = Agent("invoice_worker", SYSTEM, toolbox(office, INVOICE_TOOLS))
    policy = odd.get(number) or process(number)
    report = run_agent(stage, worker, f"Process invoice {number}.", policy)
    said = re.search(r"([\d.]+) EUR", report)
    return {
        "document_id": number,
        "payable_eur": float(said.group(1)) if said else None,
        "report": report,
    }


def desk(numbers: list[str], group: int) -> Policy:
    """Hand out invoices in groups, then add up."""
    payable: list[float] = []
    for start in range(0, len(numbers), group):
        batch = numbers[start : start + group]
        replies = yield Turn(
            f"{len(batch)} invoices for the workers: {', '.join(batch)}.",
            tuple(Call("process_invoice", {"document_id": number}) for number in batch),
        )
        payable += [reply.data["payable_eur"] for reply in replies]
    total = yield from use(
        "All workers have reported. The sum:", "add_up", {"amounts": payable}
    )
    return Turn(
        f"{total['count']} invoices are processed and filed. Together they come to "
        f"{total['sum_eur']:.2f} EUR."
    )
