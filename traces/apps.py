"""The traces app."""

from django.apps import AppConfig


class TracesConfig(AppConfig):
    """Set-up of the app."""

    name = "traces"
    default_auto_field = "django.db.models.BigAutoField"
