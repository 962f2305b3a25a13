"""The spans of a trace as they contain each other, as they were sent."""

from __future__ import annotations

from dataclasses import dataclass

from traces.models import Span, Trace

MAX_ROWS = 2_000


@dataclass(frozen=True, slots=True)
class SpanLine:
    """One span in the tree; ``level`` is 1 at the top."""

    level: int
    span_id: str
    name: str
    kind: int
    status: int
    start_ns: int | None
    end_ns: int | None


def span_tree(trace: Trace) -> list[SpanLine]:
    """The first spans of a trace, containers before contents, by start."""
    columns = ("span_id", "parent_id", "name", "kind", "status", "start_ns", "end_ns")
    rows = Span.objects.filter(trace=trace).order_by("start_ns", "position", "span_id")
    found = list(rows.values_list(*columns)[: 10 * MAX_ROWS])
    known = {row[0] for row in found}
    below: dict[str, list[tuple[object, ...]]] = {}
    for row in found:
        parent = row[1] if row[1] in known and row[1] != row[0] else ""
        below.setdefault(parent, []).append(row)
    lines: list[SpanLine] = []
    stack = [(1, row) for row in reversed(below.pop("", []))]
    while stack and len(lines) < MAX_ROWS:
        level, row = stack.pop()
        span_id = str(row[0])
        lines.append(SpanLine(level, span_id, *row[2:]))  # type: ignore[arg-type]
        stack.extend((level + 1, one) for one in reversed(below.pop(span_id, [])))
    return lines
