"""The pages around the trace page, as people meet them."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.browser.conftest import LOOKS, NARROW, axe, fits, look
from tests.traces.views.conftest import NOW
from traces.models import IngestReject, Trace
from traces.services.accounts import create_sign_in_link

TEXT = "Please refund order 12. " * 20


@pytest.fixture
def full(project, make_trace):
    """A project with something on every page."""
    project.is_demo, project.reject_count = True, 1
    project.save()
    for number in range(12):
        failed = number % 3
        make_trace(
            name=f"Refund {number}",
            preview=TEXT[:300],
            search=TEXT.lower(),
            workflow="customer-service",
            tags=["demo"],
            structure=("inferred", "repaired", "flat")[number % 3],
            conformance=("conformant", "deviant", "unknown")[number % 3],
            failed_count=failed,
            root_count=min(1, failed),
            root_category="value-error" if failed else "",
            score=(4.7, 2.9, 1.3)[number % 3],
            duration_ms=95_000,
        )
    make_trace(digest_state="waiting", score=None, failed_count=None, structure="")
    make_trace(digest_state="failed", score=None, failed_count=None, structure="")
    IngestReject.objects.create(
        project=project, at=NOW, source="otlp", level="span", code="bad_span_id",
        place="resourceSpans[0].scopeSpans[0].spans[3]", reason="3 bytes; 8 are needed.",
        trace_id="ab" * 16,
    )  # fmt: skip
    return project


@pytest.fixture
def admin(page, person, sign_in):
    user = person("admin")
    sign_in(page, user)
    return user


def check(page):
    """Every look of the page: nothing for axe, nothing to scroll sideways."""
    for scheme, width in LOOKS:
        look(page, scheme, width)
        fits(page)
        axe(page)


FULL = [
    "/p/shop/",
    "/p/shop/traces/",
    "/p/shop/traces/?q=failed:yes+-tag:x+refund&sort=worst",
    "/p/shop/traces/?q=score:abc+nowhere",
    "/p/shop/review/",
    "/p/shop/taxonomy/",
    "/p/shop/checks/",
    "/p/shop/upload/",
    "/p/shop/settings/",
    "/p/shop/settings/tokens/",
    "/p/shop/settings/ingestion/",
    "/projects/",
    "/docs/method/",
]


def test_full_pages(page, admin, full):
    for url in FULL:
        page.goto(url)
        check(page)


def test_empty_pages(page, admin, project):
    for url in ("/p/shop/", "/p/shop/traces/", "/p/shop/review/"):
        page.goto(url)
        check(page)


def test_sign_in_page(page, db):
    page.goto("/sign-in/")
    check(page)


def test_page_that_is_not_there(page, admin, full):
    page.goto("/p/shop/nowhere/")
    check(page)
    assert "404" in page.complaints.pop()


def test_menus_and_dialogs(page, admin, full):
    page.goto("/p/shop/traces/")
    for words in ("Root cause", "Columns", "Newest received"):
        page.locator("summary", has_text=words).click()
        axe(page)
        page.keyboard.press("Escape")
    page.locator("summary", has_text=admin.username).click()
    axe(page)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    axe(page)


def test_a_token_is_made_and_copied(page, admin, project):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/p/shop/settings/tokens/")
    page.get_by_label("Name").fill("CI")
    page.get_by_role("button", name="Create token").click()
    check(page)
    page.get_by_role("button", name="Copy the token").click()
    expect(page.locator("#announcer")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").startswith("ae_")


def test_deleting_asks_for_the_name(page, admin, full):
    page.goto("/p/shop/traces/")
    expect(page.locator(".bulk")).to_be_hidden()
    page.get_by_label("Select Refund 11").check()
    page.get_by_role("button", name="Delete…").click()
    check(page)
    page.get_by_label("type the project's short name").fill("shop")
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("status").first).to_contain_text("1 trace deleted.")


def test_the_list_is_walked_by_keys(page, admin, full):
    page.goto("/p/shop/traces/")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    expect(page.locator("[data-row-link]").first).to_be_focused()
    page.keyboard.press("x")
    expect(page.locator("td.pick input").first).to_be_checked()
    expect(page.locator(".bulk")).to_be_visible()
    page.keyboard.press("/")
    expect(page.locator("#q")).to_be_focused()


def test_keys_are_listed_and_quiet_while_typing(page, admin, full):
    page.goto("/p/shop/traces/")
    page.locator("#q").fill("")
    page.keyboard.type("jx?")
    expect(page.locator("#q")).to_have_value("jx?")
    expect(page.get_by_role("dialog")).to_be_hidden()
    page.locator("h1").click()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    for key in ("?", "j", "k", "Enter", "x", "/"):
        expect(
            dialog.locator("kbd", has_text=re.compile(f"^{re.escape(key)}$"))
        ).to_have_count(1)
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_keys_can_be_turned_off(page, admin, full):
    page.goto("/p/shop/traces/")
    page.locator("summary", has_text=admin.username).click()
    page.get_by_role("button", name="Turn keyboard shortcuts off").click()
    page.keyboard.press("j")
    expect(page.locator("[data-row-link]").first).not_to_be_focused()
    page.locator("summary", has_text=admin.username).click()
    expect(
        page.get_by_role("button", name="Turn keyboard shortcuts on")
    ).to_be_visible()


def test_the_query_completes_fields_and_values(page, admin, full):
    page.goto("/p/shop/traces/")
    box = page.get_by_role("combobox", name="Filter traces")
    box.click()
    page.keyboard.type("struc")
    expect(page.get_by_role("option")).to_have_count(1)
    axe(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.type("fl")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(box).to_have_value("structure:flat ")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?q=structure%3Aflat*")
    expect(page.locator("#count")).to_have_text("4 traces")


def test_colours_are_chosen_at_once_and_kept(page, admin, project):
    page.goto("/p/shop/")
    page.locator("summary", has_text=admin.username).click()
    page.get_by_role("button", name="Dark").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_times_are_in_the_readers_zone(page, admin, make_trace):
    started = (timezone.now() - timedelta(days=20)).replace(hour=20, minute=0)
    make_trace(started_at=started)
    page.goto("/p/shop/traces/")
    shown = page.locator("time").first
    expect(shown).to_contain_text("05:00")
    assert "20:00" in shown.get_attribute("title")
    assert "UTC" in shown.get_attribute("title")


def test_new_traces_are_announced_without_moving_the_list(
    page, admin, full, make_trace
):
    page.clock.install()
    page.goto("/p/shop/traces/")
    rows = page.locator("[data-row]").count()
    make_trace(name="Fresh")
    page.clock.run_for(11_000)
    bar = page.locator("#fresh")
    expect(bar).to_contain_text("1 new trace")
    assert page.locator("[data-row]").count() == rows
    axe(page)
    bar.get_by_role("link").click()
    expect(page.locator("[data-row-link]").first).to_have_text("Fresh")


def test_the_first_trace_shows_itself(page, admin, project, make_trace):
    page.clock.install()
    page.goto("/p/shop/")
    expect(page.get_by_text("Waiting for the first trace")).to_be_visible()
    make_trace()
    page.clock.run_for(3_000)
    expect(page.get_by_text("Is it getting worse?")).to_be_visible()


def test_pages_work_without_scripts(open_page, person, sign_in, full):
    page = open_page(java_script_enabled=False)
    sign_in(page, person("admin"))
    page.goto("/p/shop/traces/")
    page.locator("summary", has_text="Structure").click()
    page.get_by_role("link", name=re.compile("^flat")).click()
    expect(page.locator("#count")).to_have_text("4 traces")
    page.locator("summary", has_text="Columns").click()
    page.get_by_label("Cost").check()
    page.get_by_role("button", name="Show these").click()
    expect(page.get_by_role("columnheader", name="Cost")).to_be_visible()
    expect(page.get_by_role("button", name="Keys")).to_be_hidden()
    page.locator(".menu-end summary").first.click()
    page.get_by_role("button", name="Dark").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_pages_can_be_zoomed(open_page, person, sign_in, full):
    """1440 pixels at 200 % are 720."""
    page = open_page(viewport={"width": 720, "height": 450})
    sign_in(page, person("admin"))
    for url in FULL:
        page.goto(url)
        fits(page)
        axe(page)


def test_the_skip_link_comes_first(page, admin, full):
    page.goto("/p/shop/traces/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_a_link_signs_in(page, person, project):
    link = create_sign_in_link(user=person("viewer"), now=timezone.now())
    page.goto(f"/sign-in/{link}/")
    expect(page).to_have_url(re.compile(r"/p/shop/$"))


def test_hostile_text_stays_text(page, admin, make_trace):
    attack = "<img src=x onerror=alert(1)>'\"</script><script>alert(1)</script>"
    make_trace(name=attack, preview=attack, workflow=attack[:50], tags=[attack])
    page.set_viewport_size({"width": NARROW, "height": 900})
    page.goto("/p/shop/traces/?columns=tags,workflow")
    expect(page.locator("[data-row-link]")).to_have_text(attack)
    page.locator("#q").click()
    page.keyboard.type("tag:")
    expect(page.get_by_role("option").first).to_contain_text("onerror")
    fits(page)
    assert Trace.objects.count() == 1


def test_files_are_dropped_and_reported(page, admin, project):
    page.goto("/p/shop/upload/")
    chat = b'{"messages": [{"role": "user", "content": "hi"}]}'
    page.get_by_label("Choose files").set_input_files(
        [
            {"name": "chat.json", "mimeType": "application/json", "buffer": chat},
            {"name": "bad.json", "mimeType": "application/json", "buffer": b"nonsense"},
        ]
    )
    page.get_by_role("button", name="Upload").click()
    results = page.get_by_role("list", name="Uploaded files").get_by_role("listitem")
    expect(results).to_have_count(2)
    expect(results.filter(has_text="chat.json")).to_contain_text("1 trace imported.")
    expect(results.filter(has_text="bad.json")).to_contain_text("refused")
    check(page)


def test_a_view_is_kept_and_opened_by_keyboard(page, admin, full):
    page.goto("/p/shop/traces/?q=failed:yes")
    page.get_by_text("Views", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_label("Save filters, order and columns as").focus()
    page.keyboard.type("Failing refunds")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved as “Failing refunds”.")).to_be_visible()
    page.goto("/p/shop/traces/")
    page.get_by_text("Views", exact=True).focus()
    page.keyboard.press("Enter")
    check(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=failed%3Ayes**")
