"""Profiles change by adding versions; keys stay secret and go home only."""

from datetime import UTC, datetime

import pytest

from judging.domain.profile import ProfileError
from judging.models import JudgeKey, ProfileVersion
from judging.services.keys import UnreadableKeyError, delete_key, key_for, save_key
from judging.services.profiles import ensure_configured, save_profile
from traces.models import AuditEvent, Project

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
THERE = "https://judge.example/v1"
pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return Project.objects.create(slug="shop", name="Shop", created_at=NOW)


def saved(project, **content):
    made = {"judge": "model", "tiers": [{"model": "small"}], **content}
    return save_profile(
        project=project, slug="mine", name="Mine", content=made, actor=None, now=NOW
    )


def test_a_change_is_a_further_version(project):
    assert [saved(project).number, saved(project, samples=2).number] == [1, 2]
    assert saved(project, samples=2).number == 2
    assert ProfileVersion.objects.filter(profile__slug="mine").count() == 2
    targets = AuditEvent.objects.filter(verb="save_profile").order_by("pk")
    assert [event.target for event in targets] == ["mine v1", "mine v2"]


def test_an_impossible_profile_is_not_stored(project):
    with pytest.raises(ProfileError):
        saved(project, samples=0)
    assert not ProfileVersion.objects.filter(profile__slug="mine").exists()


def test_the_environment_makes_a_profile_once(project, settings):
    assert ensure_configured(project=project, now=NOW) is None
    settings.AGENTEVAL_JUDGE_MODELS = ["small", f"large@{THERE}"]
    settings.OPENAI_BASE_URL = "https://default.example/v1"
    made = ensure_configured(project=project, now=NOW)
    assert made.content["tiers"] == [
        {"model": "small", "base_url": "https://default.example/v1"},
        {"model": "large", "base_url": THERE},
    ]
    settings.AGENTEVAL_JUDGE_MODELS = ["other"]
    assert ensure_configured(project=project, now=NOW) == made


def test_a_key_is_stored_so_that_nobody_reads_it(project):
    row = save_key(
        project=project, base_url=THERE, secret="sk-" + "x" * 20, actor=None, now=NOW
    )
    stored = JudgeKey.objects.get(pk=row.pk)
    assert b"xxxx" not in bytes(stored.secret)
    assert (stored.hint, key_for(project=project, base_url=THERE)) == (
        "xxxx",
        "sk-" + "x" * 20,
    )
    delete_key(key=stored, actor=None, now=NOW)
    assert key_for(project=project, base_url=THERE) == ""


def test_the_key_of_the_environment_goes_to_its_own_endpoint_only(project, settings):
    settings.OPENAI_API_KEY = "secret"
    settings.OPENAI_BASE_URL = "https://default.example/v1"
    assert key_for(project=project, base_url="https://default.example/v1") == "secret"
    assert key_for(project=project, base_url="https://default.example.evil/v1") == ""
    assert key_for(project=project, base_url=THERE) == ""


def test_a_key_of_another_installation_has_to_be_entered_again(project, settings):
    save_key(project=project, base_url=THERE, secret="one", actor=None, now=NOW)
    settings.SECRET_KEY = "another" * 10
    with pytest.raises(UnreadableKeyError):
        key_for(project=project, base_url=THERE)
