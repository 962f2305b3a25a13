import re
from datetime import timedelta

from django.urls import reverse
from django.utils import timezone

from traces.models import ApiToken, AuditEvent
from traces.services.tokens import authenticate


def make(client, **form):
    given = {"name": "CI", "scope": "ingest", "days": "30"}
    return client.post(reverse("tokens", args=("shop",)), given | form)


def test_a_new_token_is_shown_once_and_works(client_as, project):
    client = client_as("admin")
    answer = make(client)
    secret = re.search(r'class="secret">(ae_\w+)<', answer.content.decode())[1]
    assert authenticate(secret, timezone.now()).project == project
    assert "no-store" in answer.headers["Cache-Control"]
    again = client.get(reverse("tokens", args=("shop",))).content.decode()
    assert secret not in again
    assert "YOUR_TOKEN" in again


def test_snippets_hold_the_new_token_and_the_real_address(client_as, project):
    html = make(client_as("admin")).content.decode()
    secret = re.search(r'class="secret">(ae_\w+)<', html)[1]
    assert html.count(secret) >= 5
    assert "http://testserver/v1/traces" in html


def test_tokens_end_when_asked_to(client_as, project):
    client = client_as("admin")
    make(client, days="0")
    make(client, days="90")
    late, never = ApiToken.objects.order_by("-pk")
    assert never.expires_at is None
    assert late.expires_at - timezone.now() > timedelta(days=89)


def test_bad_forms_say_what_is_wrong(client_as, project):
    html = make(client_as("admin"), name="").content.decode()
    assert 'id="id_name_error"' in html
    assert 'aria-invalid="true"' in html
    assert not ApiToken.objects.exists()


def test_revoked_tokens_say_so(client_as, project):
    client = client_as("admin")
    make(client)
    token = ApiToken.objects.get()
    client.post(reverse("token-revoke", args=("shop", token.pk)))
    html = client.get(reverse("tokens", args=("shop",))).content.decode()
    assert "can no longer be used" in html
    assert ">revoked<" in html
    assert AuditEvent.objects.filter(verb="revoke_token").exists()


def test_settings_are_saved(client_as, project):
    url = reverse("settings", args=("shop",))
    answer = client_as("admin").post(
        url, {"name": "New", "description": "d"}, follow=True
    )
    assert "Saved." in answer.content.decode()
    project.refresh_from_db()
    assert (project.name, project.description) == ("New", "d")
