"""The checks on published traces that nobody here made.

The traces are not part of the repository; where they are missing these tests are
left out and say so. The tables are printed (``pytest -rP``). Checks are tuned on
the development half only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from judging.domain.check_report import (
    DEVELOPMENT,
    HELD_OUT,
    Labelled,
    half,
    report,
    table,
)
from judging.domain.checks import CHECKS
from judging.domain.diagnosis import diagnose
from judging.domain.findings import Run
from judging.domain.scores import from_findings
from judging.domain.settings import DEFAULT
from judging.domain.text import text_of
from judging.judges.offline import run_checks
from tests.judging.checks.runs import where
from traces.domain.graph.build import build_graph
from traces.domain.records import TraceRecord
from traces.importers import read_any
from traces.importers.base import Limits

pytestmark = pytest.mark.shared_data
FOLDERS = (
    "who_and_when",
    "agentrx",
    "tau_bench",
    "swe_agent",
    "mini_swe_agent",
    "langfuse",
)
MOST_WRONG = 0.10


def records(folder: Path) -> Iterator[TraceRecord]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".json", ".jsonl", ".traj"}:
            with path.open("rb") as source:
                found = read_any(source, name=path.name, limits=Limits())
                yield from (one for one in found if isinstance(one, TraceRecord))


def roots(folder: Path) -> dict[str, int]:
    """Position of the decisive error by AgentRx's number of the task."""
    path = folder / "agentrx" / "tau_retail_ground_truth.json"
    found = {}
    for item in json.loads(path.read_text(encoding="utf-8")):
        cause = item["root_cause"]["failure_id"]
        for failure in item["failures"]:
            if failure["failure_id"] == cause:
                found[str(item["trajectory_id"])] = int(failure["step_number"]) - 1
    return found


def labelled(record: TraceRecord, folder: str, tasks: dict[str, int]) -> Labelled:
    built = build_graph(record.spans)
    run = Run(built.graph, built.contents, built.request, built.policy)
    judged = run_checks(run)
    assert judged.broken == (), record.trace_id
    labels = {label.kind: label.value for label in record.labels}
    root = int(labels["root_step"]) if "root_step" in labels else None
    if folder == "agentrx":
        root = tasks.get(record.trace_id.split("-")[1])
    outcome = labels.get("outcome")
    return Labelled(
        run, judged.findings, root, outcome == "passed" if outcome else None
    )


@pytest.fixture(scope="module")
def runs(request):
    folder = request.getfixturevalue("shared_data")
    tasks = roots(folder)
    found: dict[str, list[tuple[str, Labelled]]] = {DEVELOPMENT: [], HELD_OUT: []}
    for name in FOLDERS:
        for record in records(folder / name):
            one = labelled(record, name, tasks)
            found[half(record.trace_id)].append((name, one))
    return found


def primary(one: Labelled) -> int | None:
    """Source position of the step that attribution names."""
    found = diagnose(one.run.graph, from_findings(one.findings), DEFAULT)
    return one.run.steps[found.primary_root].position if found.primary_root else None


@pytest.mark.parametrize("part", [DEVELOPMENT, HELD_OUT])
def test_the_table_of_checks(runs, part):
    chosen = [one for _, one in runs[part]]
    print(f"{part}: {len(chosen)} runs\n{table(report(chosen, CHECKS))}")
    assert chosen


@pytest.mark.parametrize("part", [DEVELOPMENT, HELD_OUT])
def test_roots_that_are_found(runs, part):
    for name in ("who_and_when", "agentrx"):
        chosen = [
            one for folder, one in runs[part] if folder == name and one.root is not None
        ]
        found = [(primary(one), one.root) for one in chosen]
        exact = sum(here == root for here, root in found)
        near = sum(here is not None and abs(here - root) <= 1 for here, root in found)
        first = sum(root == 1 for _, root in found)
        print(
            f"{part} {name}: {exact} exact, {near} within 1, {first} at index 1, of {len(found)}"
        )


@pytest.mark.parametrize("part", [DEVELOPMENT, HELD_OUT])
def test_few_steps_of_passed_runs_fail(runs, part):
    steps = failed = 0
    for _, one in runs[part]:
        if one.passed:
            found = diagnose(one.run.graph, from_findings(one.findings), DEFAULT)
            steps += sum(not step.boundary for step in one.run.graph.steps)
            failed += found.counts["failed"]
    print(f"{part}: {failed} of {steps} steps of passed runs fail")
    assert failed <= MOST_WRONG * steps


def test_evidence_stands_where_it_says(runs):
    for part in runs.values():
        for _, one in part:
            for finding in one.findings:
                for words in finding.evidence:
                    if words.start >= 0:
                        text = text_of(where(one.run, words.step)[words.where])
                        end = words.start + len(words.text)
                        assert text[words.start : end] == words.text, finding
