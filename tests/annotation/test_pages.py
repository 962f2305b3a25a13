"""Campaigns in pages: made, opened, labelled, corrected; blind until then."""

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from annotation.models import Assignment, Campaign, Draft, Item, Label, Sight
from judging.services.digesting import digest_trace
from tests.annotation.services.conftest import NOW
from tests.traces.graph.spans import tool
from traces.domain.records import TraceRecord
from traces.models import Membership, Trace
from traces.services.imports import store_trace_record

TRACES = [f"{number:032x}" for number in (1, 2, 3)]


@pytest.fixture
def people(project):
    """ada and bob are experts, eve is an engineer."""
    for name, role in (("ada", "expert"), ("bob", "expert"), ("eve", "engineer")):
        user = User.objects.create_user(name)
        Membership.objects.create(project=project, user=user, role=role, created_at=NOW)


@pytest.fixture
def judged(project):
    for trace_id in TRACES:
        spans = [
            replace(span, trace_id=trace_id)
            for span in (
                tool("a", 1, 2, run="find", result="went well"),
                tool("b", 3, 4, run="pay", result="Error 500"),
            )
        ]
        record = TraceRecord(trace_id, tuple(spans))
        store_trace_record(project=project, record=record, source="test", now=NOW)
        digest_trace(trace=Trace.objects.get(trace_id=trace_id), now=NOW)


@pytest.fixture
def as_(client):
    def signed_in(name):
        client.force_login(User.objects.get(username=name))
        return client

    return signed_in


@pytest.fixture
def opened(people, judged, as_):
    """A campaign that eve made for ada and bob and opened."""
    client = as_("eve")
    raters = User.objects.filter(username__in=("ada", "bob"))
    form = {
        "name": "Pilot",
        "query": "",
        "count": 2,
        "unit": "step",
        "metrics": "overall",
        "overlap": 2,
        "overlap_percent": 100,
        "blind_judge": "on",
        "guidelines": "Look **twice**.",
        "seed": 7,
        "lease_minutes": 30,
        "due_at": "",
        "raters": [u.pk for u in raters],
    }
    made = client.post(reverse("campaign-new", args=["shop"]), form)
    assert made.status_code == 302, made.content.decode()
    campaign = Campaign.objects.get()
    client.post(turn(campaign), {"to": "open"})
    campaign.refresh_from_db()
    assert campaign.state == "open"
    return campaign


def turn(campaign):
    return reverse("campaign-turn", args=["shop", campaign.pk])


def taken(client, campaign):
    """Address of the next task, "" if there is none; the page that follows."""
    answer = client.post(reverse("label-next", args=["shop", campaign.pk]))
    goes_to = answer.headers["Location"]
    return "" if goes_to.endswith("/nothing/") else goes_to, client.get(goes_to)


def test_a_campaign_is_drawn_and_frozen(opened):
    assert opened.selection == {
        "query": "",
        "failures_only": False,
        "wanted": 2,
        "drawn": 2,
        "seed": 7,
    }
    assert opened.items.values("trace_key").distinct().count() == 2
    assert set(opened.tasks.values_list("wanted", flat=True)) == {2}
    assert set(opened.items.values_list("type", flat=True)) == {"EXEC"}


def test_the_same_seed_draws_the_same(people, judged, as_):
    client = as_("eve")
    for name in ("one", "two"):
        form = {
            "name": name,
            "count": 2,
            "unit": "step",
            "metrics": "overall",
            "overlap": 1,
            "overlap_percent": 50,
            "lease_minutes": 5,
            "seed": 3,
        }
        client.post(reverse("campaign-new", args=["shop"]), form)
    drawn = [
        list(campaign.items.values_list("trace_key", "key", "task__wanted"))
        for campaign in Campaign.objects.all()
    ]
    assert drawn[0]
    assert drawn[0] == drawn[1]


def test_what_is_missing_is_said(people, as_):
    answer = as_("eve").post(reverse("campaign-new", args=["shop"]), {"query": "x:"})
    assert answer.status_code == 422
    assert "This field is required" in answer.content.decode()


def test_a_rater_labels_without_scripts(opened, as_):
    client = as_("ada")
    page, _ = taken(client, opened)
    shown = client.get(page).content.decode()
    assert "Look <strong>twice</strong>" in shown
    item = Item.objects.get(task__assignments__rater__user__username="ada")
    answers = {"item": item.pk, "version": 0, "score": 2, "category": "error-response"}
    assert client.post(page, {**answers, "action": "save"}).status_code == 302
    assert Draft.objects.get().content["score"] == 2
    onward = client.post(page, {**answers, "version": 1, "action": "submit"})
    assert onward.status_code == 302
    assert onward.headers["Location"] != page
    label = Label.objects.get()
    assert (label.score, label.category, label.is_blind) == (2, "error-response", True)


