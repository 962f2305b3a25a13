"""Analyses that go wrong."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from agenteval_web.demo.agent import history, run_agent
from agenteval_web.demo.analysis.healthy import members_turn, revenue_turn
from agenteval_web.demo.analysis.moves import (
    chart,
    data_of,
    is_weekend,
    number,
    query,
)
from agenteval_web.demo.analysis.tooling import analyst
from agenteval_web.demo.analysis.warehouse import Warehouse, in_month, month_name
from agenteval_web.demo.script import Call, Fault, Policy, Turn
from agenteval_web.demo.stage import Stage
from agenteval_web.demo.tools import Outage

SCOPE = Fault(
    "scope-error",
    "PLAN",
    "Asked are weekend trips by members. The plan covers everybody's; query and "
    "summary follow it.",
)
SLOW = Fault(
    "timeout",
    "EXEC",
    "The database ends the query after 30 s. The same query is sent four times, then "
    "the agent gives up and reports that there is no data.",
)
CUT = Fault(
    "truncation",
    "SYNTH",
    "Only the first 1,800 characters of the rows reach the model. It adds up the "
    "stations it sees and reports that as the total.",
)
REPEATED = Fault(
    "suboptimal-sequence",
    "TOOLSEL",
    "The query has answered the question; it is run twice more, word for word. The "
    "answer is right, at three times the cost.",
)
NO_NUMBERS = Fault(
    "category-error",
    "TOOLSEL",
    "describe_table lists columns and can't count anything. The summary then states "
    "numbers that nothing gave.",
)
REASON = Fault(
    "fabrication",
    "SYNTH",
    "The query gives two sums. The summary adds a reason, a forecast and a survey that "
    "are nowhere in the data.",
)


def forgets_members(stage: Stage) -> None:
    """Scope error in the third question of the session."""
    data = data_of(stage)
    trips = data.month("daily_trips", data.later)
    right = sum(
        row["trips"]
        for row in trips
        if row["rider"] == "member" and is_weekend(row["day"])
    )
    stage.truth += [number(right)]

    def policy() -> Policy:
        found = yield from query(
            f"Weekend trips in {month_name(data.later)}: I'll sum the trips of all "
            "Saturdays and Sundays and summarise.",
            in_month(
                "SELECT SUM(trips) AS trips FROM daily_trips WHERE {month} "
                "AND strftime('%w', day) IN ('0', '6')",
                data.later,
            ),
            SCOPE,
        )
        return Turn(
            f"{number(found['rows'][0][0])} trips were made on weekends in "
            f"{month_name(data.later)}."
        )

    agent = analyst(data)
    agent.messages += history([revenue_turn(data), members_turn(data)])
    asked = stage.pick(
        f"And how many trips did members make on weekends in {month_name(data.later)}?",
        f"How many of the {month_name(data.later)} weekend trips were made by members?",
    )
    run_agent(stage, agent, asked, policy())


def query_times_out(stage: Stage) -> None:
    """Timeout → the same again → given up → "no data"."""
    data = data_of(stage)
    stage.truth += ["could not be computed"]
    slow = Outage(
        "TimeoutError",
        "canceling statement due to statement timeout after 30 s",
        30_000,
    )
    statement = (
        "SELECT a.station_id, b.station_id, COUNT(*) AS days FROM daily_trips a "
        "JOIN daily_trips b ON a.day = b.day AND a.trips = b.trips "
        "WHERE a.station_id < b.station_id GROUP BY 1, 2 ORDER BY days DESC LIMIT 10"
    )

    def policy() -> Policy:
        yield from query(
            "Pairs of stations that have the same number of trips on the same day: I'll "
            "join the trips with themselves, count the days and keep the first ten.",
            statement,
        )
        for _ in range(3):
            text = stage.pick(
                "Timed out. I'll try again.", "No answer in time; once more."
            )
            yield from query(text, statement)
        return Turn(
            "There is no data on stations with matching trip counts, so no pair of "
            "stations moves together."
        )

    asked = stage.pick(
        "Which ten pairs of stations have the same number of trips on the most days?",
        "Find the ten station pairs whose daily trip counts match most often.",
    )
    outages = [replace(slow, fault=SLOW), slow, slow, slow]
    agent = analyst(data, outages={"run_sql": outages})
    run_agent(stage, agent, asked, policy())


def adds_up_what_is_left(stage: Stage) -> None:
    """Truncated rows → wrong total → wrong summary."""
    data = data_of(stage)
    right = sum(row["hours"] for row in data.month("repairs", data.later))
    stage.truth += [f"{right} hours"]

    asked = stage.pick(
        f"How many hours of repairs did all stations need in {month_name(data.later)}, "
        "and which needed the most?",
        f"Total repair hours in {month_name(data.later)} over all stations? Which five "
        "stand out?",
    )
    run_agent(stage, analyst(data, reads=1_800), asked, _adds_up(data))


def _adds_up(data: Warehouse) -> Policy:
    statement = in_month(
        "SELECT s.name, SUM(r.hours) AS hours FROM repairs r "
        "JOIN stations s USING (station_id) WHERE r.{month} "
        "GROUP BY s.name ORDER BY s.name",
        data.later,
    )
    (reply,) = yield Turn(
        "Repair hours of all stations and their total: I'll query the hours by "
        "station, add them up, and draw the five highest.",
        (Call("run_sql", {"query": statement}),),
    )
    rows = re.findall(r'\["[^"]+", [\d.]+\]', reply.text)
    seen: list[tuple[str, float]] = [tuple(json.loads(row)) for row in rows]
    seen.sort(key=lambda row: (-row[1], row[0]))
    drawn = yield from chart(
        "All stations are there. The chart of the five highest:",
        f"Repair hours by station, {month_name(data.later)}",
        seen[:5],
    )
    return Turn(
        f"Over all stations, {sum(hours for _, hours in seen)} hours went into "
        f"repairs in {month_name(data.later)}, at {len(seen)} stations. "
        f"{seen[0][0]} had the most, {seen[0][1]} hours (chart {drawn['chart_id']}).",
        fault=CUT,
    )


def asks_three_times(stage: Stage) -> None:
    """The same query, three times, and a right answer."""
    data = data_of(stage)
    trips = sum(row["trips"] for row in data.month("daily_trips", data.later))
    stage.truth += [number(trips)]
    statement = in_month(
        "SELECT SUM(trips) AS trips FROM daily_trips WHERE {month}", data.later
    )

    def policy() -> Policy:
        yield from query(
            f"All trips of {month_name(data.later)}: one sum over daily_trips.",
            statement,
        )
        yield from query("Let me run that again to be safe.", statement, REPEATED)
        found = yield from query("And once more.", statement)
        return Turn(
            f"In {month_name(data.later)} riders made {number(found['rows'][0][0])} trips."
        )

    asked = stage.pick(
        f"How many trips were made in {month_name(data.later)}?",
        f"Total number of trips in {month_name(data.later)}, please.",
    )
    run_agent(stage, analyst(data), asked, policy())


def describes_instead_of_counting(stage: Stage) -> None:
    """Wrong kind of tool → no numbers → made-up numbers."""
    data = data_of(stage)
    stage.truth += [number(_casual_minutes(data))]

    def policy() -> Policy:
        yield Turn(
            "Minutes ridden by casual riders: I'll get them from daily_trips.",
            (Call("describe_table", {"table": "daily_trips"}),),
            NO_NUMBERS,
        )
        return Turn(
            f"Casual riders rode for 412,870 minutes in {month_name(data.later)}, that "
            "is 31 minutes a trip."
        )

    asked = stage.pick(
        f"For how many minutes did casual riders use our bikes in {month_name(data.later)}?",
        f"Minutes ridden by casual riders in {month_name(data.later)}?",
    )
    run_agent(stage, analyst(data), asked, policy())


def _casual_minutes(data: Warehouse) -> int:
    rows = data.month("daily_trips", data.later)
    return sum(row["minutes"] for row in rows if row["rider"] == "casual")


def invents_reason(stage: Stage) -> None:
    """Right sums, and a story around them."""
    data = data_of(stage)
    stage.truth += ["does not say why"]

    def policy() -> Policy:
        found = yield from query(
            f"Revenue of {month_name(data.earlier)} and {month_name(data.later)}, and why "
            "it changed: I'll sum both months and see what the tables say.",
            "SELECT substr(day, 1, 7) AS month, ROUND(SUM(revenue_eur), 2) AS revenue_eur "
            "FROM daily_trips GROUP BY 1 ORDER BY 1",
        )
        (_, before), (_, after) = found["rows"]
        return Turn(
            f"Revenue went from {number(before)} EUR in {month_name(data.earlier)} to "
            f"{number(after)} EUR in {month_name(data.later)}. The change comes from 11 "
            "rainy weekends and the new harbour tram; in a survey, 64 % of riders named "
            "the weather. Expect 18 % less next month.",
            fault=REASON,
        )

    asked = stage.pick(
        f"Revenue in {month_name(data.earlier)} against {month_name(data.later)}: what "
        "changed, and why?",
        f"Why did revenue change from {month_name(data.earlier)} to {month_name(data.later)}?",
    )
    run_agent(stage, analyst(data), asked, policy())
