"""What the analyst's runs have in common."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from datetime import date
from typing import TypeAlias

from agenteval_web.demo.analysis.warehouse import Warehouse, warehouse
from agenteval_web.demo.script import Call, Fault, Replies, Turn
from agenteval_web.demo.stage import SATURDAY, Stage
from traces.domain.records import Json

Move: TypeAlias = Generator[Turn, Replies, Json]


def data_of(stage: Stage) -> Warehouse:
    """The tables as they were at the beginning of the demo's fortnight."""
    return warehouse(stage.seed, stage.data_until)


def query(text: str, statement: str, fault: Fault | None = None) -> Move:
    """One turn with one query; gives the reply's data."""
    (reply,) = yield Turn(text, (Call("run_sql", {"query": statement}),), fault)
    return reply.data


def chart(text: str, title: str, rows: Sequence[Sequence[Json]]) -> Move:
    """One turn that draws the first two columns of some rows as bars."""
    arguments = {
        "kind": "bar",
        "title": title,
        "labels": [str(row[0]) for row in rows],
        "values": [row[1] for row in rows],
    }
    (reply,) = yield Turn(text, (Call("make_chart", arguments),))
    return reply.data


def calculate(text: str, operation: str, values: Sequence[float]) -> Move:
    """One turn with the calculator."""
    arguments = {"operation": operation, "values": list(values)}
    (reply,) = yield Turn(text, (Call("calculate", arguments),))
    return reply.data


def number(value: float) -> str:
    """A count or an amount as the analyst writes it."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"


def is_weekend(day: str) -> bool:
    """Whether an ISO day is a Saturday or Sunday."""
    return date.fromisoformat(day).weekday() >= SATURDAY
