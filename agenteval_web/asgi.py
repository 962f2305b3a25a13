"""Entry point of the server: OTLP first, then pages and API on threads."""

import os
from typing import cast

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agenteval_web.settings")
django.setup(set_prefix=False)

from agenteval_web.handler import ThreadedHandler  # noqa: E402  # needs the set-up
from traces.otlp_views import App, otlp_first  # noqa: E402

application = otlp_first(cast("App", ThreadedHandler()))