def test_an_incomplete_answer_is_kept_and_named(opened, as_):
    client = as_("ada")
    page, _ = taken(client, opened)
    item = Item.objects.get(task__assignments__rater__user__username="ada")
    said = {"item": item.pk, "version": 0, "comment": "<b>hm</b>", "action": "submit"}
    answer = client.post(page, said)
    assert answer.status_code == 422
    assert "a whole number from 1 to 5" in answer.content.decode()
    assert "&lt;b&gt;hm&lt;/b&gt;" in answer.content.decode()
    assert not Label.objects.exists()


def test_another_tab_is_not_overwritten(opened, as_):
    client = as_("ada")
    page, _ = taken(client, opened)
    item = Item.objects.get(task__assignments__rater__user__username="ada")
    for comment, status in (("one", 302), ("two", 409)):
        said = {"item": item.pk, "version": 0, "comment": comment, "action": "save"}
        assert client.post(page, said).status_code == status
    assert Draft.objects.get().content["comment"] == "one"


def test_a_task_is_skipped_or_given_back(opened, as_):
    client = as_("ada")
    first, _ = taken(client, opened)
    second = client.post(first, {"action": "skip", "reason": "unsure"})
    assert second.status_code == 302
    client.post(second.headers["Location"], {"action": "release"})
    states = Assignment.objects.order_by("pk").values_list("state", flat=True)
    assert list(states) == ["skipped", "released"]


def test_when_nothing_is_left_it_says_why(opened, as_):
    client = as_("ada")
    while (found := taken(client, opened))[0]:
        client.post(found[0], {"action": "skip", "reason": "unsure"})
    assert "You have had every task you can take" in found[1].content.decode()
    client = as_("eve")
    client.post(turn(opened), {"to": "pause"})
    assert "is paused" in taken(as_("ada"), opened)[1].content.decode()


def test_nobody_labels_for_somebody_else(opened, as_):
    page, _ = taken(as_("ada"), opened)
    assert as_("bob").get(page).status_code == 404
    assert as_("eve").get(page).status_code == 404


HIDING = [
    ("trace", True),
    ("trace-diagnosis", True),
    ("trace-svg", True),
    ("api-trace", True),
    ("api-trace-graph", True),
    ("overview", False),
    ("traces", False),
    ("review", False),
    ("api-traces", False),
]


def opened_page(client, name, *, about_one, trace_id):
    if name.startswith("api-"):
        args = [trace_id] if about_one else []
        return client.get(reverse(name, args=args), {"project": "shop"})
    args = ["shop", trace_id] if about_one else ["shop"]
    return client.get(reverse(name, args=args))


@pytest.mark.parametrize(("name", "about_one"), HIDING)
def test_who_labels_blind_sees_no_judge(opened, as_, name, about_one):
    hidden = opened.items.values_list("trace_key", flat=True)[0]
    ada = as_("ada")
    answer = opened_page(ada, name, about_one=about_one, trace_id=hidden)
    assert answer.status_code == 403
    eve = as_("eve")
    seen = opened_page(eve, name, about_one=about_one, trace_id=hidden)
    assert seen.status_code == 200


def test_a_step_tells_nothing_either(opened, as_):
    key = opened.items.values_list("key", flat=True)[0]
    address = reverse("api-step", args=[key])
    assert as_("ada").get(address).status_code == 403
    assert as_("eve").get(address).status_code == 200


def test_traces_that_are_not_to_be_labelled_are_open(opened, as_):
    drawn = set(opened.items.values_list("trace_key", flat=True))
    (other,) = set(TRACES) - drawn
    answer = as_("ada").get(reverse("trace", args=["shop", other]))
    assert answer.status_code == 200


def test_a_look_is_possible_and_remembered(opened, as_):
    client = as_("ada")
    page, _ = taken(client, opened)
    task = Assignment.objects.get().task
    shown = client.post(reverse("look", args=["shop"]), {"trace": task.trace_key})
    assert client.get(shown.headers["Location"]).status_code == 200
    assert Sight.objects.get().trace == task.trace
    item = task.items.get()
    said = {"item": item.pk, "version": 0, "score": 3, "action": "submit"}
    client.post(page, said)
    assert Label.objects.get().is_blind is False


def test_the_workspace_tells_nothing_of_the_judge(opened, as_):
    client = as_("ada")
    page, _ = taken(client, opened)
    shown = client.get(page).content.decode()
    for word in ("Failed", "score-band", "tool_errors", "no finding", "root cause"):
        assert word not in shown


def test_after_the_last_task_the_judge_is_open(opened, as_):
    client = as_("ada")
    while (found := taken(client, opened))[0]:
        task = Assignment.objects.latest("pk").task
        said = {"item": task.items.get().pk, "version": 0, "score": 3}
        client.post(found[0], {**said, "action": "submit"})
    assert client.get(reverse("traces", args=["shop"])).status_code == 200
