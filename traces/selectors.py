"""Reads for somebody: a person or a token gets what they may see, no more."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from traces.models import ApiToken, Membership, Project, SavedView, Step, Trace

Viewer = AbstractBaseUser | AnonymousUser | ApiToken
READERS = frozenset({ApiToken.Scope.READ, ApiToken.Scope.GATE, ApiToken.Scope.ADMIN})
"""Scopes of tokens that may read."""


def projects_for(viewer: Viewer) -> QuerySet[Project]:
    """Projects that somebody may see, by name; a superuser sees all."""
    if isinstance(viewer, ApiToken):
        return Project.objects.filter(pk=viewer.project_id)
    if not isinstance(viewer, User) or not viewer.is_active:
        return Project.objects.none()
    if viewer.is_superuser:
        return Project.objects.all()
    return Project.objects.filter(memberships__user=viewer)


def project_for(viewer: Viewer, slug: str) -> Project | None:
    """The project of a slug; None if there is none or it isn't theirs."""
    return projects_for(viewer).filter(slug=slug).first()


def role_in(user: Viewer, project: Project) -> Membership.Role | None:
    """A person's role in a project; superusers are administrators everywhere."""
    if not isinstance(user, User) or not user.is_active:
        return None
    if user.is_superuser:
        return Membership.Role.ADMIN
    found = Membership.objects.filter(user=user, project=project).first()
    return Membership.Role(found.role) if found else None


def saved_views_of(user: Viewer, project: Project) -> QuerySet[SavedView]:
    """A person's own views of the list, of a project already fetched for them."""
    if not isinstance(user, User):
        return SavedView.objects.none()
    return SavedView.objects.filter(user=user, project=project)


def project_of(
    request: Request, slug: str | None, scopes: Collection[str] = READERS
) -> Project:
    """The project that an API request is about.

    Args:
        request: By a token, which implies its project, or a signed-in person.
        slug: The project asked for; needed of a person with several.
        scopes: Token scopes that may do this.

    Raises:
        PermissionDenied: The token's scope allows something else.
        ValidationError: Several projects to choose from, and none named.
        Http404: There is no such project, or not for them.
    """
    viewer = request.auth if isinstance(request.auth, ApiToken) else request.user
    if isinstance(viewer, ApiToken) and viewer.scope not in scopes:
        raise PermissionDenied(f"This token is for something else: {viewer.scope}.")
    found = projects_for(viewer)
    few = list((found.filter(slug=slug) if slug else found)[:2])
    if len(few) > 1:
        raise ValidationError({"project": "Name one: ?project=slug"})
    if not few:
        raise Http404("There is no such project.")
    return few[0]


def trace_for(request: Request, slug: str | None, trace_id: str) -> Trace:
    """The trace with the sender's id, for an API request.

    Raises:
        Http404: There is no such trace, or not for them.
    """
    found = trace_in(project_of(request, slug), trace_id)
    if found is None:
        raise Http404("There is no such trace.")
    return found


def trace_in(project: Project, trace_id: str) -> Trace | None:
    """A trace of a project that was already fetched for somebody."""
    return Trace.objects.filter(project=project, trace_id=trace_id).first()


def step_for(request: Request, slug: str | None, key: str) -> Trace:
    """The trace that has a step, for an API request.

    Raises:
        Http404: There is no such step, or not for them.
    """
    project = project_of(request, slug)
    steps = Step.objects.filter(key=key, trace__project=project)
    found = steps.select_related("trace").order_by("pk").first()
    if found is None:
        raise Http404("There is no such step.")
    return found.trace


@dataclass(frozen=True, slots=True)
class Stats:
    """What is committed and readable now."""

    traces: int
    spans: int
    steps: int


def stats_of(project: Project) -> Stats:
    """Counters of a project that was already fetched."""
    return Stats(project.trace_count, project.span_count, project.step_count)
