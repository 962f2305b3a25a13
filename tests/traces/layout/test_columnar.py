"""The drawing as columns."""

from __future__ import annotations

import json

from tests.traces.layout.shapes import drawn, run_of
from traces.domain.layout.columnar import columnar
from traces.domain.layout.drawing import draw
from traces.domain.layout.marks import DrawEdge, DrawNode, State
from traces.domain.records import EdgeKind


def small():
    steps = [
        DrawNode("a", 0, "PLAN", "plan", "main", State.SCORED, 4.0),
        DrawNode(
            "b", 1, "EXEC", "run", "main", State.SCORED, 1.5, failed=True, role="root"
        ),
        DrawNode("c", 2, "EXEC", "run", "main", on_path=True),
    ]
    edges = [DrawEdge(0, 1, EdgeKind.CALL), DrawEdge(1, 2, EdgeKind.DATA, on_path=True)]
    return columnar(draw(steps, edges))


def test_one_entry_a_box():
    nodes = small()["nodes"]
    assert {len(column) for column in nodes.values()} == {3}
    assert nodes["key"] == ["a", "b", "c"]
    assert nodes["flags"] == [0, 1 | 2, 8]
    assert nodes["score"] == [4.0, 1.5, None]


def test_one_entry_an_edge():
    found = small()
    kinds = found["constants"]["kinds"]
    assert [kinds[k] for k in found["edges"]["kind"]] == ["call", "data"]
    assert found["edges"]["path"] == [1]


def test_words_are_written_once():
    found = small()
    assert found["words"].count("run") == 1
    assert [found["words"][k] for k in found["nodes"]["name"]] == ["plan", "run", "run"]


def test_the_strip_has_a_cell_a_step():
    strip = small()["strip"]
    assert strip["cells"] == "42n"
    assert (strip["failed"], strip["path"], strip["root"]) == ([1], [2], [1])


def test_the_strip_knows_the_box_of_every_step():
    steps, edges = drawn(run_of(3_000))
    found = columnar(draw(steps, edges))
    assert len(found["strip"]["cells"]) == len(found["strip"]["box"]) == 3_000
    assert max(found["strip"]["box"]) == len(found["nodes"]["key"]) - 1


def test_five_thousand_steps_stay_small():
    steps, edges = drawn(run_of(5_000))
    size = len(json.dumps(columnar(draw(steps, edges)), separators=(",", ":")))
    print(f"5,000 steps: {size:,} bytes of columns")
    assert size < 400_000
