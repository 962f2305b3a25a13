"""The graph that each workflow is expected to have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agenteval_web.demo import analysis, customer, documents

_STEPS = {
    customer.WORKFLOW: """
        find_customer?  list_orders?  get_order?*  track_parcel?  check_policy?
        change_delivery?*  cancel_order?  issue_refund?  check_stock?*
        send_confirmation?  transfer_to_returns_desk?  answer*
    """,
    analysis.WORKFLOW: """
        describe_table?  run_sql*  calculate?*  make_chart?  audit_district?*
        log_finding?*  close_district?*  summary*
    """,
    documents.WORKFLOW: """
        read_document*  validate_invoice?*  match_purchase_order?*  convert_to_eur?*
        file_invoice?*  file_contract?*  flag_for_review?  process_invoice?*
        list_documents?  add_up?  report*
    """,
}
"""Steps in order; ``?`` may be absent, ``*`` may come several times."""

_EDGES = {
    customer.WORKFLOW: """
        find_customer>list_orders find_customer>get_order get_order>track_parcel
        check_policy>issue_refund check_policy>cancel_order
        issue_refund>send_confirmation
    """,
    analysis.WORKFLOW: "run_sql>make_chart run_sql>calculate",
    documents.WORKFLOW: """
        read_document>validate_invoice validate_invoice>match_purchase_order
        match_purchase_order>convert_to_eur match_purchase_order>file_invoice
        validate_invoice>file_invoice convert_to_eur>file_invoice
        read_document>file_contract
    """,
}
_ANSWERS = frozenset({"answer", "summary", "report"})


def schemas() -> tuple[dict[str, Any], ...]:
    """One JSON object a workflow.

    ``{"workflow": …, "steps": [{"name", "type", "tool", "optional", "repeat"}],
    "edges": [[before, after], …]}``. Tools are EXEC steps named like the tool; the
    answer is a SYNTH step. Planning and the choice of tools are left free.
    """
    return tuple(
        {
            "workflow": workflow,
            "steps": [_step(word) for word in words.split()],
            "edges": [pair.split(">") for pair in _EDGES[workflow].split()],
        }
        for workflow, words in _STEPS.items()
    )


def _step(word: str) -> dict[str, Any]:
    name = word.rstrip("?*")
    step: dict[str, Any] = {"name": name, "type": "EXEC", "tool": name}
    if name in _ANSWERS:
        step = {"name": name, "type": "SYNTH"}
    return step | dict(_marks(word))


def _marks(word: str) -> Iterable[tuple[str, bool]]:
    if "?" in word:
        yield "optional", True
    if word.endswith("*"):
        yield "repeat", True
