"""Numbered checks of the configuration, run at every start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

from agenteval_web import env

LOOPBACK = frozenset({"127.0.0.1", "localhost", "[::1]"})
Apps = Sequence[AppConfig] | None
ERRORS: tuple[tuple[str, str, Callable[[], bool]], ...] = (
    (
        "agenteval.E002",
        "AGENTEVAL_MAX_DECOMPRESSED is smaller than AGENTEVAL_MAX_BODY.",
        lambda: settings.AGENTEVAL_MAX_DECOMPRESSED < settings.AGENTEVAL_MAX_BODY,
    ),
    (
        "agenteval.E003",
        "AGENTEVAL_MAX_ATTRIBUTE is larger than AGENTEVAL_MAX_DECOMPRESSED.",
        lambda: settings.AGENTEVAL_MAX_ATTRIBUTE > settings.AGENTEVAL_MAX_DECOMPRESSED,
    ),
    (
        "agenteval.E004",
        "DEBUG shows secrets to visitors; it can't be on together with AGENTEVAL_HTTPS.",
        lambda: settings.DEBUG and settings.HTTPS,
    ),
    (
        "agenteval.E005",
        "REDIS_URL must begin with redis://, rediss:// or unix://.",
        lambda: (
            bool(settings.REDIS_URL)
            and not settings.REDIS_URL.startswith(("redis://", "rediss://", "unix://"))
        ),
    ),
    (
        "agenteval.E006",
        "DATABASE_URL must name PostgreSQL (postgres://…) or SQLite (sqlite:///…).",
        lambda: (
            settings.DATABASES["default"]["ENGINE"].rpartition(".")[2]
            not in {"postgresql", "sqlite3"}
        ),
    ),
)
WARNINGS: tuple[tuple[str, str, Callable[[], bool]], ...] = (
    (
        "agenteval.W001",
        "REDIS_URL is set, but the database is SQLite: workers on other machines "
        "can't reach it. Set DATABASE_URL too.",
        lambda: (
            bool(settings.REDIS_URL)
            and settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")
        ),
    ),
    (
        "agenteval.W002",
        "AGENTEVAL_HTTPS is on, but ALLOWED_HOSTS names only this machine: every "
        "request for another name is refused.",
        lambda: settings.HTTPS and LOOPBACK.issuperset(settings.ALLOWED_HOSTS),
    ),
)


@register()
def check_environment(app_configs: Apps, **kwargs: Any) -> list[CheckMessage]:
    """Report every variable that could not be read."""
    del app_configs, kwargs
    return [Error(problem, id="agenteval.E001") for problem in env.problems]


@register()
def check_combinations(app_configs: Apps, **kwargs: Any) -> list[CheckMessage]:
    """Report variables that contradict each other."""
    del app_configs, kwargs
    found: list[CheckMessage] = []
    found += [Error(text, id=number) for number, text, wrong in ERRORS if wrong()]
    found += [Warning(text, id=number) for number, text, wrong in WARNINGS if wrong()]
    return found


@register(Tags.security, deploy=True)
def check_hosts(app_configs: Apps, **kwargs: Any) -> list[CheckMessage]:
    """Refuse to answer for any name in production."""
    del app_configs, kwargs
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    return [Warning("ALLOWED_HOSTS admits every name.", id="agenteval.W003")]
