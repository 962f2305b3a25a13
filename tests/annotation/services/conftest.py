"""A small campaign with raters."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import User

from annotation.models import Campaign, Item, Rater, Task
from judging.services.defaults import ensure_taxonomy
from traces.models import Project, Trace

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)


def later(minutes):
    return NOW + timedelta(minutes=minutes)


@pytest.fixture
def project(db):
    return Project.objects.create(slug="shop", name="Shop", created_at=NOW)


@pytest.fixture
def make_campaign(project):
    """A campaign of single-step tasks with raters named r0, r1, …"""

    def make(tasks=2, raters=2, **more):
        campaign = Campaign.objects.create(
            project=project,
            name="Pilot",
            state=Campaign.State.OPEN,
            rubric={"metrics": {"EXEC": ["success", "result_validity"]}},
            rubric_digest="0" * 32,
            taxonomy_version=ensure_taxonomy(project=project, now=NOW),
            created_at=NOW,
            opened_at=NOW,
            **({"overlap": 2} | more),
        )
        for number in range(raters):
            user = User.objects.create_user(f"r{number}")
            Rater.objects.create(
                campaign=campaign, user=user, pseudonym=f"rater-{number}", joined_at=NOW
            )
        for number in range(tasks):
            add_task(campaign, number)
        return campaign

    return make


def add_task(campaign, number, steps=1):
    trace = Trace.objects.create(
        project=campaign.project,
        trace_id=f"{number:032x}",
        source="otlp",
        received_at=NOW,
        updated_at=NOW,
    )
    task = Task.objects.create(
        campaign=campaign,
        trace=trace,
        trace_key=trace.trace_id,
        position=number,
        wanted=campaign.overlap,
    )
    for index in range(steps):
        Item.objects.create(
            task=task,
            campaign=campaign,
            trace_key=trace.trace_id,
            key=f"{number:08x}{index:08x}",
            type="EXEC",
            index=index,
        )
    return task


def raters_of(campaign):
    return list(campaign.raters.select_related("user", "campaign"))


def content_for(assignment, **fields):
    said = {"score": 3} | fields
    return {item.pk: said for item in assignment.task.items.all()}
