"""Write the traces of a project as lines of JSON."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError

from traces.exporters import EXPORTERS
from traces.models import Project
from traces.services.exports import export_records

EXAMPLE = """\
examples:
  python manage.py export_traces --project demo --output demo.jsonl
  python manage.py export_traces --project demo --format otlp | gzip > demo.jsonl.gz
"""
LOSSLESS = "agenteval"


class Command(BaseCommand):
    help = (
        "Write all traces of a project as lines of JSON, in the order they came in. "
        "Our own format loses nothing: imported and exported again it is the same "
        "file, byte for byte."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EXAMPLE
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--format", default=LOSSLESS, choices=EXPORTERS)
        parser.add_argument(
            "--output", metavar="FILE", help="where to (default: standard output)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.")
        count = 0
        with _opened(options["output"]) as file:
            for record in export_records(project=project):
                file.writelines(EXPORTERS[options["format"]](record))
                count += 1
            file.flush()
        self.stderr.write(f"Exported {count} traces.")


def _opened(path: str | None) -> Any:
    """A file made anew, or standard output, which stays open."""
    if path is None:
        out: BinaryIO = sys.stdout.buffer
        return nullcontext(out)
    try:
        return Path(path).open("wb")
    except OSError as error:
        raise CommandError(f"can't write {path}: {error.strerror}.") from error
