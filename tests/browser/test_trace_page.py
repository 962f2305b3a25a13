"""The trace page in a real browser: one selection, everywhere in step."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import cache

import pytest
from playwright.sync_api import expect

from agenteval_web.demo import build_demo
from judging.services.digesting import digest_trace
from tests.browser.conftest import LOOKS, axe, fits, look
from traces.models import Trace
from traces.services.imports import store_trace_record

NOW = datetime(2026, 12, 1, tzinfo=UTC)


@cache
def demo():
    records = [each.record for each in build_demo(now=NOW)]
    by_fault = {
        label.value: record
        for record in records
        for label in record.labels
        if label.kind == "category"
    }
    return by_fault | {LONG: max(records, key=lambda record: len(record.spans))}


@pytest.fixture
def shown(project):
    """Store and digest a demo trace by its fault; give its address."""

    def show(name: str) -> str:
        record = demo()[name]
        store_trace_record(project=project, record=record, source="demo", now=NOW)
        trace = Trace.objects.get(project=project, trace_id=record.trace_id)
        digest_trace(trace=trace, now=NOW)
        return f"/p/{project.slug}/traces/{record.trace_id}/"

    return show


@pytest.fixture
def reader(page, person, sign_in):
    sign_in(page, person("engineer"))
    return page


FAILING = "prerequisite-skip"
LONG = "the longest"


def selected(page) -> str:
    return page.locator("#inspector .inspector-body").get_attribute("data-key")


@pytest.mark.parametrize("view", ["graph", "timeline", "spans", "notes"])
def test_every_view_is_accessible(reader, shown, view):
    reader.goto(f"{shown(FAILING)}?view={view}")
    for scheme, width in LOOKS:
        look(reader, scheme, width)
        fits(reader)
        axe(reader)


def test_the_headline_names_where_it_failed_and_where_it_began(reader, shown):
    reader.goto(shown(FAILING))
    sentence = reader.locator("#headline")
    expect(sentence).to_contain_text("Failed at step")
    expect(sentence).to_contain_text("It began at step")
    sentence.locator("a").nth(1).click()
    expect(reader.locator("#inspector")).to_contain_text("A root")


def test_the_legend_explains_the_signs_and_zoom_has_buttons(reader, shown):
    reader.goto(shown(FAILING))
    zoom = reader.get_by_role("group", name="Zoom")
    view = reader.locator("#graph .g-view")
    zoom.get_by_role("button", name="Zoom in").click()
    expect(view).to_have_attribute("transform", re.compile(r"scale\(1\.\d+\)"))
    zoom.get_by_role("button", name="Fit").click()
    expect(view).to_have_attribute("transform", re.compile(r"scale\((0\.\d+|1)\)"))
    reader.get_by_text("Legend").click()
    expect(reader.locator(".graph-legend")).to_contain_text("A root: it failed")
    for scheme, width in LOOKS:
        look(reader, scheme, width)
        fits(reader)
        axe(reader)
    reader.keyboard.press("Escape")
    expect(reader.locator(".graph-legend .menu-panel")).to_be_hidden()


def test_similar_failures_are_counted_and_listed(reader, shown):
    url = shown(FAILING)
    reader.goto(url)
    similar = reader.locator("#inspector p", has_text="Similar failures")
    expect(similar).to_contain_text("in 0 other traces")
    similar.get_by_role("link").click()
    expect(reader.locator("table a").first).to_be_visible()
    expect(reader).to_have_url(re.compile(r"q=category:"))


def test_keys_move_the_selection_everywhere(reader, shown):
    reader.goto(shown(FAILING))
    reader.keyboard.press("r")
    expect(reader.locator("#inspector")).to_contain_text("A root")
    root = selected(reader)
    expect(reader).to_have_url(re.compile(f"[?&]step={root}"))
    row = reader.locator(f'#outline [data-key="{root}"]')
    expect(row).to_have_attribute("aria-selected", "true")
    reader.keyboard.press("j")
    expect(row).to_have_attribute("aria-selected", "false")
    reader.keyboard.press("k")
    expect(row).to_have_attribute("aria-selected", "true")
    reader.keyboard.press("f")
    opened = reader.locator("#inspector .inspector-body")
    expect(opened).not_to_have_attribute("data-key", root)
    expect(reader.locator("#inspector .failed-word")).to_be_visible()


def test_a_link_to_a_step_opens_it_and_back_goes_back(reader, shown):
    url = shown(FAILING)
    reader.goto(url)
    first = selected(reader)
    key = reader.locator("#outline [data-key]").nth(3).get_attribute("data-key")
    reader.goto(f"{url}?step={key}")
    assert selected(reader) == key
    reader.keyboard.press("j")
    expect(reader.locator("#inspector .inspector-body")).not_to_have_attribute(
        "data-key", key
    )
    reader.go_back()
    expect(reader.locator("#inspector .inspector-body")).to_have_attribute(
        "data-key", key
    )
    assert first


def test_moving_the_threshold_moves_failures(reader, shown):
    reader.goto(shown(FAILING))
    failed = reader.locator("#outline .row-failed")
    expect(failed).not_to_have_count(0)
    reader.locator("#shift").fill("-1.5")
    expect(reader.locator("#shift-value")).to_have_text("-1.50")
    expect(failed).not_to_have_count(0)
    before = failed.count()
    reader.locator("#shift").fill("1.5")
    expect(reader.locator("#shift-value")).to_have_text("+1.50")
    reader.wait_for_function(
        "n => document.querySelectorAll('#outline .row-failed').length >= n", arg=before
    )
    expect(reader).to_have_url(re.compile(r"[?&]shift=1\.5\b"))


def test_search_finds_steps(reader, shown):
    reader.goto(shown(FAILING))
    reader.keyboard.press("/")
    reader.keyboard.type("cancel")
    expect(reader.locator("#find-count")).to_contain_text("found")
    reader.keyboard.press("Enter")
    chosen = reader.locator('#outline [aria-selected="true"]')
    expect(chosen).to_contain_text("cancel", ignore_case=True)


def test_a_long_run_keeps_few_elements(reader, shown):
    reader.goto(shown(LONG))
    expect(reader.locator("#graph svg .n, #graph svg [data-key]").first).to_be_visible()
    reader.keyboard.press("j")
    reader.keyboard.press("k")
    assert reader.locator("#outline .row").count() < 120
    assert reader.evaluate("document.querySelectorAll('*').length") < 2_500


def test_a_step_inside_a_fold_is_drawn_when_it_is_selected(reader, shown):
    url = shown(LONG)
    reader.goto(url)
    graph = reader.locator("#graph")
    boxes = graph.and_(reader.locator("[data-boxes]"))
    expect(boxes).to_be_visible()
    columns = reader.evaluate("fetch('drawing/').then((answer) => answer.json())")
    counts, place = columns["nodes"]["count"], columns["strip"]["box"]
    inside = next(i for i, box in enumerate(place) if counts[box] > 1)
    outline = reader.evaluate("fetch('outline/').then((answer) => answer.json())")
    key = outline["key"][outline["index"].index(inside + 1)]
    reader.goto(f"{url}?step={key}")
    chosen = graph.locator(f'[data-key="{key}"]')
    expect(chosen).to_have_attribute("aria-selected", "true")
    reader.goto(url)
    expect(boxes).to_be_visible()
    expect(chosen).to_have_count(0)
    reader.locator("#outline").evaluate("box => box.scrollTo(0, 0)")
    reader.locator(f'#outline [data-key="{key}"]').click()
    expect(chosen).to_have_attribute("aria-selected", "true")


def test_without_scripts_the_page_is_complete(open_page, person, sign_in, shown):
    window = open_page(java_script_enabled=False)
    sign_in(window, person("engineer"))
    window.goto(shown(FAILING))
    expect(window.locator("#graph svg")).to_be_visible()
    link = window.locator("#outline a").nth(2)
    key = link.get_attribute("data-key")
    link.click()
    assert selected(window) == key


def test_trace_text_stays_text(reader, project):
    from tests.traces.graph.spans import answered, llm, said, tool
    from traces.domain.records import TraceRecord

    evil = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
    spans = (
        llm("a", 1, 2, text=evil, calls=[("c", evil, {"x": evil})], given=[said("user", evil)]),
        tool("b", 3, 4, run=evil, call_id="c", result=evil),
        llm("d", 5, 6, text=evil, given=[answered("c", evil)]),
    )  # fmt: skip
    record = TraceRecord("t" * 32, spans, attributes={"name": evil})
    store_trace_record(project=project, record=record, source="test", now=NOW)
    trace = Trace.objects.get(project=project, trace_id="t" * 32)
    digest_trace(trace=trace, now=NOW)
    for view in ("graph", "timeline", "spans&span=a", "notes"):
        reader.goto(f"/p/{project.slug}/traces/{'t' * 32}/?view={view}")
        assert reader.locator("main img, main script").count() == 0
        expect(reader.locator("h1")).to_contain_text("<img")


def test_a_graph_that_cannot_be_loaded_says_so(reader, shown):
    reader.route("**/drawing/**", lambda route: route.abort())
    reader.goto(shown(LONG))
    expect(reader.locator(".graph-wait")).to_contain_text("could not be drawn")
    expect(reader.locator("#toasts")).to_contain_text("The outline shows all steps")
    expect(reader.locator("#outline .row").first).to_be_visible()
    reader.complaints.clear()
