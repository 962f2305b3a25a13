"""The server and the browser draw the same; the built file is the source's."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.traces.layout.shapes import drawn, run_of
from traces.domain.layout.columnar import columnar
from traces.domain.layout.drawing import draw
from traces.domain.layout.svg import definitions, edge_svg, lane_svg, node_svg

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "static" / "src" / "graph"
BUILT = ROOT / "static" / "js" / "graph.bundle.js"
NODE = shutil.which("node")
ODD = (
    "顧客の注文を検索して返金する",
    "a\x00<b>&\"'",
    "x" * 90,
    " \u3000two\n\u0085lines ",
    "👩‍🔬é" * 9,
    "",
)

needs_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def in_browser(drawing):
    answer = subprocess.run(
        [NODE, str(Path(__file__).with_name("agreement.mjs")), str(SOURCE)],
        input=json.dumps(columnar(drawing)),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(answer.stdout)


def odd(steps):
    """Names, agents, states and conformance that are seldom seen."""
    for i, text in enumerate(ODD):
        steps[i] = replace(steps[i], name=text, category=text)
    steps[6] = replace(steps[6], conformance="ghost", role="propagated")
    steps[7] = replace(steps[7], conformance="extra", agent=ODD[1])
    return steps


@needs_node
@pytest.mark.parametrize("regions", [False, True])
def test_server_and_browser_draw_the_same(regions):
    steps, edges = drawn(run_of(300, 4))
    drawing = draw(odd(steps), edges, regions=regions)
    found = in_browser(drawing)
    places = range(len(drawing.nodes))
    assert found["nodes"] == [node_svg(drawing, place, "n") for place in places]
    assert found["edges"] == [edge_svg(drawing, p) for p in range(len(drawing.edges))]
    assert found["lanes"] == [lane_svg(lane) for lane in drawing.layout.lanes]
    assert found["definitions"] == definitions("n")


@needs_node
def test_the_built_file_is_what_the_source_gives(tmp_path):
    if not (SOURCE / "node_modules" / ".bin" / "esbuild").exists():
        pytest.skip("run npm ci in static/src/graph to compare the built file")
    built = tmp_path / "graph.bundle.js"
    subprocess.run(
        ["npm", "run", "--silent", "build", "--", f"--outfile={built}"],
        cwd=SOURCE,
        check=True,
        capture_output=True,
        timeout=120,
    )
    assert built.read_bytes() == BUILT.read_bytes()


def test_the_built_file_names_its_licences():
    text = BUILT.read_text()
    assert "Apache-2.0" in text[:400]
    assert "Mike Bostock" in text
