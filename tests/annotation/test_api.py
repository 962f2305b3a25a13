"""Labelling over HTTP: only one's own, never by a program, 409 where late."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from annotation.models import Assignment, Campaign, Label
from tests.annotation.services.conftest import raters_of
from traces.models import Membership
from traces.services.tokens import issue_token

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)


@pytest.fixture
def campaign(make_campaign):
    campaign = make_campaign(tasks=1, raters=3)
    for rater in raters_of(campaign):
        Membership.objects.create(
            project=campaign.project, user=rater.user, role="expert", created_at=NOW
        )
    return campaign


@pytest.fixture
def sign_in(client):
    def signed_in(name):
        client.force_login(User.objects.get(username=name))
        return client

    return signed_in


def send(client, name, *args, method="post", **body):
    call = getattr(client, method)
    return call(reverse(name, args=args), body, content_type="application/json")


@pytest.fixture
def taken(campaign, sign_in):
    client = sign_in("r0")
    answer = send(client, "api-campaign-next", campaign.pk).json()
    return client, answer["assignment"]


def test_a_task_from_next_to_submitted(campaign, taken):
    client, task = taken
    (item,) = task["items"]
    saved = send(
        client,
        "api-draft",
        task["id"],
        item["id"],
        method="put",
        content={"score": 2},
        version=0,
    )
    assert saved.json()["version"] == 1
    late = send(
        client,
        "api-draft",
        task["id"],
        item["id"],
        method="put",
        content={"score": 5},
        version=0,
    )
    assert late.status_code == 409
    faults = send(client, "api-submit", task["id"], answers={}).json()["error"]
    assert faults["details"][0]["field"] == f"{item['id']}.score"
    answers = {str(item["id"]): {"score": 2, "category": "timeout"}}
    done = send(client, "api-submit", task["id"], answers=answers)
    assert (done.status_code, done.json()["state"]) == (200, "submitted")
    assert Label.objects.get().category == "timeout"
    nothing = send(client, "api-campaign-next", campaign.pk).json()["nothing"]
    assert nothing["reason"] == "done"


def test_a_task_is_its_raters_alone(taken, sign_in):
    _, task = taken
    other = sign_in("r1")
    for name in ("api-renew", "api-release", "api-submit", "api-skip"):
        assert send(other, name, task["id"]).status_code == 404
    assert other.get(reverse("api-assignment", args=[task["id"]])).status_code == 404


def test_who_is_no_rater_gets_no_task(campaign, sign_in):
    User.objects.create_user("boss", is_superuser=True)
    answer = send(sign_in("boss"), "api-campaign-next", campaign.pk)
    assert answer.status_code == 403


def test_strangers_and_other_projects_see_nothing(campaign, sign_in):
    User.objects.create_user("stranger")
    client = sign_in("stranger")
    assert client.get(reverse("api-campaign", args=[campaign.pk])).status_code == 404
    assert send(client, "api-campaign-next", campaign.pk).status_code == 404


def test_raters_do_not_see_drafts_of_campaigns(campaign, sign_in):
    client = sign_in("r0")
    shown = client.get(reverse("api-campaigns"), {"project": "shop"}).json()
    assert [one["name"] for one in shown["campaigns"]] == ["Pilot"]
    Campaign.objects.update(state="draft")
    shown = client.get(reverse("api-campaigns"), {"project": "shop"}).json()
    assert shown["campaigns"] == []


def test_a_token_reads_but_never_labels(campaign, client):
    _, token = issue_token(
        project=campaign.project, name="t", scope="read", actor=None, now=NOW
    )
    as_program = {"HTTP_AUTHORIZATION": f"Bearer {token}"}
    read = client.get(reverse("api-campaign", args=[campaign.pk]), **as_program)
    assert read.json()["progress"]["tasks"] == 1
    answer = client.post(reverse("api-campaign-next", args=[campaign.pk]), **as_program)
    assert answer.status_code == 403
    assert not Assignment.objects.exists()
