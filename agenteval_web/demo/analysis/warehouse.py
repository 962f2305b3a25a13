"""The operator's tables, made once a seed and really queried."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from random import Random

from agenteval_web.demo.stage import SATURDAY
from agenteval_web.demo.tools import ToolError
from traces.domain.records import Json

DISTRICTS: Mapping[str, tuple[str, int]] = {
    "Oldtown": ("Abbey Bell Candle Dyers Fountain Guildhall Mint Minster Salt", 12),
    "Riverside": ("Barge Eel Ferry Heron Lock Mooring Otter Reed Weir", 12),
    "Hillcrest": ("Beacon Cairn Falcon Heather Larch Lookout Quarry Ridge", 12),
    "Docklands": ("Anchor Crane Cutter Gantry Harbour Lantern Rope Sail Tar", 20),
    "Parkside": ("Aviary Bandstand Chestnut Glade Lily Maze Orchard Pond", 12),
    "University": ("Archive College Faculty Lecture Library Observatory Quad", 12),
    "Northgate": ("Barley Cattle Cooper Forge Granary Mill Saddle Toll", 12),
    "Stationside": ("Arrival Depot Junction Platform Signal Ticket Viaduct", 12),
}
"""Words that station names begin with, and stations, by district."""

ENDINGS = ("Street", "Square", "Corner", "Gate", "Bridge", "Yard", "Lane")
FAULTS = ("flat tyre", "brake", "chain", "dock lock", "saddle", "display")
RIDERS = ("member", "casual")
MAX_ROWS = 500

COLUMNS = {
    "stations": ("station_id", "name", "district", "docks"),
    "daily_trips": ("day", "station_id", "rider", "trips", "minutes", "revenue_eur"),
    "repairs": ("repair_id", "day", "station_id", "fault", "hours"),
}


@dataclass(frozen=True)
class Warehouse:
    """All rows, and two whole months that they cover.

    Attributes:
        earlier: First day of the earlier month.
        later: First day of the later month.
        rows: Rows by table, in the order of ``COLUMNS``.
    """

    earlier: date
    later: date
    rows: Mapping[str, list[tuple[Json, ...]]]

    def connect(self) -> sqlite3.Connection:
        """A database of its own in memory, closed for writing."""
        database = sqlite3.connect(":memory:")
        for table, columns in COLUMNS.items():
            marks = ", ".join("?" for _ in columns)
            insert = "INSERT INTO {} VALUES ({})".format
            database.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
            database.executemany(insert(table, marks), self.rows[table])
        database.execute("PRAGMA query_only = 1")
        return database

    def month(self, table: str, first: date) -> list[dict[str, Json]]:
        """Rows of a table in the month of a day, by column name, without SQL."""
        names, month = COLUMNS[table], f"{first:%Y-%m}"
        rows = (dict(zip(names, row, strict=True)) for row in self.rows[table])
        return [row for row in rows if row["day"].startswith(month)]


@cache
def warehouse(seed: int, before: date) -> Warehouse:
    """The tables of the two whole months before a day."""
    later = (before.replace(day=1) - timedelta(days=1)).replace(day=1)
    earlier = (later - timedelta(days=1)).replace(day=1)
    rng = Random(f"{seed}/warehouse")  # noqa: S311 - invented data, repeatable
    stations = list(_stations(rng))
    days = [
        earlier + timedelta(days=n)
        for n in range((before.replace(day=1) - earlier).days)
    ]
    return Warehouse(
        earlier,
        later,
        {
            "stations": stations,
            "daily_trips": list(_trips(rng, stations, days)),
            "repairs": list(_repairs(rng, stations, days)),
        },
    )


def _stations(rng: Random) -> Iterable[tuple[Json, ...]]:
    number = 100
    for district, (words, count) in DISTRICTS.items():
        names = [f"{word} {end}" for word in words.split() for end in ENDINGS]
        for name in sorted(rng.sample(names, count)):
            number += 1
            yield number, name, district, rng.choice((12, 16, 20, 24, 30))


def _trips(
    rng: Random, stations: list[tuple[Json, ...]], days: list[date]
) -> Iterable[tuple[Json, ...]]:
    for station, _, _, docks in stations:
        pull = rng.uniform(0.4, 2.2)
        for day in days:
            for rider in RIDERS:
                weekend = day.weekday() >= SATURDAY
                base = 1.4 if (rider == "casual") == weekend else 0.8
                trips = max(1, int(rng.gauss(docks * pull * base, 4)))
                minutes = trips * rng.randint(9, 15) + rng.randint(0, 8)
                price = 0.0 if rider == "member" else 1.0
                revenue = round(trips * price + minutes * 0.09, 2)
                yield day.isoformat(), station, rider, trips, minutes, revenue


def _repairs(
    rng: Random, stations: list[tuple[Json, ...]], days: list[date]
) -> Iterable[tuple[Json, ...]]:
    number = 5000
    for station in stations:
        for day in sorted(rng.sample(days, rng.randint(3, 9))):
            number += 1
            fault = rng.choice(FAULTS)
            yield (
                number,
                day.isoformat(),
                station[0],
                fault,
                rng.choice((0.5, 1, 1.5, 2)),
            )


def month_name(first: date) -> str:
    """``October 2026`` for the first day of that month."""
    return f"{first:%B %Y}"


def in_month(statement: str, first: date, **values: object) -> str:
    """A statement with ``{month}`` filled in: the condition on the column day.

    Args:
        statement: SQL with ``{month}`` and the names of other values in braces.
        first: First day of the month.
        values: What else is filled in.
    """
    return statement.format(month=f"day LIKE '{first:%Y-%m}-%'", **values)


def run_sql(database: sqlite3.Connection, query: str) -> Json:
    """Columns and rows of a query.

    Raises:
        ToolError: What the database says about a query it can't run.
    """
    try:
        cursor = database.execute(query)
        rows = cursor.fetchmany(MAX_ROWS)
    except sqlite3.Error as error:
        raise ToolError(str(error), "OperationalError") from error
    columns = [column[0] for column in cursor.description or ()]
    return {"columns": columns, "rows": rows, "row_count": len(rows)}
