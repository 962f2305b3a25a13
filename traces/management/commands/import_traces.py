"""Import traces from files, folders, archives or standard input."""

from __future__ import annotations

import io
import json
import sys
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from traces.domain.records import Reject
from traces.importers import AUTO, CHANGES, FORMATS, SKIPPED
from traces.importers.archives import walk
from traces.models import Project
from traces.services.imports import ImportReport, import_file, import_limits

EXAMPLE = """\
examples:
  python manage.py import_traces runs.jsonl --project demo
  python manage.py import_traces results/ logs.tar.gz --project demo --json
  zcat spans.json.gz | python manage.py import_traces - --project demo --format otlp
"""
STDIN = "-"
SHOWN = 20
EVERY_SECONDS = 2.0


@dataclass
class Totals:
    """What became of all files.

    Attributes:
        counts: ``imported``, ``updated``, ``unchanged``, ``rejected``,
            ``changed`` (texts and numbers kept in another form) and
            ``skipped`` (files of a folder or archive that are no traces).
        files: One report a file that has anything to report.
    """

    counts: Counter[str] = field(default_factory=Counter)
    files: list[dict[str, Any]] = field(default_factory=list)

    def add(self, report: ImportReport, *, in_folder: bool) -> dict[str, Any]:
        """Count a file; what is said of it."""
        no_traces = [r for r in report.rejects if r.code in SKIPPED]
        inside = f"{report.name}/"
        named = sum(not (in_folder or r.place.startswith(inside)) for r in no_traces)
        counts = {
            "imported": report.imported,
            "updated": report.updated,
            "unchanged": report.unchanged,
            # Whoever names a file means that there are traces in it.
            "rejected": report.rejected + named,
            "changed": sum(r.code in CHANGES for r in report.rejects),
            "skipped": len(no_traces) - named,
        }
        self.counts.update(counts)
        rejects = [asdict(reject) for reject in report.rejects]
        said = {"name": report.name} | counts | {"rejects": rejects}
        self.files.append(said)
        return said


class Command(BaseCommand):
    help = (
        "Import traces from files, folders and archives, or from standard input (-). "
        "The format is told by the content. Importing again changes nothing. One bad "
        "trace never stops the rest. Exit 1 if anything was rejected."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = EXAMPLE
        parser.add_argument("paths", nargs="+", metavar="PATH", help="or - for stdin")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--format", default=AUTO, choices=FORMATS)
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.")
        for path in options["paths"]:
            if path != STDIN and not Path(path).exists():
                raise CommandError(f"There is no file or folder {path!r}.")
        totals = Totals()
        for path in options["paths"]:
            for report in self._reports(project, path, options["format"]):
                said = totals.add(
                    report, in_folder=path != STDIN and Path(path).is_dir()
                )
                if not options["json"]:
                    self._say(said)
        self._finish(totals, as_json=options["json"])

    def _reports(
        self, project: Project, path: str, format: str
    ) -> Iterator[ImportReport]:
        """One report a file."""

        def stored(stream: BinaryIO, name: str) -> ImportReport:
            now = timezone.now()
            return import_file(
                project=project, stream=stream, name=name, format=format, now=now
            )

        if path == STDIN:
            yield stored(sys.stdin.buffer, "")
        elif Path(path).is_dir():
            for member in walk(Path(path), import_limits()):
                if isinstance(member, Reject):
                    yield _refused(member)
                else:
                    yield stored(member.source, member.name)
        else:
            with Path(path).open("rb") as file:
                stream = _Progress(file, Path(path), cast("TextIO", self.stderr))
                yield stored(
                    cast("BinaryIO", io.BufferedReader(stream)), Path(path).name
                )

    def _say(self, said: dict[str, Any]) -> None:
        self.stdout.write(f"{said['name'] or 'standard input'}: {_sentence(said)}")
        for reject in said["rejects"][:SHOWN]:
            self.stdout.write(f"  {reject['place']}: {reject['reason']}")
        more = len(said["rejects"]) - SHOWN
        if more > 0:
            self.stdout.write(f"  … and {more} more")

    def _finish(self, totals: Totals, *, as_json: bool) -> None:
        if as_json:
            found = dict(totals.counts) | {"files": totals.files}
            self.stdout.write(json.dumps(found, ensure_ascii=False))
        elif len(totals.files) > 1:
            self.stdout.write(f"{len(totals.files)} files: {_sentence(totals.counts)}")
        if totals.counts["rejected"]:
            raise CommandError(f"{totals.counts['rejected']} rejected.")


def _refused(reject: Reject) -> ImportReport:
    report = ImportReport(reject.place)
    report.refuse(reject)
    return report


def _sentence(counts: dict[str, Any] | Counter[str]) -> str:
    always = ("imported", "unchanged", "rejected")
    words = ("imported", "updated", "unchanged", "rejected", "changed", "skipped")
    return ", ".join(
        f"{counts[word]} {word}" for word in words if word in always or counts[word]
    )


class _Progress(io.RawIOBase):
    """A file that says on a terminal how far it has been read."""

    def __init__(self, file: BinaryIO, path: Path, screen: TextIO) -> None:
        self._file = file
        self._path = path
        self._screen = screen
        self._size = path.stat().st_size
        self._next = time.monotonic() + EVERY_SECONDS

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        part = self._file.read(len(buffer))
        buffer[: len(part)] = part
        if time.monotonic() > self._next and self._screen.isatty():
            self._next = time.monotonic() + EVERY_SECONDS
            done = 100 * self._file.tell() // max(self._size, 1)
            self._screen.write(f"{self._path.name}: {done} % read")
        return len(part)
