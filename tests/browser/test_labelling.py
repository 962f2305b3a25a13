"""Labelling by keyboard alone; what is typed outlives a server that is away."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.utils import timezone
from playwright.sync_api import expect

from annotation.models import Draft, Label
from annotation.services.campaigns import Plan, move
from annotation.services.choosing import Wish, make_campaign
from judging.services.digesting import digest_trace
from tests.browser.conftest import LOOKS, axe, fits, look
from tests.traces.graph.spans import tool
from traces.domain.records import TraceRecord
from traces.models import Membership, Trace
from traces.services.imports import store_trace_record

STEPS = 20
LONG = "One answer with a_very_long_word_" + "x" * 300 + " in it. " * 40


@pytest.fixture
def ada(project):
    user = User.objects.create_user("ada")
    Membership.objects.create(
        project=project, user=user, role="expert", created_at=timezone.now()
    )
    return user


@pytest.fixture
def campaign(project, ada):
    now = timezone.now()
    spans = tuple(
        replace(tool(f"s{n}", n, n + 1, run="find", result=LONG), trace_id="run")
        for n in range(STEPS)
    )
    store_trace_record(
        project=project, record=TraceRecord("run", spans), source="test", now=now
    )
    digest_trace(trace=Trace.objects.get(trace_id="run"), now=now)
    wish = Wish(
        plan=Plan("Pilot", overlap=1, guidelines="Look at the **output**."),
        traces=Trace.objects.filter(project=project),
        query="",
        count=1,
        failures_only=False,
        raters=[ada],
    )
    made = make_campaign(project=project, wish=wish, actor=None, now=now)
    return move(campaign=made, to="open", actor=None, now=now)


@pytest.fixture
def rater(page, campaign, ada, sign_in):
    sign_in(page, ada)
    page.goto(f"/p/{campaign.project.slug}/campaigns/{campaign.pk}/")
    page.get_by_role("button", name="Begin labelling").press("Enter")
    expect(page).to_have_url(re.compile(r"/label/\d+/$"))
    listening(page)
    return page


def listening(page):
    """Wait until the page hears keys: its scripts run before it is loaded."""
    page.wait_for_load_state("load")


def test_twenty_steps_by_keyboard_alone(rater):
    for number in range(STEPS):
        here = rater.url
        rater.keyboard.press(str(1 + number % 5))
        expect(rater.locator("input[name=score]:checked")).to_have_value(
            str(1 + number % 5)
        )
        if number == 3:
            rater.keyboard.press("r")
            rater.keyboard.press("c")
            rater.keyboard.type("5 of 5, but late")
        rater.keyboard.press("Control+Enter")
        expect(rater).not_to_have_url(here)
        listening(rater)
    expect(rater.locator("h1")).to_contain_text("All tasks have the submissions")
    scores = Label.objects.order_by("pk").values_list("score", flat=True)
    assert list(scores) == [1, 2, 3, 4, 5] * 4
    told = Label.objects.get(comment="5 of 5, but late")
    assert (told.score, told.is_root) == (4, True)


def test_a_failure_is_found_by_typing(rater):
    rater.keyboard.press("f")
    rater.keyboard.type("Timeo")
    expect(rater.locator("#category")).to_have_value("timeout")
    expect(rater.locator("#category-definition")).not_to_be_empty()


def test_what_is_typed_is_saved_and_says_so(rater):
    rater.keyboard.press("c")
    rater.keyboard.type("half a thought")
    expect(rater.locator("#saved")).to_contain_text("Saved")
    rater.reload()
    expect(rater.locator("#comment")).to_have_value("half a thought")


def test_a_server_that_is_away_costs_nothing(rater):
    rater.context.set_offline(True)
    rater.keyboard.press("2")
    expect(rater.locator("#saved")).to_contain_text("can't be reached")
    rater.context.set_offline(False)
    expect(rater.locator("#saved")).to_contain_text("Saved")
    assert Draft.objects.get().content["score"] == 2
    assert any("ERR_INTERNET_DISCONNECTED" in said for said in rater.complaints)
    rater.complaints.clear()


def test_a_second_tab_is_told(rater):
    other = rater.context.new_page()
    other.goto(rater.url)
    rater.keyboard.press("2")
    expect(rater.locator("#saved")).to_contain_text("Saved")
    other.keyboard.press("4")
    expect(other.locator("#saved")).to_contain_text("another tab")
    assert Draft.objects.get().content["score"] == 2


def test_the_workspace_is_for_everybody(rater):
    for scheme, width in LOOKS:
        look(rater, scheme, width)
        axe(rater)
        fits(rater)


@pytest.mark.parametrize("page_of", ["", "new/", "{campaign}/"])
def test_campaign_pages_are_for_everybody(page, campaign, person, sign_in, page_of):
    sign_in(page, person("root"))
    address = page_of.format(campaign=campaign.pk)
    page.goto(f"/p/{campaign.project.slug}/campaigns/{address}")
    for scheme, width in LOOKS:
        look(page, scheme, width)
        axe(page)
        fits(page)
