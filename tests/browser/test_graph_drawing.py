"""The step graph in a browser, on pages of its own under a strict policy.

The pages come from a small server of this file, so that nothing but the drawing
is tested here; the ``page`` fixture fails on anything the console says.
"""

from __future__ import annotations

import json
import re
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import axe
from tests.traces.layout.shapes import drawn, run_of
from traces.domain.layout.columnar import columnar
from traces.domain.layout.drawing import WHOLE, draw
from traces.domain.layout.svg import svg

STATIC = Path(__file__).resolve().parents[2] / "static"
POLICY = "default-src 'self'"
MOST_BOXES, MOST_ELEMENTS = 160, 2_500
KINDS = {".css": "text/css", ".js": "text/javascript"}
STYLE = """
body { margin: 0; height: 100vh; display: flex; flex-direction: column;
  background: var(--paper); font-family: var(--sans); }
main { flex: 1; min-height: 0; display: flex; flex-direction: column; }
#strip { padding: 8px; }
#graph { flex: 1; min-height: 0; }
"""
SCRIPT = """
import { mountGraph } from "/static/js/graph.bundle.js";
const element = document.getElementById("graph");
window.events = [];
element.addEventListener("graph:select", (event) => window.events.push(event.detail.key));
window.graph = await mountGraph(element);
document.body.dataset.ready = String(window.graph !== null);
"""


@cache
def steps_of(size):
    return drawn(run_of(size))


def drawing_of(size, opened=()):
    steps, edges = steps_of(size)
    return draw(steps, edges, opened=opened, fans=size > 300)


