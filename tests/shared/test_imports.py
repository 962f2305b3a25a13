"""Every published file of the further formats: what imports, what is refused.

The traces are not part of the repository; where they are missing these tests
are left out and say so. The counts are printed (``pytest -rP``).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from traces.domain.graph.build import build_graph
from traces.domain.records import Reject, TraceRecord
from traces.importers import CHANGES, SKIPPED, read_any, read_member
from traces.importers.archives import walk
from traces.importers.base import Limits

pytestmark = pytest.mark.shared_data

FOLDERS: dict[str, tuple[set[str], dict[str, int]]] = {
    "claude_code": (
        {"claude_code"},
        {"no_content": 2, "no_line": 4, "no_messages": 4},
    ),
    "tau2_bench": ({"tau2_bench"}, {}),
    "mini_swe_agent": ({"mini_swe_agent"}, {}),
    "inspect_ai": ({"inspect"}, {}),
    "openhands": ({"openhands"}, {}),
    "deepeval": ({"deepeval"}, {}),
    "opencode": ({"opencode"}, {}),
    "anthropic_managed_agents": ({"anthropic_managed_agents"}, {}),
    "invariant_explorer": ({"invariant"}, {}),
    "mast": ({"mast"}, {}),
    # Beside the exports stand expected results in a format of their own.
    "otlp_genai/agentevals/samples": ({"jaeger", "tempo"}, {"unknown_format": 5}),
    "_generated_format_samples": ({"langsmith", "mlflow", "openai_agents"}, {}),
    "langsmith": ({"langsmith", "openai_chat"}, {}),
}
"""By folder: the formats of its traces, and what is rightly refused there."""


def count(trace: TraceRecord) -> Counter[str]:
    if not trace.spans:
        return Counter({"traces of labels alone": 1, "labels": len(trace.labels)})
    graph = build_graph(trace.spans).graph
    found = Counter({"traces": 1, "spans": len(trace.spans)})
    found["steps"] = len(graph.steps)
    found["labels"] = len(trace.labels)
    found.update(f"edge {edge.kind}" for edge in graph.edges)
    found.update(f"repair {repair.kind}" for repair in graph.repairs)
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_imports_or_is_refused_for_a_reason(
    shared_data: Path, folder: str
) -> None:
    path = shared_data / folder
    if not path.is_dir():
        pytest.skip(f"the published traces hold no {folder}")
    formats, refused = FOLDERS[folder]
    counts: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    for member in walk(path, Limits()):
        assert not isinstance(member, Reject)
        for one in read_member(member, None, Limits()):
            if isinstance(one, Reject):
                codes[one.code] += one.code not in SKIPPED
                continue
            assert one.attributes["source"] in formats, member.name
            codes.update(note.code for note in one.rejects if note.code not in CHANGES)
            counts += count(one)
            ids = {span.span_id for span in one.spans}
            assert all(not lb.span_id or lb.span_id in ids for lb in one.labels)
    print(folder, dict(counts), dict(codes))
    assert counts["traces"]
    assert +codes == refused


def test_labels_of_agentrx_name_steps_that_are_there(shared_data: Path) -> None:
    path = shared_data / "agentrx"
    if not path.is_dir():
        pytest.skip("the published traces hold no agentrx")
    spans: dict[str, set[str]] = {}
    labels: list[tuple[str, str]] = []
    for file in sorted(path.glob("tau_retail_*.json")):
        with file.open("rb") as source:
            for one in read_any(source, name=file.name, format="agentrx"):
                assert isinstance(one, TraceRecord)
                if one.spans:
                    spans[one.trace_id] = {span.span_id for span in one.spans}
                labels += [(one.trace_id, lb.span_id) for lb in one.labels]
    named = [(trace_id, span_id) for trace_id, span_id in labels if span_id]
    print(f"{len(spans)} runs, {len(named)} labels of steps")
    assert named
    assert all(span_id in spans[trace_id] for trace_id, span_id in named)
