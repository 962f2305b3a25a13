"""What a reader waits for: pages in a real browser, drawings on the server."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from playwright.sync_api import Browser, sync_playwright

from tests.bench.server import ROOT, Row, Server, bodies, cost, send, until_built
from tests.conftest import chromium_path
from tests.traces.layout.shapes import drawn, run_of
from traces.domain.layout.drawing import draw
from traces.domain.layout.svg import svg

FIRST = 800_000
"""Number of the first trace that is opened here."""
VISIBLE = "#outline [data-key]"
ELEMENTS = "document.querySelectorAll('*').length"


def drawing(sizes: tuple[int, ...]) -> list[Row]:
    """Layout and SVG, CPU alone."""
    found: list[Row] = []
    for size in sizes:
        steps, edges = drawn(run_of(size))
        made = draw(steps, edges)
        found += [
            (f"layout of {size:,} steps", 1e3 * cost(lambda: draw(steps, edges)), "ms CPU"),  # noqa: B023  # run at once
            (f"SVG of {size:,} steps", 1e3 * cost(lambda: svg(made)), "ms CPU"),  # noqa: B023
        ]  # fmt: skip
    return found


def browsing(server: Server, sizes: tuple[int, ...], runs: int) -> list[Row]:
    """From the address to steps that can be read, with a warm browser."""
    path = chromium_path()
    if path is None:
        return []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            return _opened(browser, server, sizes, runs)
        finally:
            browser.close()


def _opened(
    browser: Browser, server: Server, sizes: tuple[int, ...], runs: int
) -> list[Row]:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(_sign_in_link(server))
    page.get_by_role("button").first.click()
    found: list[Row] = []
    for place, size in enumerate(sizes):
        send(server, bodies(1, size, first=FIRST + place), 1)
        trace = f"{FIRST + place + 1:032x}"
        until_built(server, f"/api/v1/traces/{trace}/graph")
        address = f"http://127.0.0.1:{server.port}/p/bench/traces/{trace}/"
        times = []
        for _ in range(runs + 1):
            began = time.perf_counter()
            page.goto(address, wait_until="commit")
            page.locator(VISIBLE).first.wait_for(state="visible", timeout=120_000)
            times.append((time.perf_counter() - began) * 1e3)
        elements = page.evaluate(ELEMENTS)
        name = f"browser: {size:,} spans"
        found += [
            (f"{name}, steps visible", statistics.median(times[1:]), "ms, median"),
            (f"{name}, elements", elements, "in the page"),
        ]
    return found


def _sign_in_link(server: Server) -> str:
    base = f"http://127.0.0.1:{server.port}"
    made = subprocess.run(
        [sys.executable, "manage.py", "sign_in_link", "--base", base],
        cwd=ROOT,
        env=server.environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return made.stdout.strip()
