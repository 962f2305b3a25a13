"""The site itself."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Registers the system checks."""

    name = "agenteval_web"

    def ready(self) -> None:
        """Load the checks."""
        from agenteval_web import checks  # noqa: F401, PLC0415
