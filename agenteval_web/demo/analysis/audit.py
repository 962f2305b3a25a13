"""The big station audit: one lead, eight district auditors, 104 stations."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from functools import partial

from agenteval_web.demo.agent import Agent, run_agent
from agenteval_web.demo.analysis.moves import Move, calculate, data_of, query
from agenteval_web.demo.analysis.tooling import tools
from agenteval_web.demo.analysis.warehouse import (
    Warehouse,
    in_month,
    month_name,
)
from agenteval_web.demo.models import LARGE
from agenteval_web.demo.script import Call, Fault, Policy, Turn
from agenteval_web.demo.stage import Stage
from agenteval_web.demo.tools import Tool, Toolbox, ToolError, schema
from traces.domain.records import Json

WINDOW = 62
"""Messages an auditor remembers: enough for 12 stations, not for 20."""

BUSY_HOURS = 6
TRIPS = "SELECT SUM(trips) FROM daily_trips WHERE station_id = {number} AND {month}"
HOURS = (
    "SELECT COALESCE(SUM(hours), 0) FROM repairs "
    "WHERE station_id = {number} AND {month}"
)

FORGOTTEN = Fault(
    "truncation",
    "PARAMGEN",
    "An auditor remembers 62 messages. Docklands has 20 stations: the first ones have "
    "left the window when the district is closed. Closing is refused, the auditor "
    "reports its own sum of what it remembers, and the audit's total is too low.",
)

LEAD_SYSTEM = """You lead the monthly station audit of Spindleway.
Have every district audited, add up the repair hours and report the total and the
district with the most hours. Districts may be audited at the same time."""

AUDITOR_SYSTEM = """You audit the stations of one district of Spindleway.
For each station read trips and repair hours, then log a finding: "busy" from 6 repair
hours on, else "normal". At the end close the district with the hours of all its
stations; closing gives the district's sum. Report it as JSON."""


def station_audit(stage: Stage) -> None:
    """About 1,200 steps with one root deep inside."""
    data = data_of(stage)
    right = sum(row["hours"] for row in data.month("repairs", data.later))
    stage.truth += [f"{right} hours"]
    lead = Agent("audit_lead", LEAD_SYSTEM, _lead_tools(stage, data), LARGE)
    asked = (
        f"Run the station audit for {month_name(data.later)}: all districts, total repair "
        "hours, and where most of them went."
    )
    run_agent(stage, lead, asked, _lead(data))


def _lead(data: Warehouse) -> Policy:
    found = yield from query(
        f"The audit of {month_name(data.later)}: list the districts, have each audited, "
        "add up the repair hours, report the total and the highest district.",
        "SELECT district, COUNT(*) AS stations FROM stations GROUP BY 1 ORDER BY 1",
    )
    replies = yield Turn(
        f"{len(found['rows'])} districts; their auditors work at the same time.",
        tuple(Call("audit_district", {"district": row[0]}) for row in found["rows"]),
    )
    reports = [reply.data for reply in replies]
    hours = [report["repair_hours"] for report in reports]
    total = yield from calculate("All reports are in. The total:", "sum", hours)
    top = max(reports, key=lambda report: report["repair_hours"])
    return Turn(
        f"Audit of {month_name(data.later)}: {total['sum']} hours of repairs over "
        f"{total['count']} districts. Most went to {top['district']}, "
        f"{top['repair_hours']} hours."
    )


def _lead_tools(stage: Stage, data: Warehouse) -> Toolbox:
    database = data.connect()
    audit = Tool(
        "audit_district",
        "Have one district audited by a district auditor.",
        schema({"district": "string: District name"}),
        partial(_audit_district, stage, data, database),
        (2, 8),
    )
    kept = [tool for tool in tools(database) if tool.name in {"run_sql", "calculate"}]
    return Toolbox.of([*kept, audit])


def _audit_district(
    stage: Stage,
    data: Warehouse,
    database: sqlite3.Connection,
    given: Mapping[str, Json],
) -> Json:
    district = given["district"]
    stations = [row for row in data.rows["stations"] if row[2] == district]
    box = _auditor_tools(database, len(stations))
    auditor = Agent("district_auditor", AUDITOR_SYSTEM, box, window=WINDOW)
    answer = run_agent(
        stage,
        auditor,
        f"Audit {district} for {month_name(data.later)}.",
        _auditor(auditor, data, district, stations),
    )
    return json.loads(answer)


def _auditor(
    auditor: Agent, data: Warehouse, district: str, stations: list[tuple[Json, ...]]
) -> Policy:
    for number, station in enumerate(stations, start=1):
        yield from _station(data, station, f"{number} of {len(stations)}")
    findings = [reply.data for reply in auditor.recalls("log_finding")]
    hours = [finding["repair_hours"] for finding in findings]
    forgotten = len(findings) < len(stations)
    (reply,) = yield Turn(
        f"That was the last station of {district}. I'll close it with all hours.",
        (Call("close_district", {"district": district, "hours": hours}),),
        FORGOTTEN if forgotten else None,
    )
    own = {"district": district, "closed": True, "repair_hours": sum(hours)}
    return Turn(json.dumps(reply.data if reply.ok else own))


def _station(data: Warehouse, station: tuple[Json, ...], place: str) -> Move:
    number, name = station[0], station[1]
    trips, repairs = yield Turn(
        f"Station {number} {name} ({place}): trips and repair hours.",
        (
            Call(
                "run_sql",
                {"query": in_month(TRIPS, data.later, number=number)},
            ),
            Call(
                "run_sql",
                {"query": in_month(HOURS, data.later, number=number)},
            ),
        ),
    )
    hours = repairs.data["rows"][0][0]
    finding = {
        "station_id": number,
        "level": "busy" if hours >= BUSY_HOURS else "normal",
        "trips": trips.data["rows"][0][0],
        "repair_hours": hours,
    }
    yield Turn(f"{name}: {finding['level']}.", (Call("log_finding", finding),))


def _close(stations: int, given: Mapping[str, Json]) -> Json:
    hours = given["hours"]
    if len(hours) != stations:
        raise ToolError(
            f"409 Conflict: {given['district']} has {stations} stations, hours of "
            f"{len(hours)} were given.",
            "ConflictError",
        )
    return {"district": given["district"], "closed": True, "repair_hours": sum(hours)}


def _auditor_tools(database: sqlite3.Connection, stations: int) -> Toolbox:
    close = Tool(
        "close_district",
        "Close a district's audit; gives the sum of its repair hours.",
        schema(
            {
                "district": "string: District name",
                "hours": "array: Repair hours of every station of the district",
            }
        ),
        partial(_close, stations),
        (20, 90),
    )
    log = Tool(
        "log_finding",
        "Write down the finding of one station.",
        schema(
            {
                "station_id": "integer: Station",
                "level": "normal|busy: Level",
                "trips": "integer: Trips in the month",
                "repair_hours": "number: Hours of repairs",
            }
        ),
        lambda given: {"finding": f"F-{given['station_id']}", **given},
        (8, 40),
    )
    sql = next(tool for tool in tools(database) if tool.name == "run_sql")
    return Toolbox.of([sql, log, close])
