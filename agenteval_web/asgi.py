"""Entry point of the server: pages and API over HTTP, live updates over sockets."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agenteval_web.settings")
application = get_asgi_application()
