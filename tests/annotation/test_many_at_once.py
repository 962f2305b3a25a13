"""Fifty people on one queue: every task gets what it wants, nobody too much."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import close_old_connections, connection

from annotation.models import Assignment, Label, Task
from annotation.services.labelling import submit
from annotation.services.queue import Nothing, next_task
from tests.annotation.services.conftest import NOW, content_for, later, raters_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


def work(rater, gate, minutes=0):
    """Take and submit until nothing is left; where the rater was."""
    gate.wait()
    done = []
    try:
        while True:
            found = next_task(rater=rater, now=later(minutes))
            if isinstance(found, Nothing):
                if found.reason == "leased":
                    continue
                return done
            done.append(found.task_id)
            submit(assignment=found, contents=content_for(found), now=NOW)
    finally:
        close_old_connections()
        connection.close()


def together(raters):
    gate = threading.Barrier(len(raters))
    with ThreadPoolExecutor(len(raters)) as people:
        return list(people.map(lambda rater: work(rater, gate), raters))


def test_no_task_is_underfilled_or_given_twice(make_campaign):
    campaign = make_campaign(tasks=20, raters=12, overlap=3)
    had = together(raters_of(campaign))
    for tasks in had:
        assert len(tasks) == len(set(tasks))
    assert Counter(task for tasks in had for task in tasks) == dict.fromkeys(
        Task.objects.values_list("pk", flat=True), 3
    )
    assert set(Task.objects.values_list("submitted", flat=True)) == {3}
    assert Label.objects.filter(is_current=True).count() == 60
    assert not Assignment.objects.filter(over_quota=True).exists()


def test_of_one_submission_too_many_all_are_kept_and_one_is_marked(make_campaign):
    campaign = make_campaign(tasks=1, raters=3, overlap=2)
    raters = raters_of(campaign)
    held = [next_task(rater=rater, now=later(40 * n)) for n, rater in enumerate(raters)]
    gate = threading.Barrier(3)

    def hand_in(assignment):
        gate.wait()
        try:
            submit(assignment=assignment, contents=content_for(assignment), now=NOW)
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as people:
        list(people.map(hand_in, held))
    assert Label.objects.count() == 3
    assert Assignment.objects.filter(over_quota=True).count() == 1
    assert Task.objects.get().submitted == 2
