from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.traces.services.conftest import NOW
from traces.models import ApiToken, AuditEvent
from traces.services import tokens
from traces.services.tokens import (
    authenticate,
    believed,
    issue_token,
    note_use,
    revoke_token,
    secret_in,
)

SECOND = timedelta(seconds=1)


@pytest.fixture
def issue(project):
    def call(**given):
        made = {"name": "agent", "scope": "ingest", "actor": None, "now": NOW}
        return issue_token(project=project, **(made | given))

    return call


def test_the_secret_is_nowhere_in_the_database(issue):
    token, secret = issue()
    assert secret.startswith("ae_")
    assert len(secret) == 46
    assert secret[3:].isalnum()
    row = ApiToken.objects.values().get()
    assert secret not in str(row)
    assert token.prefix == secret[:9]


def test_no_two_secrets_are_alike(issue):
    assert len({issue()[1] for _ in range(20)}) == 20


def test_a_secret_finds_its_token(issue):
    token, secret = issue()
    assert authenticate(secret, NOW) == token


@pytest.mark.parametrize(
    "raw", ["", "ae_", "ae_" + "x" * 43, "x" * 10_000, "ae_\ud800"]
)
def test_other_text_finds_none(project, raw):
    assert authenticate(raw, NOW) is None


def test_a_token_ends(issue):
    _token, secret = issue(expires_at=NOW + SECOND)
    assert authenticate(secret, NOW) is not None
    assert believed(secret, NOW + SECOND) is None
    assert authenticate(secret, NOW + SECOND) is None


def test_a_revoked_token_ends_at_once_here(issue):
    token, secret = issue()
    authenticate(secret, NOW)
    revoke_token(token=token, actor=None, now=NOW)
    assert authenticate(secret, NOW) is None


def test_a_revoked_token_ends_within_seconds_elsewhere(issue):
    _token, secret = issue()
    authenticate(secret, NOW)
    ApiToken.objects.update(revoked_at=NOW)
    assert authenticate(secret, NOW + 4 * SECOND) is not None
    assert authenticate(secret, NOW + 5 * SECOND) is None


def test_a_token_just_seen_costs_no_query(issue, django_assert_num_queries):
    _token, secret = issue()
    authenticate(secret, NOW)
    with django_assert_num_queries(0):
        assert authenticate(secret, NOW + SECOND) is not None


def test_what_is_remembered_is_bounded(issue, monkeypatch):
    monkeypatch.setattr(tokens, "MOST_BELIEVED", 2)
    for _ in range(5):
        authenticate(issue()[1], NOW)
    assert len(tokens._believed) <= 2


def test_use_is_noted_once_a_minute(issue, django_assert_num_queries):
    token, _secret = issue()
    note_use([token], NOW)
    assert ApiToken.objects.get().last_used_at == NOW
    with django_assert_num_queries(0):
        note_use([token], NOW + 59 * SECOND)
    note_use([token], NOW + 60 * SECOND)
    assert ApiToken.objects.get().last_used_at == NOW + 60 * SECOND


def test_what_is_done_to_tokens_is_logged_once(issue):
    token, _secret = issue()
    for _ in range(2):
        revoke_token(token=token, actor=None, now=NOW)
    log = AuditEvent.objects.order_by("pk").values_list("verb", "actor_name")
    assert list(log) == [("issue_token", "system"), ("revoke_token", "system")]


@pytest.mark.parametrize(
    ("authorization", "api_key", "secret"),
    [
        ("Bearer ae_1", "", "ae_1"),
        ("bearer  ae_1 ", "", "ae_1"),
        ("Basic cGs6YWVfMQ==", "", "ae_1"),
        ("Basic cGs6YTpi", "", "a:b"),
        ("Basic %%%", "", ""),
        ("Basic /////w==", "", ""),
        ("Bearer", "ae_2", ""),
        ("", "ae_2", "ae_2"),
        ("", "", ""),
    ],
)
def test_headers_that_carry_a_secret(authorization, api_key, secret):
    assert secret_in(authorization, api_key) == secret


def test_the_command_prints_a_token_that_works(project):
    out = StringIO()
    call_command("create_token", project="shop", scope="read", stdout=out)
    token = authenticate(out.getvalue().strip(), NOW)
    assert (token.scope, token.project) == ("read", project)


def test_the_command_prints_json(project):
    import json

    out = StringIO()
    call_command("create_token", "--json", project="shop", scope="ingest", stdout=out)
    found = json.loads(out.getvalue())
    assert authenticate(found["token"], NOW) is not None
    assert (found["project"], found["expires_at"]) == ("shop", None)


def test_the_command_refuses_an_unknown_project(db):
    with pytest.raises(CommandError, match="There is no project 'nowhere'"):
        call_command("create_token", project="nowhere", scope="read")
