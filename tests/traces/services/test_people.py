from datetime import timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import IntegrityError

from tests.traces.services.conftest import NOW
from traces.models import AuditEvent, Membership, SignInLink
from traces.services.accounts import (
    LASTS,
    LASTS_AT_START,
    create_sign_in_link,
    use_sign_in_link,
)
from traces.services.projects import add_member, create_project, update_project


@pytest.fixture
def ada(db):
    return User.objects.create_user("ada")


def test_who_makes_a_project_administers_it(ada):
    project = create_project(name="Shop", slug="shop", actor=ada, now=NOW)
    member = Membership.objects.get(project=project)
    assert (member.user, member.role) == (ada, "admin")
    log = AuditEvent.objects.order_by("pk").values_list("verb", "actor_name", "target")
    assert list(log) == [
        ("create_project", "ada", "shop"),
        ("add_member", "ada", "ada"),
    ]


@pytest.mark.parametrize("actor", [None, AnonymousUser()])
def test_a_project_may_be_made_by_no_person(db, actor):
    create_project(name="Shop", slug="shop", actor=actor, now=NOW)
    assert not Membership.objects.exists()
    assert AuditEvent.objects.get().actor_name == "system"


def test_a_slug_is_taken_once(ada):
    create_project(name="Shop", slug="shop", actor=ada, now=NOW)
    with pytest.raises(IntegrityError):
        create_project(name="Other", slug="shop", actor=ada, now=NOW)


def test_a_member_gets_another_role(ada, project):
    for role in (Membership.Role.VIEWER, Membership.Role.EXPERT):
        add_member(project=project, user=ada, role=role, actor=None, now=NOW)
    assert Membership.objects.get().role == "expert"


def test_a_project_is_renamed(ada, project):
    update_project(project=project, name="New", description="d", actor=ada, now=NOW)
    project.refresh_from_db()
    assert (project.name, project.description, project.slug) == ("New", "d", "shop")


def test_a_link_signs_in_once(ada):
    link = create_sign_in_link(user=ada, now=NOW)
    assert use_sign_in_link(link, NOW) == ada
    assert use_sign_in_link(link, NOW) is None


def test_a_link_ends(ada):
    link = create_sign_in_link(user=ada, now=NOW)
    assert use_sign_in_link(link, NOW + LASTS) is None
    long = create_sign_in_link(user=ada, now=NOW, lasts=LASTS_AT_START)
    assert use_sign_in_link(long, NOW + LASTS_AT_START - timedelta(seconds=1)) == ada


def test_a_link_is_no_way_in_for_somebody_locked_out(ada):
    link = create_sign_in_link(user=ada, now=NOW)
    User.objects.update(is_active=False)
    assert use_sign_in_link(link, NOW) is None


@pytest.mark.parametrize("raw", ["", "x", "x" * 10_000, "\ud800\0"])
def test_other_text_is_no_link(db, raw):
    assert use_sign_in_link(raw, NOW) is None


def test_links_are_stored_by_digest_and_forgotten(ada):
    link = create_sign_in_link(user=ada, now=NOW)
    assert link not in str(SignInLink.objects.values().get())
    create_sign_in_link(user=ada, now=NOW + timedelta(days=3))
    assert SignInLink.objects.count() == 1
