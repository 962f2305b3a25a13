"""A project, a person in each role, and traces as the digest leaves them."""

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from django.contrib.auth.models import User

from traces.models import Membership, Project, Trace

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
_numbers = count(1)


@pytest.fixture
def project(db):
    return Project.objects.create(slug="shop", name="Shop", created_at=NOW)


@pytest.fixture
def person(project):
    """Make a person with a role in the project; "" for none, "root" for all."""

    def make(role):
        user = User.objects.create_user(f"person{next(_numbers)}", password="pw")
        if role == "root":
            User.objects.filter(pk=user.pk).update(is_superuser=True)
        elif role:
            Membership.objects.create(
                project=project, user=user, role=role, created_at=NOW
            )
        return user

    return make


@pytest.fixture
def client_as(client, person):
    """Sign a person of a role in."""

    def sign_in(role):
        client.force_login(person(role))
        return client

    return sign_in


@pytest.fixture
def make_trace(project):
    """Make a trace, each newer than the one before, unless told otherwise."""

    def make(**columns):
        number = next(_numbers)
        received = NOW - timedelta(days=30) + timedelta(minutes=number)
        given = {
            "trace_id": f"{number:032x}",
            "received_at": received,
            "updated_at": received,
            "started_at": received,
            "name": f"run {number}",
            "structure": "inferred",
            "digest_state": "done",
            "step_count": 5,
            "failed_count": 0,
            "root_count": 0,
            "scored_count": 0,
            "score": 5.0,
        }
        trace = Trace.objects.create(project=project, **(given | columns))
        project.trace_count += 1
        project.save()
        return trace

    return make
