"""Analyses that are right, one of them after a wrong column name."""

from __future__ import annotations

from datetime import date

from agenteval_web.demo.agent import history, run_agent
from agenteval_web.demo.analysis.moves import calculate, chart, data_of, number, query
from agenteval_web.demo.analysis.tooling import analyst, chart_id
from agenteval_web.demo.analysis.warehouse import (
    DISTRICTS,
    Warehouse,
    in_month,
    month_name,
)
from agenteval_web.demo.script import Call, Policy, Turn
from agenteval_web.demo.stage import Stage
from traces.domain.records import Json


def revenue_question(data: Warehouse) -> str:
    """First question of the session about revenue."""
    return (
        f"What was the revenue by district in {month_name(data.later)}? A chart please."
    )


def revenue_answer(data: Warehouse, rows: list[list[Json]], chart_id: str) -> str:
    """Summary of revenue by district, highest first."""
    (best, most), (last, least) = rows[0], rows[-1]
    return (
        f"In {month_name(data.later)} {best} brought in the most revenue, "
        f"{number(most)} EUR; {last} the least, {number(least)} EUR. All "
        f"{len(rows)} districts are in chart {chart_id}."
    )


def revenue_title(data: Warehouse) -> str:
    """Title of the chart of revenue by district."""
    return f"Revenue by district, {month_name(data.later)} (EUR)"


def revenue_turn(data: Warehouse) -> tuple[str, str]:
    """First turn of the session: question and right answer."""
    rows: list[list[Json]] = [list(pair) for pair in _district_revenue(data).items()]
    rows.sort(key=lambda row: float(row[1]), reverse=True)
    answer = revenue_answer(data, rows, chart_id(revenue_title(data)))
    return revenue_question(data), answer


def members_turn(data: Warehouse) -> tuple[str, str]:
    """Second turn of the session: question and right answer."""
    before, after = (member_trips(data, first) for first in (data.earlier, data.later))
    percent = round((after - before) / before * 100, 1)
    question = (
        f"How did member trips change from {month_name(data.earlier)} to that month?"
    )
    return question, members_answer(data, [before, after], percent)


def members_answer(data: Warehouse, values: list[int], percent: float) -> str:
    """Summary of member trips in two months."""
    return (
        f"Members made {number(values[1])} trips in {month_name(data.later)}, after "
        f"{number(values[0])} in {month_name(data.earlier)}: {abs(percent)} % "
        f"{'more' if percent >= 0 else 'fewer'}."
    )


def revenue_by_district(stage: Stage) -> None:
    """Question, plan, query, chart, summary."""
    data = data_of(stage)
    totals = _district_revenue(data)
    stage.truth += [number(max(totals.values())), number(min(totals.values()))]

    def policy() -> Policy:
        found = yield from query(
            "Revenue by district for one month: I'll join trips with stations, sum the "
            "revenue for each district, draw a bar chart and summarise.",
            in_month(
                "SELECT s.district, ROUND(SUM(t.revenue_eur), 2) AS revenue_eur "
                "FROM daily_trips t JOIN stations s USING (station_id) "
                "WHERE t.{month} GROUP BY s.district ORDER BY 2 DESC",
                data.later,
            ),
        )
        drawn = yield from chart(
            "Eight districts, highest first. Now the chart.",
            revenue_title(data),
            found["rows"],
        )
        return Turn(revenue_answer(data, found["rows"], drawn["chart_id"]))

    run_agent(stage, analyst(data), revenue_question(data), policy())


def _district_revenue(data: Warehouse) -> dict[str, float]:
    home = {row[0]: row[2] for row in data.rows["stations"]}
    sums = dict.fromkeys(DISTRICTS, 0.0)
    for row in data.month("daily_trips", data.later):
        sums[home[row["station_id"]]] += row["revenue_eur"]
    return {district: round(total, 2) for district, total in sums.items()}


def member_trips_compared(stage: Stage) -> None:
    """Two months side by side, joined by the calculator; a follow-up question."""
    data = data_of(stage)
    before, after = (member_trips(data, first) for first in (data.earlier, data.later))
    stage.truth += [number(before), number(after)]
    stage.truth += [f"{abs(round((after - before) / before * 100, 1))} %"]

    def policy() -> Policy:
        statement = (
            "SELECT SUM(trips) AS trips FROM daily_trips "
            "WHERE rider = 'member' AND {month}"
        )
        one, two = yield Turn(
            f"Member trips in {month_name(data.earlier)} and {month_name(data.later)}: "
            "two queries side by side, then the change in percent.",
            tuple(
                Call("run_sql", {"query": in_month(statement, first)})
                for first in (data.earlier, data.later)
            ),
        )
        values = [one.data["rows"][0][0], two.data["rows"][0][0]]
        change = yield from calculate(
            "Both sums are there. Now the change.", "percent_change", values
        )
        return Turn(members_answer(data, values, change["percent_change"]))

    agent = analyst(data)
    agent.messages += history([revenue_turn(data)])
    run_agent(stage, agent, members_turn(data)[0], policy())


def member_trips(data: Warehouse, first: date) -> int:
    """Trips by members in a month, counted without SQL."""
    rows = data.month("daily_trips", first)
    return sum(row["trips"] for row in rows if row["rider"] == "member")


def corrects_column_name(stage: Stage) -> None:
    """An error of the database, read and put right."""
    data = data_of(stage)
    stage.truth += [_most_repaired(data)]

    asked = stage.pick(
        f"Which five stations needed the most repair hours in {month_name(data.later)}?",
        f"Top five stations by repair hours in {month_name(data.later)}, with a chart?",
    )
    run_agent(stage, analyst(data), asked, _corrects(data))


def _corrects(data: Warehouse) -> Policy:
    statement = (
        "SELECT s.name, COUNT(*) AS jobs, SUM(r.{column}) AS hours "
        "FROM repairs r JOIN stations s USING (station_id) "
        "WHERE r.{month} GROUP BY s.name "
        "ORDER BY hours DESC, s.name LIMIT 5"
    )
    yield from query(
        "Stations with the most repair hours: I'll sum the hours by station, keep "
        "the first five, draw a chart and summarise.",
        in_month(statement, data.later, column="duration_hours"),
    )
    yield Turn(
        "The column has another name. I'll look at the table.",
        (Call("describe_table", {"table": "repairs"}),),
    )
    found = yield from query(
        "It's called hours. Again with the right name.",
        in_month(statement, data.later, column="hours"),
    )
    drawn = yield from chart(
        "Five stations. Now the chart.",
        f"Repair hours by station, {month_name(data.later)}",
        [(name, hours) for name, _, hours in found["rows"]],
    )
    name, jobs, hours = found["rows"][0]
    return Turn(
        f"{name} needed the most repair work in {month_name(data.later)}: {hours} "
        f"hours over {jobs} jobs. Chart {drawn['chart_id']} shows the first five."
    )


def _most_repaired(data: Warehouse) -> str:
    hours: dict[str, float] = {}
    names = {row[0]: row[1] for row in data.rows["stations"]}
    for row in data.month("repairs", data.later):
        name = names[row["station_id"]]
        hours[name] = hours.get(name, 0) + row["hours"]
    best = min(hours, key=lambda name: (-hours[name], name))
    return (
        f"{best} needed the most repair work in {month_name(data.later)}: {hours[best]}"
    )
