"""Print a link that signs one person in, once."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from agenteval_web import env
from traces.services.accounts import create_sign_in_link


class Command(BaseCommand):
    help = (
        "Print a one-time sign-in link.\n"
        "Example: python manage.py sign_in_link --user local"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", default="local")
        host, port = env.text("HOST") or "127.0.0.1", env.integer("PORT", 8000)
        parser.add_argument(
            "--base",
            default=f"http://{host}:{port}",
            help="address of the server (default: from HOST and PORT)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"], is_active=True).first()
        if user is None:
            raise CommandError(f"there is no active user {options['user']!r}")
        token = create_sign_in_link(user=user, now=timezone.now())
        self.stdout.write(f"{options['base']}/sign-in/{token}/")
