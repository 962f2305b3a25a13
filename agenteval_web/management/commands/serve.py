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
from agenteval_web.lib.tasks import enqueue
from agenteval_web.serving import is_loopback, listening_socket, serve
from judging.tasks import digest_waiting
from traces.models import Project
from traces.services.accounts import LASTS_AT_START, create_sign_in_link

LOCAL_USER = "local"


class Command(BaseCommand):
    help = (
        "Start web server, background work and live updates in one process. "
        "Example: python manage.py serve --port 8000"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--host",
            default=env.text("HOST") or "127.0.0.1",
            help="address to listen on (default: HOST, else 127.0.0.1)",
        )
        parser.add_argument(
            "--port",
            type=int,
            default=env.integer("PORT", 8000),
            help="port to listen on (default: PORT, else 8000)",
        )
        parser.add_argument(
            "--no-demo",
            action="store_true",
            default=not env.flag("DEMO", default=True),
            help="start without the demo project (also DEMO=0)",
        )
        parser.add_argument(
            "--link",
            action="store_true",
            help="print a sign-in link even if other machines can connect",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        try:
            at = listening_socket(host, port)
        except OSError as error:
            raise CommandError(
                f"can't listen on {host} port {port}: {error.strerror}. "
                "Choose another with PORT= and HOST=."
            ) from error
        self._say("Preparing the database")
        call_command("migrate", verbosity=0, interactive=False)
        _ensure_local_user()
        if not options["no_demo"]:
            self._load_demo()
        enqueue(digest_waiting)
        self._say("Starting")
        greeting = self._greeting(host, port, options["link"] or is_loopback(host))
        serve(at, lambda: self._say(greeting))

    def _load_demo(self) -> None:
        """Load it once; go on where loading was interrupted; never bring it back."""
        done = settings.HOME / "demo_loaded"
        if done.exists():
            return
        begun = Project.objects.filter(is_demo=True).exists()
        if begun or not Project.objects.exists():
            self._say("Loading the demo project")
            call_command("demo", stdout=self.stdout)
        settings.HOME.mkdir(parents=True, exist_ok=True)
        done.touch()

    def _greeting(self, host: str, port: int, with_link: bool) -> str:
        shown = f"[{host}]" if ":" in host else host
        address = f"http://{shown}:{port}"
        lines = [f"AgentEval is running at {address}/"]
        if not is_loopback(host):
            names = ", ".join(settings.ALLOWED_HOSTS)
            lines.append(f"Other machines can connect, by these names only: {names}")
            lines.append("ALLOWED_HOSTS changes them.")
        if with_link:
            user = User.objects.get(username=LOCAL_USER)
            token = create_sign_in_link(
                user=user, now=timezone.now(), lasts=LASTS_AT_START
            )
            lines.append(f"Sign in, once:  {address}/sign-in/{token}/")
        else:
            lines.append("For a sign-in link: python manage.py sign_in_link")
        return "\n".join([*lines, "Ctrl-C stops everything."])

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        sys.stdout.flush()


def _ensure_local_user() -> None:
    """The person of this machine: an administrator without a password."""
    user, made = User.objects.get_or_create(
        username=LOCAL_USER, defaults={"is_superuser": True, "is_staff": True}
    )
    if made:
        user.set_unusable_password()
        user.save(update_fields=("password",))
