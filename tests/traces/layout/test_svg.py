"""The drawing as SVG: complete, escaped, without inline style."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tests.traces.layout.shapes import drawn, run_of
from traces.domain.layout.drawing import draw
from traces.domain.layout.marks import DrawEdge, DrawNode, State
from traces.domain.layout.svg import standalone_svg, svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "\"><script>alert(1)</script>&amp;'\x00\ud800]]>"


def tree(text):
    return ElementTree.fromstring(text)


def nodes(text):
    return list(tree(text).iter(f"{SVG}a"))


def one(**changes):
    step = {"key": "ab", "index": 3, "type": "EXEC", "name": "run", **changes}
    return svg(draw([DrawNode(**step)], []))


def test_the_drawing_is_a_tree_of_links():
    text = svg(draw(*drawn(run_of(40)), fans=False))
    root = tree(text)
    assert root.get("role") == "tree"
    assert root.get("aria-label").startswith("Step graph: 40 steps, ")
    found = nodes(text)
    assert len(found) == 40
    assert {a.get("role") for a in found} == {"treeitem"}
    assert found[7].get("id") == "n-0000000000000007"
    assert found[7].get("href") == "?step=0000000000000007"
    assert [a.get("tabindex") for a in found].count("0") == 1


def test_the_selected_step_has_the_tab_stop():
    text = svg(draw(*drawn(run_of(9)), fans=False), selected="0000000000000004")
    selected = [a for a in nodes(text) if a.get("aria-selected") == "true"]
    assert [a.get("data-key") for a in selected] == ["0000000000000004"]
    assert selected[0].get("tabindex") == "0"


def test_no_inline_style_and_no_script():
    text = svg(draw(*drawn(run_of(60))))
    assert not re.search(r"\sstyle=|<style|<script|\son\w+=", text)


@pytest.mark.parametrize("field", ["key", "type", "name", "agent", "category"])
def test_hostile_text_stays_text(field):
    found = one(**{field: HOSTILE}, state=State.SCORED, score=1.0, failed=True)
    assert "<script" not in found
    assert len(nodes(found)) == 1


def test_hostile_lanes_stay_text():
    steps = [DrawNode(str(i), i, "EXEC", "x", HOSTILE * i) for i in range(2)]
    assert "<script" not in svg(draw(steps, [DrawEdge(0, 1)]))


def test_a_failed_root_is_marked_by_more_than_colour():
    found = one(state=State.SCORED, score=1.0, failed=True, role="root")
    for mark in ("g-sign", "g-rim", "g-notch", ">root</text>"):
        assert mark in found


def test_an_unscored_step_is_hatched():
    assert 'fill="url(#n-hatch)"' in one(state=State.UNSCORED)


def test_a_boundary_has_no_badge():
    assert "g-badge" not in one(type="BOUNDARY", state=State.BOUNDARY)


def test_a_cut_name_is_given_in_full():
    assert "<title>transfer_to_human_agents_now</title>" in one(
        name="transfer_to_human_agents_now"
    )


def test_the_path_is_drawn_last():
    steps, edges = drawn(run_of(12))
    edges[2] = DrawEdge(edges[2].source, edges[2].target, edges[2].kind, on_path=True)
    drawn_edges = re.findall(r'<path class="g-e [^"]*"', svg(draw(steps, edges)))
    assert drawn_edges[-1].endswith('g-on"')


def test_lanes_are_labelled_where_there_are_several():
    steps = [DrawNode(str(i), i, "EXEC", "x", f"agent-{i}") for i in range(2)]
    assert svg(draw(steps, [DrawEdge(0, 1)])).count("g-lane-name") == 2
    assert "g-lane-name" not in one(agent="solo")


def test_two_drawings_on_a_page_have_different_ids():
    drawing = draw(*drawn(run_of(5)))
    ids = [set(re.findall(r' id="([^"]*)"', svg(drawing, prefix=p))) for p in "nm"]
    assert ids[0].isdisjoint(ids[1])


def test_a_file_of_its_own_carries_its_style():
    text = standalone_svg(draw(*drawn(run_of(20))), ".g-n{fill:red}/* ]]> */")
    root = tree(text)
    assert ".g-n{fill:red}" in root.find(f"{SVG}style").text
    assert not [a for a in root.iter(f"{SVG}a") if a.get("href")]


def test_a_whole_drawing_stays_small():
    size = len(svg(draw(*drawn(run_of(400)), fans=False)).encode())
    print(f"400 steps: {size:,} bytes of SVG")
    assert size < 400_000
