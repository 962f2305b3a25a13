"""Entry point for servers that speak WSGI; without live updates."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agenteval_web.settings")
application = get_wsgi_application()
