"""Who may open what: every page by every role."""

import pytest
from django.urls import reverse

from tests.traces.views.conftest import NOW
from traces.models import ApiToken

ROLES = ("viewer", "engineer", "expert", "steward", "admin", "root")
MEMBERS = set(ROLES)
ADDERS = {"engineer", "admin", "root"}
MANAGERS = {"admin", "root"}

PAGES = {
    "overview": MEMBERS,
    "traces": MEMBERS,
    "traces-newer": MEMBERS,
    "review": MEMBERS,
    "settings": MEMBERS,
    "tokens": MEMBERS,
    "ingestion": MEMBERS,
    "upload": ADDERS,
}


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("page", PAGES)
def test_members_see_pages_by_role(client_as, project, page, role):
    status = client_as(role).get(reverse(page, args=(project.slug,))).status_code
    assert status == (200 if role in PAGES[page] else 403)


@pytest.mark.parametrize("page", PAGES)
def test_strangers_find_nothing(client_as, project, page):
    url = reverse(page, args=(project.slug,))
    assert client_as("").get(url).status_code == 404


@pytest.mark.parametrize("page", PAGES)
def test_nobody_is_asked_to_sign_in(client, project, page):
    url = reverse(page, args=(project.slug,))
    assert client.get(url).headers["Location"] == f"/sign-in/?next={url}"


@pytest.mark.parametrize("role", ROLES)
def test_only_managers_make_tokens(client_as, project, role):
    client = client_as(role)
    url = reverse("tokens", args=(project.slug,))
    form = {"name": "CI", "scope": "ingest", "days": "30"}
    assert client.post(url, form).status_code == (200 if role in MANAGERS else 403)
    assert ApiToken.objects.count() == (role in MANAGERS)


@pytest.mark.parametrize("role", ROLES)
def test_only_managers_revoke_tokens(client_as, project, role):
    token = ApiToken.objects.create(
        project=project, name="CI", prefix="ae_", scope="read", created_at=NOW
    )
    client_as(role).post(reverse("token-revoke", args=(project.slug, token.pk)))
    token.refresh_from_db()
    assert bool(token.revoked_at) == (role in MANAGERS)


@pytest.mark.parametrize("role", ROLES)
def test_only_managers_delete(client_as, project, make_trace, role):
    trace = make_trace()
    url = reverse("traces-delete", args=(project.slug,))
    answer = client_as(role).post(url, {"trace": trace.pk, "confirm": "shop"})
    assert answer.status_code == (302 if role in MANAGERS else 403)


@pytest.mark.parametrize("role", ROLES)
def test_only_managers_change_settings(client_as, project, role):
    url = reverse("settings", args=(project.slug,))
    client_as(role).post(url, {"name": "New", "description": ""})
    project.refresh_from_db()
    assert (project.name == "New") == (role in MANAGERS)


def test_tokens_of_other_projects_are_out_of_reach(client_as, project, person):
    from traces.services.projects import create_project

    other = create_project(name="O", slug="other", actor=person(""), now=NOW)
    token = ApiToken.objects.create(
        project=other, name="CI", prefix="ae_", scope="read", created_at=NOW
    )
    url = reverse("token-revoke", args=(project.slug, token.pk))
    assert client_as("admin").post(url).status_code == 404
