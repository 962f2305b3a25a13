"""The demo comes with the first start, whole, and never comes back by itself."""

from datetime import UTC, datetime

import pytest

from agenteval_web.management.commands import serve
from traces.models import Project

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)

pytestmark = pytest.mark.django_db


@pytest.fixture
def start(tmp_path, settings, monkeypatch):
    """Start once; what was called for. It ends early if told to."""
    settings.HOME = tmp_path / "home"

    def start(*, interrupted=False):
        called = []

        def call_command(name, **_options):
            Project.objects.get_or_create(
                slug="demo", defaults={"is_demo": True, "created_at": NOW}
            )
            called.append(name)
            if interrupted:
                raise KeyboardInterrupt

        monkeypatch.setattr(serve, "call_command", call_command)
        try:
            serve.Command()._load_demo()
        except KeyboardInterrupt:
            called.append("interrupted")
        return called

    return start


def make_project():
    Project.objects.create(slug="shop", name="Shop", created_at=NOW)


def test_the_first_start_loads_it_and_the_second_does_not(start):
    assert start() == ["demo"]
    assert start() == []


def test_an_interrupted_start_is_completed_by_the_next(start):
    assert start(interrupted=True) == ["demo", "interrupted"]
    assert start() == ["demo"]
    assert start() == []


def test_it_is_completed_though_people_have_begun_projects_of_their_own(start):
    start(interrupted=True)
    make_project()
    assert start() == ["demo"]


def test_who_began_without_it_is_left_alone(start):
    make_project()
    assert start() == []


def test_once_deleted_it_stays_away(start):
    start()
    Project.objects.all().delete()
    assert start() == []
