"""The site itself."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Makes the Celery app the one that tasks belong to; registers the checks."""

    name = "agenteval_web"

    def ready(self) -> None:
        """Load both."""
        from agenteval_web import celery, checks  # noqa: F401, PLC0415
