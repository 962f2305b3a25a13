"""The judging app."""

from django.apps import AppConfig


class JudgingConfig(AppConfig):
    """Set-up of the app."""

    name = "judging"
    default_auto_field = "django.db.models.BigAutoField"
