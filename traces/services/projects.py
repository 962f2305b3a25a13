"""Projects, who may do what in them, and the log of what was done."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction

from traces.domain.records import Json
from traces.models import AuditEvent, Membership, Project

Actor = User | AnonymousUser | None
SYSTEM = "system"


def create_project(
    *,
    name: str,
    slug: str,
    actor: Actor,
    now: datetime,
    description: str = "",
    is_demo: bool = False,
) -> Project:
    """Make a project; the person who makes it is its administrator.

    Raises:
        IntegrityError: Another project has the slug.
    """
    with transaction.atomic():
        project = Project.objects.create(
            name=name,
            slug=slug,
            description=description,
            created_at=now,
            is_demo=is_demo,
        )
        audit(project=project, actor=actor, verb="create_project", target=slug, now=now)
        maker = person(actor)
        if maker is not None:
            add_member(
                project=project,
                user=maker,
                role=Membership.Role.ADMIN,
                actor=actor,
                now=now,
            )
    return project


def update_project(
    *, project: Project, name: str, description: str, actor: Actor, now: datetime
) -> None:
    """Change name and description; the slug stays, because links hold it."""
    project.name, project.description = name, description
    with transaction.atomic():
        project.save(update_fields=("name", "description"))
        audit(
            project=project,
            actor=actor,
            verb="update_project",
            target=project.slug,
            now=now,
            detail={"name": name},
        )


def add_member(
    *,
    project: Project,
    user: User,
    role: Membership.Role,
    actor: Actor,
    now: datetime,
) -> Membership:
    """Give a person a role in a project, or another role than before."""
    with transaction.atomic():
        member, _made = Membership.objects.update_or_create(
            project=project,
            user=user,
            defaults={"role": role},
            create_defaults={"role": role, "created_at": now},
        )
        audit(
            project=project,
            actor=actor,
            verb="add_member",
            target=str(user),
            now=now,
            detail={"role": str(role)},
        )
    return member


def audit(
    *,
    project: Project | None,
    actor: Actor,
    verb: str,
    target: str,
    now: datetime,
    detail: dict[str, Json] | None = None,
) -> None:
    """Write down who did what; belongs in the transaction that does it."""
    somebody = person(actor)
    AuditEvent.objects.create(
        project=project,
        actor=somebody,
        actor_name=str(somebody)[:200] if somebody else SYSTEM,
        verb=verb,
        target=target[:200],
        detail=detail or {},
        at=now,
    )


def person(actor: Actor) -> User | None:
    """The actor, if somebody is signed in."""
    return actor if isinstance(actor, User) else None
