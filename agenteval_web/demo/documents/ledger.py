"""Invoices, purchase orders and contracts, all invented."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from random import Random

RATES = {"EUR": 1.0, "SEK": 0.088, "GBP": 1.16}
"""Value of one unit in EUR."""

SUPPLIERS: Mapping[str, tuple[str, str, tuple[tuple[str, float], ...]]] = {
    "Ostergate Tyres Ltd": (
        "EUR",
        "4100",
        (("Truck tyre 315/80", 389.0), ("Fitting", 42.5)),
    ),
    "Halden Cold Chain AB": (
        "SEK",
        "4200",
        (("Reefer service", 6850.0), ("Coolant 20 l", 1290.0)),
    ),
    "Brightwater Fuels": (
        "EUR",
        "4300",
        (("Diesel, 1,000 l", 1480.0), ("AdBlue, 1,000 l", 610.0)),
    ),
    "Corvane Print & Label": (
        "GBP",
        "4400",
        (("Thermal labels, box", 58.4), ("Ribbon", 12.9)),
    ),
    "Pell & Sons Pallets": (
        "EUR",
        "4500",
        (("Pallet 120x80", 14.2), ("Pallet repair", 6.3)),
    ),
    "Lumen Yard Electrics": (
        "EUR",
        "4600",
        (("LED flood light", 176.0), ("Electrician, hour", 68.0)),
    ),
    "Gannet Office Supply": (
        "EUR",
        "4400",
        (("Paper, pallet", 742.0), ("Toner set", 189.9)),
    ),
    "Tidewell Cleaning": (
        "EUR",
        "4700",
        (("Hall cleaning, month", 1150.0), ("Window cleaning", 340.0)),
    ),
    "Norrvik Lifttruck AB": (
        "SEK",
        "4200",
        (("Fork lift hire, month", 9400.0), ("Battery check", 1850.0)),
    ),
    "Sable Security": (
        "EUR",
        "4700",
        (("Guard, night", 264.0), ("Patrol round", 31.0)),
    ),
}
"""Currency, cost centre and goods (with unit price) by supplier."""

VAT = 0.2
CHEAP, DEAR = 35, 1000
PAY_WITHIN = timedelta(days=45)
FIRST_DOCUMENT = 3001
INVOICES = 40


@dataclass(frozen=True, slots=True)
class Invoice:
    """An invoice as it lies in the archive.

    Attributes:
        document_id: Number in the archive.
        number: The supplier's own number.
        supplier: Who sent it.
        po_number: Purchase order it names.
        issued: Day it was written.
        lines: Goods, count and unit price.
        currency: Currency of all amounts.
        cost_center: Where the order books it.
    """

    document_id: str
    number: str
    supplier: str
    po_number: str
    issued: date
    lines: tuple[tuple[str, int, float], ...]
    currency: str
    cost_center: str

    @property
    def net(self) -> float:
        """Sum of the lines."""
        return round(sum(count * price for _, count, price in self.lines), 2)

    @property
    def vat(self) -> float:
        """Value-added tax."""
        return round(self.net * VAT, 2)

    @property
    def total(self) -> float:
        """What is to be paid, in the invoice's currency."""
        return round(self.net + self.vat, 2)

    @property
    def total_eur(self) -> float:
        """What is to be paid, in EUR."""
        return round(self.total * RATES[self.currency], 2)

    @property
    def text(self) -> str:
        """The invoice as the text recognition gives it."""
        goods = "\n".join(
            f"{name:<24}{count:>5}  {price:>10,.2f}  {count * price:>12,.2f}"
            for name, count, price in self.lines
        )
        return (
            f"{self.supplier}\nINVOICE {self.number}\nDate: {self.issued}\n"
            f"Bill to: Marrowgate Logistics, Accounts\nYour order: {self.po_number}\n\n"
            f"{'Item':<24}{'Qty':>5}  {'Unit':>10}  {'Amount':>12}\n{goods}\n\n"
            f"Net: {self.net:,.2f} {self.currency}\nVAT 20%: {self.vat:,.2f} "
            f"{self.currency}\nTotal: {self.total:,.2f} {self.currency}\n"
            f"Due: {self.issued + PAY_WITHIN}\n"
        )


@dataclass(frozen=True, slots=True)
class Contract:
    """A contract as it lies in the archive."""

    document_id: str
    counterparty: str
    subject: str
    notice_days: int
    ends_on: date
    yearly_eur: float

    @property
    def text(self) -> str:
        """The contract as the text recognition gives it."""
        return (
            f"SERVICE AGREEMENT\nbetween Marrowgate Logistics and {self.counterparty}\n\n"
            f"1. Subject. {self.counterparty} provides {self.subject}.\n"
            f"2. Fee. {self.yearly_eur:,.2f} EUR a year, payable quarterly.\n"
            "3. Quality. Response to a call within one working day.\n"
            f"4. Term. This agreement ends on {self.ends_on} unless renewed.\n"
            f"5. Notice. Either party may terminate with {self.notice_days} days' notice.\n"
            "6. Liability. Limited to the yearly fee.\n"
        )


@cache
def invoices(seed: int, before: date) -> Mapping[str, Invoice]:
    """Invoices by document id, issued in the month before a day."""
    rng = Random(f"{seed}/invoices")  # noqa: S311 - invented data, repeatable
    names = list(SUPPLIERS)
    found = [_invoice(rng, n, names[n % len(names)], before) for n in range(INVOICES)]
    return {invoice.document_id: invoice for invoice in found}


def _invoice(rng: Random, n: int, supplier: str, before: date) -> Invoice:
    currency, cost_center, goods = SUPPLIERS[supplier]
    return Invoice(
        document_id=f"DOC-{FIRST_DOCUMENT + n}",
        number=f"{''.join(w[0] for w in supplier.split() if w[0].isalpha())}-{rng.randint(10000, 99999)}",
        supplier=supplier,
        po_number=f"PO-{rng.randint(60000, 69999)}",
        issued=before - timedelta(days=rng.randint(1, 12)),
        lines=(
            *((name, _count(rng, price), price) for name, price in goods),
            ("Delivery", 1, round(rng.uniform(18, 160), 2)),
        ),
        currency=currency,
        cost_center=cost_center,
    )


def _count(rng: Random, price: float) -> int:
    """More pieces of what is cheap."""
    if price < CHEAP:
        return rng.randint(4, 24) * 5
    return rng.randint(2, 14) if price < DEAR else rng.randint(1, 3)


def contracts(before: date) -> Mapping[str, Contract]:
    """Contracts by document id."""
    rows = (
        ("DOC-7101", "Tidewell Cleaning", "cleaning of both halls", 30, 220, 17_880.0),
        (
            "DOC-7102",
            "Sable Security",
            "night guards at the east gate",
            90,
            410,
            96_360.0,
        ),
        (
            "DOC-7103",
            "Lumen Yard Electrics",
            "upkeep of the yard lights",
            60,
            300,
            8_640.0,
        ),
    )
    return {
        row[0]: Contract(*row[:4], before + timedelta(days=row[4]), row[5])
        for row in rows
    }
