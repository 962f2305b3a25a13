"""The Celery app: an in-memory broker by default, Redis where it is set."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agenteval_web.settings")

app = Celery("agenteval")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
