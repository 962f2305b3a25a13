"""All scenarios: when they ran, under which version, and what is odd about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from agenteval_web.demo import analysis, customer, documents
from agenteval_web.demo.analysis import audit, declared, faulty, healthy
from agenteval_web.demo.customer import execution_faults, handoff, planning_faults
from agenteval_web.demo.customer import healthy as served
from agenteval_web.demo.documents import declared as intake
from agenteval_web.demo.documents import faulty as misfiled
from agenteval_web.demo.documents import healthy as filed
from agenteval_web.demo.stage import Stage

Play = Callable[[Stage], None]
Row = tuple[float, Play, str, str, str]
NEW_VERSION_AGE = 6.5
"""Days before now when version 2.4.0 went live."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One run to be played.

    Attributes:
        workflow: Name of the workflow.
        service: Service name of the agent's process.
        age: Days before now.
        play: Plays the run on a stage.
        title: Name of the trace.
        tag: Tag of the trace.
        user: User id.
    """

    workflow: str
    service: str
    age: float
    play: Play
    title: str
    tag: str
    user: str

    @property
    def slug(self) -> str:
        """Unique name of the scenario."""
        return self.play.__name__

    @property
    def version(self) -> str:
        """Version of the agent that was live then."""
        return "2.3.0" if self.age > NEW_VERSION_AGE else "2.4.0"

    @property
    def dialect(self) -> str:
        """Convention that the spans follow."""
        return "openinference" if self.play in _OPENINFERENCE else "gen_ai"

    @property
    def session(self) -> str:
        """Session of the run, "" if it stands alone."""
        return _SESSIONS.get(self.play, "")


_CUSTOMER: tuple[Row, ...] = (
    (13.60, served.where_is_my_order, "Where is order TB-48213?", "delivery", "C-1042"),
    (
        12.30,
        planning_faults.quotes_rule_from_memory,
        "Return the sofa of TB-47788",
        "return",
        "C-1334",
    ),
    (11.80, served.refund_damaged_rug, "Torn rug, TB-48107", "refund", "C-1077"),
    (
        11.10,
        execution_faults.carrier_down,
        "Where is the wardrobe (TB-48221)?",
        "delivery",
        "C-1415",
    ),
    (
        10.10,
        planning_faults.cancels_without_asking,
        "Cancel my order",
        "cancellation",
        "C-1150",
    ),
    (
        9.40,
        served.three_orders_at_once,
        "All open orders of C-1188",
        "delivery",
        "C-1188",
    ),
    (
        8.30,
        execution_faults.ignores_backorder,
        "Rug and lamp of TB-48278",
        "delivery",
        "C-1362",
    ),
    (
        7.60,
        execution_faults.gives_up_tracking,
        "Delivery day of TB-48192",
        "delivery",
        "C-1219",
    ),
    (
        7.00,
        planning_faults.confirms_unread,
        "Move the delivery of TB-48181",
        "delivery",
        "C-1502",
    ),
    (
        6.20,
        served.stock_in_shops,
        "Linden bookcase in the shops",
        "stock",
        "guest-5512",
    ),
    (
        5.60,
        execution_faults.swapped_digits,
        "Return date of TB-48130",
        "return",
        "C-1390",
    ),
    (5.10, served.move_delivery, "Move the delivery of TB-48355", "delivery", "C-1103"),
    (
        4.50,
        execution_faults.refund_without_reason,
        "Broken lamps, TB-48098",
        "refund",
        "C-1530",
    ),
    (
        3.90,
        handoff.handed_to_returns,
        "Return one chair of TB-48069",
        "return",
        "C-1204",
    ),
    (3.200, served.ask_back, "Noor cancels an order", "cancellation", "C-1301"),
    (3.195, served.cancel_the_desk, "Noor: the desk", "cancellation", "C-1301"),
    (
        3.188,
        planning_faults.answers_half,
        "Noor: table delivery and returns",
        "delivery",
        "C-1301",
    ),
    (
        2.50,
        planning_faults.searches_by_surname,
        "When does TB-48145 come?",
        "delivery",
        "C-1256",
    ),
    (
        1.70,
        planning_faults.cancels_without_policy,
        "Cancel the bed frame TB-48317",
        "cancellation",
        "C-1448",
    ),
    (
        0.60,
        execution_faults.swapped_orders,
        "Which chairs have come?",
        "delivery",
        "C-1479",
    ),
)
_ANALYSIS: tuple[Row, ...] = (
    (
        13.200,
        healthy.revenue_by_district,
        "Revenue by district",
        "revenue",
        "o.lindqvist",
    ),
    (
        13.195,
        healthy.member_trips_compared,
        "Member trips, month on month",
        "trips",
        "o.lindqvist",
    ),
    (
        13.188,
        faulty.forgets_members,
        "Member trips on weekends",
        "trips",
        "o.lindqvist",
    ),
    (
        10.60,
        healthy.corrects_column_name,
        "Stations with most repairs",
        "repairs",
        "m.farouk",
    ),
    (9.00, faulty.query_times_out, "Stations that move together", "trips", "j.abara"),
    (8.00, faulty.asks_three_times, "Number of trips", "trips", "m.farouk"),
    (7.20, faulty.invents_reason, "Why did revenue change?", "revenue", "o.lindqvist"),
    (6.10, declared.nightly_report, "Nightly report", "nightly", "scheduler"),
    (
        5.30,
        faulty.adds_up_what_is_left,
        "Repair hours of all stations",
        "repairs",
        "m.farouk",
    ),
    (
        3.50,
        faulty.describes_instead_of_counting,
        "Minutes of casual riders",
        "trips",
        "j.abara",
    ),
    (2.10, declared.report_of_wrong_month, "Nightly report", "nightly", "scheduler"),
    (1.30, audit.station_audit, "Monthly station audit", "audit", "scheduler"),
)
_DOCUMENTS: tuple[Row, ...] = (
    (12.70, filed.plain_invoice, "Invoice DOC-3001", "invoice", "p.okafor"),
    (9.70, filed.order_differs, "Invoice DOC-3005", "invoice", "p.okafor"),
    (8.60, misfiled.made_up_order, "Invoice DOC-3012", "invoice", "s.brandt"),
    (7.50, misfiled.files_first, "Invoice DOC-3008", "invoice", "p.okafor"),
    (6.80, filed.contract_filed, "Contract DOC-7103", "contract", "s.brandt"),
    (5.90, filed.reads_again, "Invoice DOC-3006", "invoice", "s.brandt"),
    (4.80, misfiled.total_as_text, "Invoice DOC-3003", "invoice", "p.okafor"),
    (4.20, misfiled.broken_text, "Invoice DOC-3010", "invoice", "s.brandt"),
    (2.80, filed.three_workers, "Three invoices at once", "batch", "p.okafor"),
    (
        2.30,
        misfiled.swapped_notice,
        "Notice periods of two contracts",
        "contract",
        "s.brandt",
    ),
    (1.90, intake.mail_intake, "Invoice DOC-3018 by mail", "invoice", "mailbox"),
    (1.10, misfiled.killed_while_reading, "Invoice DOC-3016", "invoice", "p.okafor"),
    (0.40, misfiled.month_end, "Month end: 20 invoices", "batch", "p.okafor"),
)

_OPENINFERENCE = frozenset(
    {
        served.refund_damaged_rug,
        served.three_orders_at_once,
        served.stock_in_shops,
        handoff.handed_to_returns,
        planning_faults.searches_by_surname,
        execution_faults.swapped_orders,
        faulty.query_times_out,
        faulty.invents_reason,
        misfiled.broken_text,
        filed.three_workers,
    }
)
_SESSIONS: dict[Play, str] = {
    served.ask_back: "chat-3301-noor",
    served.cancel_the_desk: "chat-3301-noor",
    planning_faults.answers_half: "chat-3301-noor",
    healthy.revenue_by_district: "notebook-118",
    healthy.member_trips_compared: "notebook-118",
    faulty.forgets_members: "notebook-118",
}
_GROUPS = (
    (customer.WORKFLOW, "tallowbrook-support", _CUSTOMER),
    (analysis.WORKFLOW, "spindleway-analyst", _ANALYSIS),
    (documents.WORKFLOW, "marrowgate-documents", _DOCUMENTS),
)


def scenarios() -> Iterator[Scenario]:
    """All scenarios, oldest first within each workflow."""
    for workflow, service, rows in _GROUPS:
        for row in rows:
            yield Scenario(workflow, service, *row)
