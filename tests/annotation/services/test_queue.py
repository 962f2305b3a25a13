"""Leases, not locks: everybody gets work, nobody loses any."""

import pytest

from annotation.models import Assignment, Campaign, Task
from annotation.services.labelling import requeue, skip, submit
from annotation.services.queue import Nothing, next_task, release, renew
from tests.annotation.services.conftest import NOW, content_for, later, raters_of


def done(assignment, now=NOW, **fields):
    return submit(
        assignment=assignment, contents=content_for(assignment, **fields), now=now
    )


def test_what_somebody_works_on_comes_back_first(make_campaign):
    (one, _) = raters_of(make_campaign())
    first = next_task(rater=one, now=NOW)
    again = next_task(rater=one, now=later(10))
    assert again.pk == first.pk
    assert again.leased_until == later(40)


def test_two_people_share_a_task_up_to_its_overlap(make_campaign):
    one, two, three = raters_of(make_campaign(tasks=1, raters=3))
    assert next_task(rater=one, now=NOW).task == next_task(rater=two, now=NOW).task
    assert next_task(rater=three, now=NOW) == Nothing("leased", later(30), 1)


def test_nobody_gets_a_task_twice(make_campaign):
    (one, _) = raters_of(make_campaign())
    seen = []
    while isinstance(found := next_task(rater=one, now=NOW), Assignment):
        seen.append(found.task.position)
        done(found)
    assert seen == [0, 1]
    assert found == Nothing("done", left=2)


def test_when_all_have_what_they_want_it_is_finished(make_campaign):
    one, two = raters_of(make_campaign(tasks=1))
    for rater in (one, two):
        done(next_task(rater=rater, now=NOW))
    assert next_task(rater=one, now=NOW) == Nothing("finished")


def test_a_lease_that_runs_out_makes_room_but_its_holder_may_go_on(make_campaign):
    one, two, three = raters_of(make_campaign(tasks=1, raters=3))
    late = next_task(rater=one, now=NOW)
    for rater in (two, three):
        done(next_task(rater=rater, now=later(31)), now=later(31))
    assert renew(assignment=late, now=later(32)).leased_until == later(62)
    (label,) = done(late, now=later(33))
    late.refresh_from_db()
    assert (label.score, late.state, late.over_quota) == (3, "submitted", True)
    task = Task.objects.get()
    assert (task.submitted, task.wanted) == (2, 2)


def test_a_task_given_back_comes_again_with_its_draft(make_campaign):
    (one, _) = raters_of(make_campaign(tasks=1))
    first = next_task(rater=one, now=NOW)
    release(assignment=first, now=NOW)
    assert next_task(rater=one, now=NOW).pk == first.pk


def test_a_skip_frees_the_place_and_does_not_count(make_campaign):
    one, two, three = raters_of(make_campaign(tasks=1, raters=3))
    for rater in (one, two):
        taken = next_task(rater=rater, now=NOW)
    skip(assignment=taken, reason="unsure", note="", now=NOW)
    assert next_task(rater=two, now=NOW).reason == "done"
    assert next_task(rater=three, now=NOW).task.submitted == 0
    requeue(assignment=taken, now=NOW)
    assert isinstance(next_task(rater=two, now=later(31)), Assignment)


@pytest.mark.parametrize(
    ("state", "reason"),
    [("paused", "paused"), ("closed", "closed"), ("draft", "closed")],
)
def test_a_campaign_that_is_not_open_gives_nothing(make_campaign, state, reason):
    campaign = make_campaign()
    (one, _) = raters_of(campaign)
    Campaign.objects.update(state=state)
    assert next_task(rater=one, now=NOW) == Nothing(reason)


def test_who_has_left_gets_nothing_and_what_they_said_stays(make_campaign):
    campaign = make_campaign(tasks=2)
    (one, two) = raters_of(campaign)
    done(next_task(rater=one, now=NOW))
    one.is_active = False
    assert next_task(rater=one, now=NOW) == Nothing("inactive")
    assert Task.objects.get(position=0).submitted == 1
    assert next_task(rater=two, now=NOW).task.position == 0


def test_a_repeat_is_for_its_rater_alone(make_campaign):
    campaign = make_campaign(tasks=2, overlap=1)
    one, two = raters_of(campaign)
    Task.objects.filter(position=0).update(repeat_for=two, kind="repeat")
    assert next_task(rater=one, now=NOW).task.position == 1
    assert next_task(rater=two, now=NOW).task.position == 0
