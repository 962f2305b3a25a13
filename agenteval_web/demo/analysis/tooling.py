"""The analyst's tools and what the analyst is told."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

from agenteval_web.demo.agent import Agent
from agenteval_web.demo.analysis.warehouse import COLUMNS, Warehouse, run_sql
from agenteval_web.demo.models import LARGE, Model
from agenteval_web.demo.tools import Outage, Tool, Toolbox, ToolError, schema
from traces.domain.records import Json

SYSTEM = """You are the data analyst of Spindleway, an operator of shared bikes.
Work in this order: say how you read the question, query the tables, draw a chart if
it helps, then summarise in two or three sentences.
- Every number in the summary comes from a query or from the calculator.
- If a query fails, look at the table's columns and correct it.
- Say so if data is missing or a question can't be answered.
Tables: stations, daily_trips, repairs."""


def analyst(
    data: Warehouse,
    *,
    reads: int = 200_000,
    outages: Mapping[str, Sequence[Outage]] | None = None,
    model: Model = LARGE,
) -> Agent:
    """An analyst with a database of its own."""
    box = Toolbox.of(tools(data.connect()), outages)
    return Agent("data_analyst", SYSTEM, box, model, reads=reads)


def _describe(given: Mapping[str, Json]) -> Json:
    columns = COLUMNS.get(given["table"])
    if columns is None:
        raise ToolError(f"no such table: {given['table']}", "OperationalError")
    return {"table": given["table"], "columns": list(columns)}


def _chart(given: Mapping[str, Json]) -> Json:
    if len(given["labels"]) != len(given["values"]):
        raise ToolError("labels and values differ in length", "ValueError")
    return {
        "chart_id": chart_id(given["title"]),
        "kind": given["kind"],
        "points": len(given["labels"]),
    }


def chart_id(title: str) -> str:
    """Id of the chart with this title."""
    return f"CH-{sum(ord(c) for c in title) % 9000 + 1000}"


def _calculate(given: Mapping[str, Json]) -> Json:
    values = given["values"]
    if given["operation"] == "sum":
        return {"count": len(values), "sum": round(sum(values), 2)}
    change = (values[-1] - values[0]) / values[0] * 100
    return {"percent_change": round(change, 1)}


_DESCRIBE = Tool(
    "describe_table",
    "Columns of a table.",
    schema({"table": "string: Table name"}),
    _describe,
    (15, 60),
)
_CHART = Tool(
    "make_chart",
    "Draw a chart and get its id.",
    schema(
        {
            "kind": "bar|line: Kind of chart",
            "title": "string: Title",
            "labels": "array: One text a point",
            "values": "array: One number a point",
        }
    ),
    _chart,
    (200, 700),
)
_CALCULATE = Tool(
    "calculate",
    "Add up numbers, or the change from the first to the last in percent.",
    schema({"operation": "sum|percent_change: What to do", "values": "array: Numbers"}),
    _calculate,
    (2, 12),
)


def tools(database: sqlite3.Connection) -> list[Tool]:
    """Tables, queries, charts and a calculator."""
    sql = Tool(
        "run_sql",
        "Run one SELECT statement (SQLite) and get its rows.",
        schema({"query": "string: The statement"}),
        lambda given: run_sql(database, given["query"]),
        (120, 900),
    )
    return [_DESCRIBE, sql, _CHART, _CALCULATE]
