"""Runs of LangSmith: exported by its API or SDK, or as programs post them.

Runs stand in a list, one a line, nested (``child_runs``), in a page
(``runs``), or in batches of ``post`` and ``patch``, where a later patch ends
what an earlier post began.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import BinaryIO

from traces.domain.records import Json, Reject, TraceRecord
from traces.importers.base import Limits, Sample
from traces.importers.gather import Found, gather
from traces.importers.jsonstream import Item, JsonSource
from traces.importers.langsmith.run import read_run
from traces.importers.values import fields, objects, text

NAME = "langsmith"
LABEL = "LangSmith runs"

_IDS = {"trace_id", "dotted_order", "parent_run_id", "child_runs", "session_name"}
_Run = dict[str, Json]


def recognises(sample: Sample) -> bool:
    """Runs, or batches and pages of runs."""
    first = sample.first
    return _is_run(first) or bool(_batch(first)) or bool(_page(first))


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read runs and put them together by trace."""
    values = JsonSource(source, limits=limits, name=name)
    return gather(_spans(values, limits), limits)


def _is_run(value: Json) -> bool:
    return (
        isinstance(value, dict)
        and "run_type" in value
        and bool(_IDS & value.keys())
        and bool(text(value.get("id")))
    )


def _batch(value: Json) -> list[_Run]:
    """What a batch posts, then what it patches."""
    batch = fields(value)
    if not {"post", "patch"} & batch.keys():
        return []
    runs = [*objects(batch.get("post")), *objects(batch.get("patch"))]
    return [run for run in runs if text(run.get("id"))]


def _page(value: Json) -> list[_Run]:
    page = fields(value)
    return [r for key in ("runs", "data") for r in objects(page.get(key)) if _is_run(r)]


class _Posted:
    """Runs that a later patch may still end, in bounded memory."""

    def __init__(self, limits: Limits) -> None:
        self.limit = limits.max_pending_bytes
        self.runs: dict[str, tuple[_Run, Item, int]] = {}
        self.size = 0

    def add(self, run: _Run, item: Item, size: int) -> Iterator[Found | Reject]:
        before = self.runs.pop(run["id"], None)
        if before:
            self.size -= before[2]
            size += before[2]
            run = before[0] | {key: run[key] for key in run if run[key] is not None}
        self.size += size
        self.runs[run["id"]] = (run, item, size)
        while self.size > self.limit and self.runs:
            yield self.take(next(iter(self.runs)))

    def take(self, run_id: str) -> Found | Reject:
        run, item, size = self.runs.pop(run_id)
        self.size -= size
        return _found(run, item, size)


def _spans(values: JsonSource, limits: Limits) -> Iterator[Found | Reject]:
    posted = _Posted(limits)
    for item in values.items():
        if isinstance(item, Reject):
            yield item
            continue
        batch = _batch(item.value)
        for run in batch:
            yield from posted.add(run, item, item.size // len(batch))
        runs = [item.value] if _is_run(item.value) else _page(item.value)
        if not runs and not batch:
            yield Reject("span", item.place, "no run with an id here.", "no_run")
        yield from _nested(runs, item)
    for run_id in list(posted.runs):
        yield posted.take(run_id)


def _nested(runs: list[_Run], item: Item) -> Iterator[Found | Reject]:
    """Runs and the runs inside them."""
    size = item.size // max(1, len(runs))
    stack = [(run, "", "") for run in reversed(runs)]
    while stack:
        run, parent, trace_id = stack.pop()
        run = {"parent_run_id": parent, "trace_id": trace_id} | run
        found = _found(run, item, size)
        yield found
        size = 0
        if isinstance(found, Found):
            above = (found.span.span_id, found.span.trace_id)
            children = objects(run.get("child_runs"))
            stack.extend((child, *above) for child in reversed(children))


def _found(run: _Run, item: Item, size: int) -> Found | Reject:
    found = read_run(run, NAME)
    if found is None:
        reason = "a run without an id, or that belongs to no trace."
        return Reject("span", item.place, reason, "no_id")
    return replace(found, size=size, notes=item.notes)
