"""The nightly report: a pipeline that declares its steps."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date

from agenteval_web.demo.analysis.moves import data_of, number
from agenteval_web.demo.analysis.tooling import tools
from agenteval_web.demo.analysis.warehouse import Warehouse, in_month, month_name
from agenteval_web.demo.pipeline import USER, Node, Results, run_pipeline
from agenteval_web.demo.script import Fault
from agenteval_web.demo.stage import Stage
from agenteval_web.demo.tools import Toolbox
from traces.domain.records import Json

WRONG_MONTH = Fault(
    "value-error",
    "PARAMGEN",
    "The query asks for the month before the one that was asked for. The rows, the "
    "chart and the report are about the wrong month.",
)


def nightly_report(stage: Stage) -> None:
    """Trips by kind of rider, as asked."""
    data = data_of(stage)
    _report(stage, data, data.later, None)


def report_of_wrong_month(stage: Stage) -> None:
    """The same report with a wrong date in the query."""
    data = data_of(stage)
    _report(stage, data, data.earlier, WRONG_MONTH)


def _report(stage: Stage, data: Warehouse, month: date, fault: Fault | None) -> None:
    stage.truth += [
        number(trips(data, data.later, rider)) for rider in ("member", "casual")
    ]
    asked = f"Trips by kind of rider in {month_name(data.later)}, with a chart."
    statement = in_month(
        "SELECT rider, SUM(trips) AS trips FROM daily_trips "
        "WHERE {month} GROUP BY rider ORDER BY trips DESC",
        month,
    )
    plan = (
        f"1. Query the trips of {month_name(data.later)} by rider. 2. Draw a bar chart. "
        "3. Summarise both numbers."
    )
    nodes = (
        Node("question", USER, (), lambda _: asked),
        Node("plan", "PLAN", ("question",), lambda _: plan),
        Node("write_query", "PARAMGEN", ("plan",), lambda _: statement, fault),
        Node(
            "run_sql", "EXEC", ("write_query",), lambda r: {"query": r["write_query"]}
        ),
        Node("make_chart", "EXEC", ("run_sql",), _chart),
        Node("summary", "SYNTH", ("question", "run_sql", "make_chart"), _summary(data)),
    )
    run_pipeline(stage, "nightly_report", Toolbox.of(tools(data.connect())), nodes)


def _rows(results: Results) -> list[list[Json]]:
    rows: list[list[Json]] = json.loads(results["run_sql"])["rows"]
    return rows


def _chart(results: Results) -> Json:
    rows = _rows(results)
    return {
        "kind": "bar",
        "title": "Trips by kind of rider",
        "labels": [row[0] for row in rows],
        "values": [row[1] for row in rows],
    }


def _summary(data: Warehouse) -> Callable[[Results], str]:
    def summarise(results: Results) -> str:
        (first, most), (second, less) = _rows(results)
        chart = json.loads(results["make_chart"])["chart_id"]
        return (
            f"In {month_name(data.later)}, {first} riders made {number(most)} trips and "
            f"{second} riders {number(less)} (chart {chart})."
        )

    return summarise


def trips(data: Warehouse, first: date, rider: str) -> int:
    """Trips of one kind of rider in a month, counted without SQL."""
    rows = data.month("daily_trips", first)
    return sum(row["trips"] for row in rows if row["rider"] == rider)
