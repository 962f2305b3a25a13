"""A person's own views of the trace list."""

import pytest
from django.urls import reverse

from tests.traces.views.conftest import NOW
from traces.models import Project, SavedView
from traces.services import saved_views
from traces.services.saved_views import NotKeptError, save_view

SAVE = reverse("view-save", args=("shop",))
LIST = reverse("traces", args=("shop",))


def save(client, name, **choices):
    return client.post(SAVE, {"name": name, **choices})


@pytest.mark.parametrize("role", ["viewer", "root"])
def test_every_member_keeps_views_and_gets_back_to_the_list(client_as, role, project):
    answer = save(client_as(role), "Bad refunds", q="failed:yes refund", sort="worst")
    view = SavedView.objects.get()
    assert view.name == "Bad refunds"
    assert view.query.startswith("q=failed%3Ayes+refund&sort=worst&columns=root")
    assert answer.headers["Location"] == f"{LIST}?{view.query}"


def test_the_menu_leads_there_and_marks_the_view_in_force(client_as, make_trace):
    make_trace(failed_count=1)
    client = client_as("viewer")
    save(client, "Mine", q="failed:yes", columns="-")
    view = SavedView.objects.get()
    address = f"{LIST}?{view.query.replace('&', '&amp;')}"
    assert f'href="{address}">' in client.get(LIST).content.decode()
    shown = client.get(f"{LIST}?{view.query}").content.decode()
    assert f'href="{address}" aria-current="true">' in shown
    assert shown.count('<th scope="col"') == 2


def test_a_view_shows_its_columns_whatever_was_chosen_since(client_as, make_trace):
    make_trace()
    client = client_as("viewer")
    save(client, "Cost", columns="cost")
    client.get(f"{LIST}?choose=1&column=root&column=agent")
    shown = client.get(f"{LIST}?{SavedView.objects.get().query}").content.decode()
    assert shown.count('<th scope="col"') == 3


def test_the_place_in_the_list_and_unknown_words_are_not_kept(client_as, project):
    save(client_as("viewer"), "x", q="", sort="nonsense", **{"from": "abc"})
    query = SavedView.objects.get().query
    assert "from" not in query
    assert "nonsense" not in query


def test_the_same_name_replaces_and_no_name_is_refused(client_as, project):
    client = client_as("viewer")
    save(client, "One", q="a")
    save(client, "  One ", q="b")
    save(client, " ", q="c")
    assert SavedView.objects.get().query.startswith("q=b")


def test_there_are_so_many_and_no_more(person, project, monkeypatch):
    monkeypatch.setattr(saved_views, "MOST", 1)
    user = person("viewer")
    save_view(project=project, user=user, name="a", query="", now=NOW)
    save_view(project=project, user=user, name="a", query="q=1", now=NOW)
    with pytest.raises(NotKeptError, match="1 views already"):
        save_view(project=project, user=user, name="b", query="", now=NOW)


def test_nobody_sees_or_deletes_the_views_of_others(client_as, person, project):
    other = person("viewer")
    view = save_view(project=project, user=other, name="Secret", query="", now=NOW)
    client = client_as("admin")
    url = reverse("view-delete", args=("shop", view.pk))
    assert client.post(url).status_code == 404
    assert "Secret" not in client.get(LIST).content.decode()


def test_ones_own_can_be_deleted_within_its_project_only(client_as, project):
    client = client_as("root")
    Project.objects.create(slug="other", name="Other", created_at=NOW)
    save(client, "Mine")
    pk = SavedView.objects.get().pk
    elsewhere = reverse("view-delete", args=("other", pk))
    assert client.post(elsewhere).status_code == 404
    answer = client.post(reverse("view-delete", args=("shop", pk)))
    assert answer.headers["Location"] == LIST
    assert not SavedView.objects.exists()


def test_hostile_names_are_text(client_as, make_trace):
    make_trace()
    client = client_as("viewer")
    save(client, "<script>alert(1)</script>", q='"><script>')
    html = client.get(LIST).content.decode()
    assert "<script>alert(1)" not in html
    assert '"><script>' not in html
