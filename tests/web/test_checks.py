"""Bad combinations have a number; the defaults have none."""

import pytest

from agenteval_web.checks import check_combinations, check_environment, check_hosts


def numbers():
    return [
        message.id.removeprefix("agenteval.") for message in check_combinations(None)
    ]


def test_the_defaults_are_fine():
    assert check_environment(None) == []
    assert numbers() == []


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        ("E002", {"AGENTEVAL_MAX_DECOMPRESSED": 2, "AGENTEVAL_MAX_ATTRIBUTE": 1}),
        ("E003", {"AGENTEVAL_MAX_ATTRIBUTE": 1024**3}),
        ("E004", {"DEBUG": True, "HTTPS": True, "ALLOWED_HOSTS": ["a.example"]}),
        ("E005", {"REDIS_URL": "http://localhost", "ENGINE": "postgresql"}),
        ("E006", {"ENGINE": "mysql"}),
        ("W001", {"REDIS_URL": "redis://localhost/0", "ENGINE": "sqlite3"}),
        ("W002", {"HTTPS": True, "ALLOWED_HOSTS": ["127.0.0.1", "localhost"]}),
    ],
)
def test_each_bad_combination(settings, monkeypatch, number, changes):
    engine = changes.get("ENGINE", "sqlite3")
    full = f"django.db.backends.{engine}"
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", full)
    for name, value in changes.items():
        setattr(settings, name, value)
    assert numbers() == [number]


def test_production_refuses_a_server_for_every_name(settings):
    settings.ALLOWED_HOSTS = ["*"]
    assert [message.id for message in check_hosts(None)] == ["agenteval.W003"]
    settings.ALLOWED_HOSTS = ["agenteval.example.org"]
    assert check_hosts(None) == []
