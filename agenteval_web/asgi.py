"""Entry point of the server: OTLP first, then pages, API and live updates."""

import os
from typing import cast

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agenteval_web.settings")
django.setup(set_prefix=False)

from agenteval_web.handler import ThreadedHandler  # noqa: E402  # needs the set-up
from agenteval_web.sockets import with_sockets  # noqa: E402
from traces.otlp_views import App, otlp_first  # noqa: E402

application = with_sockets(otlp_first(cast("App", ThreadedHandler())))
