"""Start the whole product."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from agenteval_web import env
from agenteval_web.serving import is_loopback, port_is_free, serve
from judging.tasks import digest_waiting
from traces.models import Project
from traces.services.accounts import create_sign_in_link

LOCAL_USER = "local"


class Command(BaseCommand):
    help = (
        "Start web server, background work and live updates in one process.\n"
        "Example: python manage.py serve --port 8000"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=env.text("HOST", "127.0.0.1"))
        parser.add_argument("--port", type=int, default=env.integer("PORT", 8000))
        parser.add_argument(
            "--no-demo", action="store_true", default=not env.flag("DEMO", default=True)
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        if not port_is_free(host, port):
            raise CommandError(f"port {port} on {host} is in use; choose another: PORT=")
        settings.HOME.mkdir(parents=True, exist_ok=True)
        self._say("Preparing the database")
        call_command("migrate", verbosity=0, interactive=False)
        user = self._local_user()
        if not options["no_demo"] and not Project.objects.exists():
            self._say("Loading the demo project")
            call_command("demo")
        digest_waiting.apply_async()
        serve(host, port, lambda: self._greet(host, port, user))

    def _local_user(self) -> User:
        user, made = User.objects.get_or_create(
            username=LOCAL_USER, defaults={"is_superuser": True, "is_staff": True}
        )
        if made:
            user.set_unusable_password()
            user.save(update_fields=("password",))
        return user

    def _greet(self, host: str, port: int, user: User) -> None:
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{port}"
        if is_loopback(host):
            token = create_sign_in_link(user=user, now=timezone.now())
            self._say(f"AgentEval is running at {address}")
            self._say(f"Sign in: {address}/sign-in/{token}/")
        else:
            self._say(f"AgentEval is running at {address}, open to other machines.")
            self._say("For a sign-in link: python manage.py sign_in_link")
        self._say("Ctrl-C stops everything.")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        sys.stdout.flush()
