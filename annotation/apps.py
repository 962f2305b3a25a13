"""The annotation app."""

from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    """Set-up of the app."""

    name = "annotation"
    default_auto_field = "django.db.models.BigAutoField"
