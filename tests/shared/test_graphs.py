"""The graph builder on published traces that nobody here made.

The traces are not part of the repository; where they are missing these tests
are left out and say so. The counts are printed (``pytest -rP``).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from judging.domain.diagnosis import diagnose
from judging.domain.findings import Run
from judging.domain.scores import from_findings
from judging.domain.settings import DEFAULT
from judging.judges import offline
from traces.domain.graph.build import BuiltTrace, build_graph
from traces.domain.graph.dataflow import leaves, words_of
from traces.domain.records import EdgeKind, StepType, TraceRecord
from traces.importers import read_any
from traces.importers.base import Limits

pytestmark = pytest.mark.shared_data

FORMATS = ("tau_bench", "who_and_when", "swe_agent", "langfuse", "otlp_genai")


def traces(folder: Path) -> Iterator[tuple[Path, TraceRecord]]:
    for path in sorted(folder.rglob("*")):
        if path.suffix not in {".json", ".jsonl", ".traj"} or ".truth." in path.name:
            continue
        with path.open("rb") as source:
            for record in read_any(source, name=path.name, limits=Limits()):
                if isinstance(record, TraceRecord):
                    yield path, record


def counts(built: BuiltTrace) -> Counter[str]:
    run = Run(built.graph, built.contents, built.request, built.policy)
    diagnosis = diagnose(built.graph, from_findings(offline.judge(run)), DEFAULT)
    found = Counter({"traces": 1, "steps": len(built.graph.steps)})
    found.update(f"edge {edge.kind}" for edge in built.graph.edges)
    found.update(f"repair {repair.kind}" for repair in built.graph.repairs)
    found[f"structure {built.graph.structure}"] += 1
    found["failed"] = diagnosis.counts["failed"]
    found["roots"] = len(diagnosis.roots)
    return found


@pytest.mark.parametrize("folder", FORMATS)
def test_every_trace_becomes_a_graph(shared_data: Path, folder: str) -> None:
    total: Counter[str] = Counter()
    for path, record in traces(shared_data / folder):
        built = build_graph(record.spans)
        assert built.graph.steps or not record.spans, path
        index = {step.key: step.index for step in built.graph.steps}
        assert all(index[e.source] < index[e.target] for e in built.graph.edges), path
        total += counts(built)
    assert total["traces"]
    print(
        folder,
        *(f"{name} {number}" for name, number in sorted(total.items())),
        sep="\n  ",
    )


def text_of_step(built: BuiltTrace, key: str) -> str:
    output = built.contents[key].output
    whole = (
        output if isinstance(output, str) else "\n".join(v for _, v in leaves(output))
    )
    return f" {' '.join(words_of(whole))} "


def test_argument_values_lead_back_to_where_they_came_from(shared_data: Path) -> None:
    """Share of tool-call argument values with a data edge; wanted: 80 %."""
    found = values = upstream = found_upstream = 0
    for _, record in traces(shared_data / "tau_bench"):
        built = build_graph(record.spans)
        sources: dict[str, list[str]] = defaultdict(list)
        for edge in built.graph.edges:
            if edge.kind is EdgeKind.DATA:
                sources[edge.target].append(edge.source)
        before: list[str] = []
        for step in built.graph.steps:
            call = built.contents[step.key].call
            if step.type == StepType.PARAMGEN and call is not None:
                given = [text_of_step(built, key) for key in sources[step.key]]
                for _, leaf in leaves(call.arguments):
                    words = f" {' '.join(words_of(leaf))} "
                    known = any(words in text for text in given)
                    stood = known or any(words in text for text in before)
                    values, found = values + 1, found + known
                    upstream += stood
                    found_upstream += known and stood
            elif step.type in {StepType.EXEC, "BOUNDARY"}:
                before.append(text_of_step(built, step.key))
    print(f"argument values {values}, with a data edge {found} ({found / values:.1%})")
    print(f"of {upstream} that stood upstream, {found_upstream / upstream:.1%}")
    assert found / values >= 0.8


def test_parallel_calls_join_with_all_their_parents(shared_data: Path) -> None:
    """Share of joins after parallel calls that have every result as parent."""
    joins = whole = 0
    for folder in ("langfuse", "otlp_genai"):
        for _, record in traces(shared_data / folder):
            made, complete = joins_of(build_graph(record.spans))
            joins, whole = joins + made, whole + complete
    share = whole / joins if joins else 1.0
    print(f"joins after parallel calls {joins}, with all parents {whole} ({share:.1%})")
    assert share >= 0.8


def joins_of(built: BuiltTrace) -> tuple[int, int]:
    """Fan-outs of at least two calls that ran, and those that join completely."""
    steps = {step.key: step for step in built.graph.steps}
    children: dict[str, set[str]] = defaultdict(set)
    for edge in built.graph.edges:
        children[edge.source].add(edge.target)
    fans: dict[str, list[str]] = defaultdict(list)
    for edge in built.graph.edges:
        if edge.kind is EdgeKind.CALL and steps[edge.target].type == StepType.EXEC:
            fans[steps[edge.source].span_id].append(edge.target)
    joins = complete = 0
    for results in fans.values():
        next_steps = [children[key] for key in results]
        if len(results) > 1 and any(next_steps):
            joins += 1
            complete += bool(set.intersection(*next_steps))
    return joins, complete