def page_of(size, script):
    drawing = drawing_of(size)
    inner = svg(drawing) if len(drawing.nodes) <= WHOLE else "<p>Too large.</p>"
    live = '<script type="module" src="/page.js"></script>' if script else ""
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8">
<title>Graph</title><link rel="icon" href="/static/img/icon.svg">
<link rel="stylesheet" href="/static/css/tokens.css">
<link rel="stylesheet" href="/static/css/graph.css">
<link rel="stylesheet" href="/page.css"></head>
<body><main><h1>{size} steps</h1><div id="strip"></div>
<div id="graph" data-url="/data/{size}" data-strip="strip">{inner}</div></main>
{live}</body></html>"""


def columns_of(path, query):
    opened = [int(i) for i in parse_qs(query).get("opened", [""])[0].split(",") if i]
    return json.dumps(columnar(drawing_of(int(path.rsplit("/", 1)[1]), tuple(opened))))


class Pages(BaseHTTPRequestHandler):
    def do_GET(self):
        url = urlsplit(self.path)
        if url.path.startswith("/static/"):
            file = STATIC / url.path.removeprefix("/static/")
            self.answer(file.read_bytes(), KINDS.get(file.suffix, "image/svg+xml"))
        elif url.path == "/page.css":
            self.answer(STYLE.encode(), "text/css")
        elif url.path == "/page.js":
            self.answer(SCRIPT.encode(), "text/javascript")
        elif url.path.startswith("/data/"):
            self.answer(columns_of(url.path, url.query).encode(), "application/json")
        else:
            kind, size = url.path.strip("/").split("/")
            self.answer(page_of(int(size), kind == "live").encode(), "text/html")

    def answer(self, body, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def page(browser):
    window = browser.new_page(viewport={"width": 1440, "height": 900})
    complaints = []
    window.on("console", lambda said: complaints.append(said.text))
    window.on("pageerror", lambda error: complaints.append(str(error)))
    yield window
    window.close()
    assert complaints == []


@pytest.fixture
def show(page, address):
    def visit(size, kind="live"):
        page.goto(f"{address}/{kind}/{size}")
        if kind == "live":
            page.wait_for_selector("body[data-ready=true]")
        return page

    return visit


def key(index):
    return f"{index:016x}"


def step(page, index):
    return page.locator(f"#n-{key(index)}")


def settle(page):
    page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
    )


def test_without_script_the_drawing_is_complete_and_its_steps_are_links(show):
    page = show(20, "still")
    expect(page.get_by_role("treeitem")).to_have_count(20)
    step(page, 3).click()
    expect(page).to_have_url(re.compile(rf"\?step={key(3)}$"))


def test_a_click_selects_and_says_so(show):
    page = show(20)
    step(page, 3).click()
    expect(step(page, 3)).to_have_attribute("aria-selected", "true")
    expect(step(page, 3)).to_be_focused()
    step(page, 4).click()
    expect(page.locator("[aria-selected=true]")).to_have_count(1)
    assert page.evaluate("events") == [key(3), key(4)]
    assert "?step" not in page.url


def test_arrows_follow_the_edges_and_enter_selects(show):
    page = show(20)
    step(page, 0).focus()
    page.keyboard.press("ArrowDown")
    expect(step(page, 1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(step(page, 0)).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(step(page, 19)).to_have_attribute("aria-selected", "true")
    expect(page.locator("[tabindex='0'].g-n")).to_have_count(1)


def test_the_focused_step_is_brought_into_sight(show):
    page = show(200)
    step(page, 0).focus()
    page.keyboard.press("End")
    expect(step(page, 199)).to_be_focused()
    expect(step(page, 199)).to_be_in_viewport()


def test_a_path_is_drawn_heavy_and_named(show):
    page = show(20)
    edge = page.evaluate(
        "(() => { const e = document.querySelector('.g-e'); "
        "return [Number(e.dataset.s), Number(e.dataset.t)]; })()"
    )
    page.evaluate("(keys) => graph.path(keys)", [key(i) for i in edge])
    expect(page.locator(".g-n.g-on")).to_have_count(2)
    expect(page.locator(".g-e.g-on")).to_have_count(1)
    name = step(page, edge[1]).get_attribute("aria-label")
    assert "on the path 2 of 2" in name


def test_highlighting_dims_the_others_by_no_more_than_half(show):
    page = show(20)
    page.evaluate(
        "(key) => document.getElementById('graph').dispatchEvent("
        "new CustomEvent('graph:highlight', {detail: {ancestors: key}}))",
        key(2),
    )
    opacity = "(e) => Number(getComputedStyle(e).opacity)"
    assert step(page, 0).evaluate(opacity) == 1
    assert step(page, 19).evaluate(opacity) == 0.45
    page.evaluate("graph.highlight(null)")
    assert step(page, 19).evaluate(opacity) == 1


def test_what_if_changes_steps_in_place(show):
    page = show(20)
    before = step(page, 5).get_attribute("transform")
    page.evaluate(
        "(key) => graph.update({[key]: {score: 1.2, state: 'scored', failed: true, role: 'root'}})",
        key(5),
    )
    assert step(page, 5).get_attribute("transform") == before
    assert "score 1.2 of 5, very poor, failed" in step(page, 5).get_attribute(
        "aria-label"
    )
    expect(step(page, 5).locator(".g-sign")).to_have_count(1)
    page.evaluate("graph.setThreshold(1)")
    expect(step(page, 5).locator(".g-sign")).to_have_count(0)


@pytest.mark.parametrize("size", [1_000, 5_000])
def test_a_large_run_keeps_few_elements_in_the_page(show, size):
    page = show(size)
    most = 0
    for move in (
        "0",
        "graph.zoom(0.5)",
        "graph.zoom(0.5)",
        "graph.fit()",
        "graph.zoom(40)",
    ):
        page.evaluate(move)
        settle(page)
        boxes = page.locator(".g-n").count()
        most = max(most, page.locator("svg.g-graph *").count())
        assert boxes <= MOST_BOXES
    print(f"{size:,} steps: at most {most:,} SVG elements")
    assert most <= MOST_ELEMENTS


def test_a_large_run_is_reached_by_keyboard(show):
    page = show(1_000)
    expect(page.get_by_text("Too large.")).to_have_count(0)
    page.evaluate("graph.select(graph.keys()[0], {focus: true})")
    for _ in range(30):
        page.keyboard.press("ArrowDown")
    focused = page.evaluate("document.activeElement.getAttribute('aria-level')")
    assert int(focused) == 31
    page.keyboard.press("End")
    settle(page)
    expect(page.locator(".g-n:focus")).to_be_in_viewport()


def test_a_fold_opens_in_place(show):
    page = show(5_000)
    boxes = page.evaluate("graph.keys().length")
    assert boxes < 2_000
    fold = page.locator(".g-n.g-fold").first
    steps = int(fold.locator(".g-name").text_content().split()[0].replace(",", ""))
    fold.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("(boxes) => graph.keys().length > boxes", arg=boxes)
    assert page.evaluate("graph.keys().length") == boxes + steps - 1
    expect(page.get_by_role("status")).to_have_text(f"Unfolded {steps} steps.")
    expect(page.locator("[aria-selected=true]")).to_be_focused()


def test_a_folded_step_can_be_selected_by_its_index(show):
    page = show(5_000)
    folded = page.evaluate(
        "fetch('/data/5000').then((r) => r.json()).then((c) => "
        "c.strip.box.findIndex((box) => c.nodes.count[box] > 3) + 1)"
    )
    page.evaluate("([key, index]) => graph.select(key, {index})", [key(folded), folded])
    expect(step(page, folded)).to_have_attribute("aria-selected", "true")


def test_the_strip_leads_to_a_step_by_mouse_and_keyboard(show):
    page = show(1_000)
    strip = page.get_by_role("slider", name="Scores of all steps")
    strip.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert strip.get_attribute("aria-valuetext").startswith("step 1,")
    page.keyboard.press("Enter")
    expect(step(page, 1)).to_have_attribute("aria-selected", "true")
    strip.click(position={"x": 3, "y": 20})
    settle(page)
    assert strip.get_attribute("aria-valuenow") not in ("0", "1")


def test_the_wheel_moves_and_with_control_zooms(show):
    page = show(1_000)
    page.mouse.move(700, 500)
    view = page.locator(".g-view")
    before = view.get_attribute("transform")
    page.mouse.wheel(0, 400)
    settle(page)
    moved = view.get_attribute("transform")
    assert moved != before
    assert moved.split("scale")[1] == before.split("scale")[1]
    page.keyboard.down("Control")
    page.mouse.wheel(0, -200)
    page.keyboard.up("Control")
    settle(page)
    assert view.get_attribute("transform").split("scale")[1] != moved.split("scale")[1]


def test_the_drawing_is_saved_as_svg_and_png(show):
    page = show(200)
    with page.expect_download() as svg_file:
        page.evaluate("graph.save('svg', 'run.svg')")
    text = svg_file.value.path().read_text()
    assert text.count('role="treeitem"') == 200
    assert ".g-body" in text
    with page.expect_download() as png_file:
        page.evaluate("graph.save('png', 'run.png')")
    png = png_file.value.path().read_bytes()
    sides = [int.from_bytes(png[at : at + 4]) for at in (16, 20)]
    assert max(sides) <= 16_384
    assert len(png) > 50_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(show, page, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    axe(show(20))


def test_nothing_moves_with_reduced_motion(show, page):
    page.emulate_media(reduced_motion="reduce")
    show(200)
    moving = "document.getAnimations().length"
    assert page.evaluate(moving) == 0


def test_forced_colours_keep_the_text(show, page):
    page.emulate_media(forced_colors="active")
    show(20)
    assert step(page, 0).locator(".g-name").evaluate(
        "(e) => getComputedStyle(e).fill"
    ) == ("rgb(0, 0, 0)")


def test_the_strip_tints_the_steps_in_sight_unless_all_are(show):
    page = show(1_000)
    strip = page.locator("#strip")
    expect(strip).to_have_attribute("data-seen", re.compile(r"^[1-9]\d{0,2}$"))
    page.evaluate("graph.fit()")
    expect(strip).to_have_attribute("data-seen", "0")
