"""Load the demo project, or complete it where loading was interrupted."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from django.utils import timezone

from agenteval_web.demo import DemoTrace, build_demo, schemas
from judging.services.defaults import digest_of
from judging.services.digesting import count_waiting, digest_batch
from traces.models import Membership, Project, Trace, WorkflowSchema
from traces.services.imports import store_trace_record
from traces.services.projects import add_member, create_project

SLUG = "demo"
SOURCE = "demo"
DESCRIPTION = (
    "Three invented workflows: customer service, data analysis and document "
    "processing. Scripted agents ran them; 28 of the 45 runs carry a fault whose root "
    "is known."
)


class Command(BaseCommand):
    help = (
        "Load the demo project and judge its traces with the offline checks. Safe to "
        "run again. Example: python manage.py demo --reset"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--reset",
            action="store_true",
            help="delete the demo project with everything in it first",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["reset"]:
            self._delete()
        project = self._project(timezone.now())
        self._load(project)
        self._judge(project)

    def _delete(self) -> None:
        project = Project.objects.filter(slug=SLUG, is_demo=True).first()
        if project is None:
            return
        with transaction.atomic():
            # Evaluations protect the profile and taxonomy versions they name.
            Trace.objects.filter(project=project).delete()
            project.delete()
        self.stdout.write("Deleted the demo project.")

    def _project(self, now: datetime) -> Project:
        owner = _local_admin()
        project = Project.objects.filter(slug=SLUG).first()
        if project is None:
            return create_project(
                name="Demo",
                slug=SLUG,
                actor=owner,
                now=now,
                description=DESCRIPTION,
                is_demo=True,
            )
        if owner and not project.memberships.filter(user=owner).exists():
            role = Membership.Role.ADMIN
            add_member(project=project, user=owner, role=role, actor=None, now=now)
        return project

    def _load(self, project: Project) -> None:
        """Store what is missing; built for the project's own first day."""
        _store_schemas(project)
        known = set(
            Trace.objects.filter(project=project).values_list("trace_id", flat=True)
        )
        built = build_demo(now=project.created_at)
        missing = [trace for trace in built if trace.record.trace_id not in known]
        for trace in missing:
            _store_trace(project, trace)
        self.stdout.write(
            f"Stored {len(missing)} traces, {len(built) - len(missing)} were there."
        )

    def _judge(self, project: Project) -> None:
        now = timezone.now()
        total = count_waiting(quiet_before=now, project_id=project.pk)
        done = failed = 0
        while done + failed < total:
            batch = digest_batch(now=now, quiet_before=now, project_id=project.pk)
            if not batch.done + batch.failed:
                break
            done, failed = done + batch.done, failed + batch.failed
            self.stdout.write(f"Judged {done + failed} of {total} traces.")
        if failed:
            self.stderr.write(f"{failed} traces could not be digested.")


def _local_admin() -> User | None:
    """The first administrator of this installation."""
    people = get_user_model().objects.filter(is_superuser=True, is_active=True)
    return people.order_by("pk").first()


def _store_trace(project: Project, trace: DemoTrace) -> None:
    store_trace_record(
        project=project, record=trace.record, source=SOURCE, now=project.created_at
    )


def _store_schemas(project: Project) -> None:
    """Add the workflows' schemas, as a new version where one has changed."""
    for content in schemas():
        workflow, digest = content["workflow"], digest_of(content)
        newest = (
            WorkflowSchema.objects.filter(project=project, workflow=workflow)
            .order_by("-number")
            .first()
        )
        if newest is None or newest.digest != digest:
            WorkflowSchema.objects.create(
                project=project,
                workflow=workflow,
                number=newest.number + 1 if newest else 1,
                content=content,
                digest=digest,
                created_at=project.created_at,
            )
