"""Who may open a page: every view below a project goes through here."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from agenteval_web.lib.zones import COOKIE, zone_named
from traces.models import Membership, Project
from traces.query_filters import Reader
from traces.selectors import project_for, role_in

P = ParamSpec("P")
AddressView = Callable[..., HttpResponse]
"""Takes the request and the project's short name, then what the view takes."""
ProjectView = Callable[Concatenate[HttpRequest, Project, P], HttpResponse]

PROJECT_COOKIE = "project"
YEAR = 365 * 24 * 3600
ADDERS = frozenset({Membership.Role.ENGINEER, Membership.Role.ADMIN})
MANAGERS = frozenset({Membership.Role.ADMIN})


def in_project(
    roles: frozenset[Membership.Role] | None = None,
) -> Callable[[ProjectView[P]], AddressView]:
    """Give the view the project of the address, if the reader may see it.

    Args:
        roles: Roles that may open the page; None for every member.
    """

    def decorate(view: ProjectView[P]) -> AddressView:
        @wraps(view)
        def opened(
            request: HttpRequest, project: str, *args: P.args, **rest: P.kwargs
        ) -> HttpResponse:
            found = project_for(request.user, project)
            if found is None:
                raise Http404
            if roles is not None:
                demand(request, found, roles)
            response = view(request, found, *args, **rest)
            response.set_cookie(PROJECT_COOKIE, found.slug, YEAR, samesite="Lax")
            return response

        return opened

    return decorate


def demand(
    request: HttpRequest, project: Project, roles: frozenset[Membership.Role]
) -> None:
    """Refuse with a 403 unless the reader has one of the roles."""
    if role_in(request.user, project) not in roles:
        raise PermissionDenied


def rights(request: HttpRequest, project: Project) -> dict[str, bool]:
    """What the reader may do here, for templates."""
    role = role_in(request.user, project)
    return {"may_upload": role in ADDERS, "may_manage": role in MANAGERS}


def reader_of(request: HttpRequest) -> Reader:
    """Now, and the zone that the reader's browser told; UTC until it has."""
    return Reader(timezone.now(), zone_named(request.COOKIES.get(COOKIE, "")))
