"""Make an API token from the command line."""

from __future__ import annotations

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from traces.models import ApiToken, Project
from traces.services.tokens import issue_token

EXAMPLE = """\
example:
  python manage.py create_token --project demo --scope ingest --name "checkout agent"
"""


class Command(BaseCommand):
    """Print a new API token once."""

    help = "Make an API token for a project and print it. It is shown only once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EXAMPLE
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--scope", required=True, choices=ApiToken.Scope.values)
        parser.add_argument("--name", default="command line", help="who will use it")
        parser.add_argument(
            "--days", type=int, default=0, help="end after so many days; 0: never"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.")
        if not 0 <= options["days"] <= 36_500:
            raise CommandError("--days must be between 0 and 36500.")
        now = timezone.now()
        ends = now + timedelta(days=options["days"]) if options["days"] else None
        token, secret = issue_token(
            project=project,
            name=options["name"][:100],
            scope=options["scope"],
            actor=None,
            now=now,
            expires_at=ends,
        )
        found = {
            "token": secret,
            "project": project.slug,
            "scope": token.scope,
            "expires_at": ends.isoformat() if ends else None,
        }
        self.stdout.write(json.dumps(found) if options["json"] else secret)
