"""Numbered checks of the configuration, run at every start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from agenteval_web import env


@register()
def check_environment(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Report every variable that could not be read."""
    del app_configs, kwargs
    return [Error(problem, id="agenteval.E001") for problem in env.problems]


@register()
def check_combinations(
    app_configs: Sequence[AppConfig] | None, **kwargs: Any
) -> list[CheckMessage]:
    """Report variables that contradict each other."""
    del app_configs, kwargs
    found: list[CheckMessage] = []
    if settings.AGENTEVAL_MAX_DECOMPRESSED < settings.AGENTEVAL_MAX_BODY:
        message = "AGENTEVAL_MAX_DECOMPRESSED is smaller than AGENTEVAL_MAX_BODY"
        found.append(Error(message, id="agenteval.E002"))
    if settings.DEBUG and settings.SECURE_SSL_REDIRECT:
        message = "DEBUG is on together with AGENTEVAL_HTTPS"
        found.append(Error(message, id="agenteval.E003"))
    if settings.REDIS_URL and "sqlite" in settings.DATABASES["default"]["ENGINE"]:
        message = "REDIS_URL is set with SQLite; workers must share one disk"
        found.append(Warning(message, id="agenteval.W001"))
    return found
