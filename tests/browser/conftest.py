"""A real browser on a live server: pages stay silent, and axe finds nothing.

``page`` fails its test on any console message, page error or refusal by the
content security policy. A test that provokes one takes it from
``page.complaints`` itself.
"""

import os

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, expect, sync_playwright

from tests.conftest import chromium_path
from tests.traces.views.conftest import (  # noqa: F401
    make_trace,
    person,
    project,
)

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WIDE, NARROW = 1440, 1024
expect.set_options(timeout=20_000)  # the machine may be busy
LOOKS = (("light", WIDE), ("dark", NARROW))
AXE_TAGS = (
    *("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"),
    "best-practice",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Whoever drives the browser needs one: see NEEDS in the tests' conftest."""
    for item in items:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser():
    # Playwright's loop runs in this thread, where Django sees it and refuses.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium_path(), args=list(FLAGS)
        )
        yield started
        started.close()


@pytest.fixture
def open_page(browser, live_server):
    """Open further windows, each with its own settings; all must stay silent."""
    opened = []

    def make(**given) -> Page:
        options = {
            "base_url": live_server.url,
            "viewport": {"width": WIDE, "height": 900},
            "color_scheme": "light",
            "timezone_id": "Asia/Tokyo",
            "reduced_motion": "reduce",
        }
        window = browser.new_context(**(options | given)).new_page()
        window.set_default_timeout(20_000)
        window.complaints = []
        window.on("console", lambda said: window.complaints.append(said.text))
        window.on("pageerror", lambda error: window.complaints.append(str(error)))
        opened.append(window)
        return window

    yield make
    complaints = [said for window in opened for said in window.complaints]
    for window in opened:
        window.context.close()
    assert complaints == []


@pytest.fixture
def page(open_page):
    return open_page()


@pytest.fixture
def sign_in(live_server):
    """Give a window the session of a person, without the form."""

    def sign(window: Page, user) -> None:
        client = Client()
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        value = client.cookies[name].value
        window.context.add_cookies(
            [{"name": name, "value": value, "url": live_server.url}]
        )

    return sign


def look(window: Page, scheme: str, width: int) -> None:
    """Show the open page in other colours and at another width."""
    window.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    window.set_viewport_size({"width": width, "height": 900})


def axe(window: Page, exclude: str = "") -> None:
    """Fail on anything that axe finds wrong with the page as it is now."""
    options = {"runOnly": {"type": "tag", "values": list(AXE_TAGS)}}
    context = {"exclude": [exclude]} if exclude else None
    found = Axe().run(window, context=context, options=options)
    assert found.violations_count == 0, f"{window.url}\n{found.generate_report()}"


def fits(window: Page) -> None:
    """Fail if the page must be scrolled sideways."""
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert window.evaluate(wide) <= 0, window.url
