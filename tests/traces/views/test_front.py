from datetime import timedelta

import pytest
from django.test import RequestFactory
from django.urls import reverse
from django.utils import timezone
from django.views import defaults

from tests.traces.views.conftest import NOW
from traces.models import Membership, Project
from traces.services.accounts import create_sign_in_link


def test_home_goes_to_the_only_project(client_as, project):
    answer = client_as("viewer").get("/")
    assert answer.headers["Location"] == "/p/shop/"


def test_home_goes_to_the_last_of_several(client, person, project):
    user = person("viewer")
    other = Project.objects.create(slug="other", name="Other", created_at=NOW)
    Membership.objects.create(project=other, user=user, role="viewer", created_at=NOW)
    client.force_login(user)
    assert client.get("/").headers["Location"] == "/projects/"
    client.get("/p/shop/")
    assert client.get("/").headers["Location"] == "/p/shop/"


def test_a_last_project_one_left_is_forgotten(client_as, project):
    client = client_as("")
    client.cookies["project"] = "shop"
    assert client.get("/").headers["Location"] == "/projects/"


def test_a_project_is_made_and_belongs_to_its_maker(client_as, project):
    form = {"name": "Own", "slug": "own", "description": ""}
    answer = client_as("").post("/projects/", form, follow=True)
    assert answer.redirect_chain == [("/p/own/", 302)]
    assert "Project Own is ready." in answer.content.decode()


def test_a_taken_short_name_is_refused(client_as, project):
    form = {"name": "Own", "slug": "shop", "description": ""}
    html = client_as("").post("/projects/", form).content.decode()
    assert "already exists" in html


def test_password_signs_in_and_out(client, person, project):
    user = person("viewer")
    form = {"username": user.username, "password": "pw", "next": "/p/shop/"}
    assert client.post("/sign-in/", form).headers["Location"] == "/p/shop/"
    client.post("/sign-out/")
    assert client.get("/").headers["Location"].startswith("/sign-in/")


def test_a_wrong_password_is_refused(client, person):
    form = {"username": person("viewer").username, "password": "no", "next": ""}
    html = client.post("/sign-in/", form).content.decode()
    assert "correct username and password" in html


def link_for(user, **given):
    return (
        "/sign-in/" + create_sign_in_link(user=user, now=timezone.now(), **given) + "/"
    )


def test_a_link_signs_in_once(client, person, project):
    url = link_for(person("viewer"))
    assert client.get(url).headers["Location"] == "/"
    client.post("/sign-out/")
    used = client.get(url)
    assert used.status_code == 403
    assert "no longer works" in used.content.decode()


def test_an_old_link_signs_nobody_in(client, person):
    url = link_for(person("viewer"), lasts=timedelta(seconds=-1))
    assert client.get(url).status_code == 403


def test_looking_ahead_does_not_use_a_link_up(client, person):
    url = link_for(person("viewer"))
    assert client.head(url).status_code == 405
    ahead = client.get(url, headers={"Sec-Purpose": "prefetch;prerender"})
    assert ahead.status_code == 204
    assert client.get(url).status_code == 302


@pytest.mark.parametrize("next_url", ["//evil.example", "https://evil.example/", ""])
def test_preferences_stay_on_this_site(client, db, next_url):
    answer = client.post("/preferences/", {"next": next_url, "theme": "dark"})
    assert answer.headers["Location"] == "/"


def test_preferences_are_remembered_and_used(client, db):
    client.post("/preferences/", {"next": "/sign-in/", "theme": "dark", "keys": "off"})
    html = client.get("/sign-in/").content.decode()
    assert 'data-theme="dark"' in html
    assert 'data-keys="off"' in html


def test_nonsense_is_not_remembered(client, db):
    client.post("/preferences/", {"theme": "<b>", "keys": "x"})
    assert not {"theme", "keys"} & set(client.cookies)
    client.cookies["theme"] = "<b>"
    assert "data-theme" not in client.get("/sign-in/").content.decode()


def test_help_is_open_to_everybody(client, db):
    assert "The method" in client.get("/docs/method/").content.decode()
    assert client.get("/docs/nothing/").status_code == 404


def test_the_switcher_names_the_readers_projects_only(client_as, project):
    Project.objects.create(slug="secret", name="Secret", created_at=NOW)
    html = client_as("viewer").get(reverse("overview", args=("shop",))).content.decode()
    assert "Shop" in html
    assert "Secret" not in html


def test_unknown_addresses_say_so(client_as, project):
    answer = client_as("viewer").get("/p/nowhere/")
    assert answer.status_code == 404
    assert "Nothing is here" in answer.content.decode()


@pytest.mark.parametrize(
    ("view", "status"), [("bad_request", 400), ("server_error", 500)]
)
def test_error_pages_need_nothing(view, status):
    request = RequestFactory().get("/")
    found = getattr(defaults, view)
    answer = found(request, None) if view == "bad_request" else found(request)
    assert answer.status_code == status
    assert "Go to your project" in answer.content.decode()


def test_an_outdated_form_is_explained(person, project):
    from django.test import Client

    client = Client(enforce_csrf_checks=True)
    client.force_login(person("admin"))
    answer = client.post(reverse("tokens", args=("shop",)), {"name": "x"})
    assert answer.status_code == 403
    assert "out of date" in answer.content.decode()
