"""What the shop sells, who bought it, and when: all invented."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from agenteval_web.demo.stage import workday

PRICES = {
    "Alder dining table": 649.00,
    "Rowan chair": 119.00,
    "Linden bookcase": 279.00,
    "Sorrel two-seater sofa": 899.00,
    "Sorrel footstool": 149.00,
    "Hazel bed frame 160": 529.00,
    "Hazel bedside table": 99.00,
    "Brook floor lamp": 89.50,
    "Brook table lamp": 54.90,
    "Tansy wool rug 170x240": 315.00,
    "Birch desk 140": 359.00,
    "Finch office chair": 229.00,
    "Juniper wardrobe": 749.00,
    "Clover shelf set": 74.90,
    "Marl garden bench": 199.00,
    "Wren coat stand": 64.00,
}
"""Price in EUR by product."""

STOCK = {
    ("Linden bookcase", "Aldermoor"): 4,
    ("Linden bookcase", "Quayside"): 0,
    ("Linden bookcase", "Fennbridge"): 11,
    ("Birch desk 140", "Aldermoor"): 2,
    ("Birch desk 140", "Quayside"): 6,
    ("Finch office chair", "Quayside"): 9,
}
"""Pieces by product and shop."""

WINDOWS = ("08:00-12:00", "12:00-16:00", "16:00-20:00")
RETURN_DAYS = 45
DAMAGE_DAYS = 60
COLLECTION_FEE = 29.00


@dataclass(frozen=True, slots=True)
class Customer:
    """A person with an account."""

    id: str
    name: str
    email: str
    address: str

    @property
    def first_name(self) -> str:
        """What the agent calls them."""
        return self.name.split()[0]


@dataclass(frozen=True, slots=True)
class OrderFacts:
    """An order, with dates relative to the day of the run.

    Attributes:
        id: Order number.
        customer: Customer id.
        items: Product and count, in order.
        placed: Days ago it was placed.
        due: Days until (negative: since) delivery.
        status: ``processing``, ``scheduled``, ``in_transit`` or ``delivered``.
        parcel: Parcel number, "" before shipping.
        backorder: Product that isn't in stock, "" if all are.
    """

    id: str
    customer: str
    items: tuple[tuple[str, int], ...]
    placed: int
    due: int
    status: str
    parcel: str = ""
    backorder: str = ""

    @property
    def total(self) -> float:
        """Price of everything in EUR."""
        return round(sum(PRICES[name] * count for name, count in self.items), 2)

    @property
    def window(self) -> str:
        """Time of day of the delivery."""
        return WINDOWS[int(self.id[-1]) % len(WINDOWS)]

    def due_day(self, today: date) -> date:
        """Day of the delivery, past or to come."""
        return workday(today + timedelta(days=self.due))


_CUSTOMERS = """
C-1042 | Marta Oyelaran    | marta.oyelaran@example.com  | Lime Row 14, Aldermoor
C-1077 | Jonas Vetterli    | j.vetterli@example.net      | Ropewalk 3, Quayside
C-1103 | Priya Ramaswamy   | priya.r@example.org         | Mill Lane 27, Fennbridge
C-1150 | Tomasz Bielak     | tbielak@example.com         | Orchard Close 8, Aldermoor
C-1188 | Ingrid Solheim    | ingrid.solheim@example.net  | Harbour Street 61, Quayside
C-1204 | Luca Ferrante     | luca.ferrante@example.org   | Station Road 5, Fennbridge
C-1219 | Amina Diallo      | amina.diallo@example.com    | Beech Avenue 102, Aldermoor
C-1256 | Peter Hallworth   | peter.hallworth@example.net | Weir Street 19, Fennbridge
C-1257 | Petra Hallworth   | p.hallworth@example.com     | Chapel Hill 2, Quayside
C-1301 | Noor van Dijk     | noor.vandijk@example.org    | Tanner's Yard 7, Aldermoor
C-1334 | Samuel Adeyemi    | sam.adeyemi@example.com     | Kiln Road 33, Quayside
C-1362 | Chloé Bertin      | chloe.bertin@example.net    | Church Walk 11, Fennbridge
C-1390 | Hiroshi Tanabe    | h.tanabe@example.org        | Upper Green 45, Aldermoor
C-1415 | Zsófia Kiss       | zsofia.kiss@example.com     | Ferry Lane 6, Quayside
C-1448 | Daniel O'Rourke   | dan.orourke@example.net     | Saddler Street 80, Fennbridge
C-1479 | Elif Demirtaş     | elif.demirtas@example.org   | Poplar Court 21, Aldermoor
C-1502 | Gareth Pugh-Jones | gpj@example.com             | Lock Cottage, Fennbridge
C-1530 | Rosa Villanueva   | rosa.villanueva@example.net | Corn Market 9, Quayside
"""

_ORDERS = """
TB-48213 | C-1042 | Alder dining table x1; Rowan chair x4         |  9 |   2 | in_transit | PX77412093
TB-47960 | C-1042 | Brook floor lamp x1                           | 34 | -29 | delivered  | PX77118820
TB-48107 | C-1077 | Tansy wool rug 170x240 x1                     | 16 |  -5 | delivered  | PX77390155
TB-48355 | C-1103 | Juniper wardrobe x1                           |  6 |   4 | scheduled  |
TB-48290 | C-1150 | Alder dining table x1                         |  5 |   6 | processing |
TB-48326 | C-1150 | Birch desk 140 x1; Finch office chair x1      |  2 |   9 | processing |
TB-48171 | C-1188 | Sorrel two-seater sofa x1                     | 13 |   1 | in_transit | PX77406618
TB-48233 | C-1188 | Sorrel footstool x1; Brook table lamp x2      |  8 |   3 | in_transit | PX77419034
TB-48301 | C-1188 | Clover shelf set x3                           |  4 |   5 | processing |
TB-48069 | C-1204 | Finch office chair x2                         | 21 | -12 | delivered  | PX77352471
TB-48192 | C-1219 | Hazel bed frame 160 x1; Hazel bedside table x2 | 11 |  1 | in_transit | PX77411186
TB-48145 | C-1256 | Linden bookcase x2                            | 15 |   3 | in_transit | PX77398802
TB-48260 | C-1257 | Marl garden bench x1                          |  7 |   8 | processing |
TB-48308 | C-1301 | Birch desk 140 x1                             |  4 |   5 | processing |
TB-48312 | C-1301 | Alder dining table x1                         |  3 |   7 | processing |
TB-47788 | C-1334 | Sorrel two-seater sofa x1                     | 71 | -58 | delivered  | PX76960417
TB-48214 | C-1362 | Wren coat stand x1                            |  9 |  -2 | delivered  | PX77412777
TB-48278 | C-1362 | Tansy wool rug 170x240 x1; Brook table lamp x1 | 6 |   4 | processing |            | Tansy wool rug 170x240
TB-48130 | C-1390 | Birch desk 140 x1                             | 15 |  -6 | delivered  | PX77395540
TB-48221 | C-1415 | Juniper wardrobe x1                           |  9 |   2 | in_transit | PX77413659
TB-48317 | C-1448 | Hazel bed frame 160 x1                        |  9 |   6 | in_transit | PX77430071
TB-48156 | C-1479 | Rowan chair x2                                | 14 |  -4 | delivered  | PX77401228
TB-48244 | C-1479 | Rowan chair x4                                |  8 |   2 | in_transit | PX77421903
TB-48181 | C-1502 | Marl garden bench x2                          | 12 |   1 | in_transit | PX77408347
TB-48098 | C-1530 | Brook floor lamp x2                           | 18 |  -8 | delivered  | PX77384016
"""


def _rows(text: str) -> Iterator[list[str]]:
    for line in text.strip().splitlines():
        yield [cell.strip() for cell in line.split("|")]


def _items(text: str) -> tuple[tuple[str, int], ...]:
    pairs = (item.rpartition(" x") for item in text.split("; "))
    return tuple((name, int(count)) for name, _, count in pairs)


CUSTOMERS = tuple(Customer(*row) for row in _rows(_CUSTOMERS))
ORDERS = tuple(
    OrderFacts(number, who, _items(items), int(placed), int(due), *rest)
    for number, who, items, placed, due, *rest in _rows(_ORDERS)
)


def customer(customer_id: str) -> Customer:
    """A customer by id."""
    return next(found for found in CUSTOMERS if found.id == customer_id)


def order(order_id: str) -> OrderFacts:
    """An order's facts by its number."""
    return next(found for found in ORDERS if found.id == order_id)
