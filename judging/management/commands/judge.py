"""Build graphs and judge them in the foreground."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, RawTextHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from judging.services.digesting import (
    count_waiting,
    digest_batch,
    digest_trace,
    mark_behind,
)
from traces.models import Project, Trace

JUDGES = ("rules",)


class Command(BaseCommand):
    help = (
        "Build the graphs of a project's traces and judge them, with progress.\n"
        "Goes on with what an earlier run left. Examples:\n"
        "  python manage.py judge --project demo --pending\n"
        "  python manage.py judge --project demo --trace 4bf92f3577b34da6a3ce929d0e0e4736"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawTextHelpFormatter
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--judge", default="rules", choices=JUDGES)
        parser.add_argument("--trace", metavar="ID", help="only this trace")
        parser.add_argument(
            "--pending", action="store_true", help="only what is not judged yet"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"there is no project {options['project']!r}")
        if options["trace"]:
            self._one(project, options["trace"])
            return
        if not options["pending"]:
            mark_behind(project=project)
        self._all(project)

    def _one(self, project: Project, trace_id: str) -> None:
        trace = Trace.objects.filter(project=project, trace_id=trace_id).first()
        if trace is None:
            raise CommandError(f"there is no trace {trace_id!r} in {project.slug}")
        packed = digest_trace(trace=trace, now=timezone.now())
        if packed.error:
            raise CommandError(packed.error)
        counts = packed.counts
        self.stdout.write(f"{len(packed.steps)} steps, {counts['failed']} failed")

    def _all(self, project: Project) -> None:
        total = count_waiting(quiet_before=timezone.now(), project_id=project.pk)
        done = failed = 0
        while done + failed < total:
            now = timezone.now()
            progress = digest_batch(now=now, quiet_before=now, project_id=project.pk)
            if not progress.done + progress.failed:
                break
            done, failed = done + progress.done, failed + progress.failed
            self._show(done + failed, total)
        self.stdout.write(f"Judged {done} traces, {failed} could not be built.")
        if failed:
            raise CommandError("the reasons stand on the review page")

    def _show(self, done: int, total: int) -> None:
        if sys.stdout.isatty():
            self.stdout.write(f"\r{done} of {total}", ending="")
            self.stdout.flush()
            if done == total:
                self.stdout.write("")
