"""The judging app."""

from django.apps import AppConfig


class JudgingConfig(AppConfig):
    """Connects judging to what comes in."""

    name = "judging"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Listen for stored traces."""
        from judging import receivers  # noqa: F401, PLC0415
