"""A campaign is frozen when it opens, and everything after is logged."""

import pytest
from django.contrib.auth.models import User

from annotation.models import Campaign, Item, Label, Task
from annotation.services.campaigns import (
    CampaignError,
    Chosen,
    Plan,
    add_rater,
    add_steps,
    change_overlap,
    create_campaign,
    deactivate_rater,
    move,
    pseudonym,
    settle,
)
from annotation.services.labelling import submit
from annotation.services.queue import next_task
from judging.services.defaults import ensure_taxonomy
from tests.annotation.services.conftest import NOW, content_for, raters_of
from traces.models import AuditEvent, Membership, Step, Trace


@pytest.fixture
def draft(project):
    return create_campaign(
        project=project,
        plan=Plan("Pilot", guidelines="Look at the **output**."),
        rubric={"metrics": {}},
        taxonomy=ensure_taxonomy(project=project, now=NOW),
        profile=None,
        actor=None,
        now=NOW,
    )


@pytest.fixture
def steps(project):
    trace = Trace.objects.create(
        project=project, trace_id="t", source="otlp", received_at=NOW, updated_at=NOW
    )
    rows = [
        Step(trace=trace, key=f"{n:016x}", index=n, type="EXEC", name="call", part="")
        for n in range(3)
    ]
    return Chosen(trace, Step.objects.bulk_create(rows), wanted=2)


def expert(project, name, role=Membership.Role.EXPERT):
    user = User.objects.create_user(name)
    Membership.objects.create(project=project, user=user, role=role, created_at=NOW)
    return user


def joined(draft, *names):
    return [
        add_rater(campaign=draft, user=expert(draft.project, name), actor=None, now=NOW)
        for name in names
    ]


def test_a_step_is_in_a_campaign_once(draft, steps):
    assert add_steps(campaign=draft, chosen=[steps, steps]) == 3
    assert add_steps(campaign=draft, chosen=[steps]) == 0
    assert list(Task.objects.values_list("position", "wanted")) == [
        (0, 2),
        (1, 2),
        (2, 2),
    ]


def test_a_trace_is_one_task_where_whole_traces_are_labelled(draft, steps):
    Campaign.objects.update(unit="trace")
    add_steps(campaign=draft, chosen=[steps])
    assert (Task.objects.count(), Item.objects.count()) == (1, 3)


def test_it_opens_with_steps_and_enough_people(draft, steps):
    with pytest.raises(CampaignError, match="no steps"):
        move(campaign=draft, to="open", actor=None, now=NOW)
    add_steps(campaign=draft, chosen=[steps])
    joined(draft, "ada")
    with pytest.raises(CampaignError, match="2 raters; there are 1"):
        move(campaign=draft, to="open", actor=None, now=NOW)
    joined(draft, "bob")
    assert move(campaign=draft, to="open", actor=None, now=NOW).opened_at == NOW
    with pytest.raises(CampaignError, match="frozen"):
        add_steps(campaign=draft, chosen=[steps])
    with pytest.raises(CampaignError, match="is open"):
        move(campaign=draft, to="open", actor=None, now=NOW)


def test_only_who_may_label_joins(draft):
    viewer = expert(draft.project, "vera", Membership.Role.VIEWER)
    for user in (viewer, User.objects.create_user("stranger")):
        with pytest.raises(CampaignError, match="may label"):
            add_rater(campaign=draft, user=user, actor=None, now=NOW)


def test_who_leaves_keeps_their_place_and_their_name(draft):
    (ada,) = joined(draft, "ada")
    deactivate_rater(rater=ada, actor=None, now=NOW)
    again = add_rater(campaign=draft, user=ada.user, actor=None, now=NOW)
    assert (again.pk, again.is_active) == (ada.pk, True)
    assert ada.pseudonym == pseudonym(draft.project, ada.user)
    assert "ada" not in ada.pseudonym


def test_more_overlap_asks_only_for_what_is_unfinished(make_campaign):
    campaign = make_campaign(tasks=2, raters=2)
    for rater in raters_of(campaign):
        taken = next_task(rater=rater, now=NOW)
        submit(assignment=taken, contents=content_for(taken), now=NOW)
    assert change_overlap(campaign=campaign, overlap=3, actor=None, now=NOW) == 1
    assert list(Task.objects.values_list("wanted", flat=True)) == [2, 3]
    assert AuditEvent.objects.get(verb="change_overlap").detail == {
        "before": 2,
        "after": 3,
        "tasks": 1,
    }


def test_settling_adds_a_record_and_leaves_the_labels(make_campaign):
    campaign = make_campaign(tasks=1, raters=2)
    for rater, score in zip(raters_of(campaign), (1, 4), strict=True):
        taken = next_task(rater=rater, now=NOW)
        submit(assignment=taken, contents=content_for(taken, score=score), now=NOW)
    item = Item.objects.get()
    for score in (2, 3):
        settled = settle(
            item=item, values={"score": score, "cause": "slip"}, actor=None, now=NOW
        )
    assert (settled.revision, len(settled.labels)) == (2, 2)
    assert item.consensus.filter(is_current=True).get() == settled
    assert list(Label.objects.order_by("pk").values_list("score", flat=True)) == [1, 4]


def test_labels_outlive_their_trace(make_campaign):
    campaign = make_campaign(tasks=1, raters=2)
    taken = next_task(rater=raters_of(campaign)[0], now=NOW)
    submit(assignment=taken, contents=content_for(taken), now=NOW)
    Trace.objects.all().delete()
    assert Label.objects.get().item.trace_key == f"{0:032x}"
    assert Task.objects.get().trace is None
