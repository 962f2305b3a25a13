"""The frame of every page: header, navigation, the reader's preferences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import template
from django.http import HttpRequest
from django.urls import reverse

from traces.models import Project
from traces.selectors import project_for, projects_for
from traces.views.access import PROJECT_COOKIE

register = template.Library()

THEMES = ("auto", "light", "dark")
THEME_COOKIE, KEYS_COOKIE = "theme", "keys"


@dataclass(frozen=True, slots=True)
class Entry:
    """One link of the main navigation."""

    label: str
    url: str
    current: bool


SECTIONS = (
    ("overview", "Overview"),
    ("traces", "Traces"),
    ("review", "Review"),
    ("campaigns", "Campaigns"),
    ("taxonomy", "Taxonomy"),
    ("checks", "Checks"),
    ("settings", "Settings"),
)
"""URL names and labels; a section is current on all pages below its address."""


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """``auto``, ``light`` or ``dark``: what the reader chose."""
    request = context.get("request")
    chosen = request.COOKIES.get(THEME_COOKIE) if request else ""
    return chosen if chosen in THEMES else "auto"


@register.simple_tag(takes_context=True)
def keys_off(context: template.Context) -> bool:
    """Whether the reader turned keyboard shortcuts off."""
    request = context.get("request")
    return request is not None and request.COOKIES.get(KEYS_COOKIE) == "off"


@register.inclusion_tag("components/header.html", takes_context=True)
def site_header(context: template.Context) -> dict[str, Any]:
    """The header: project switcher and navigation where there is a project."""
    request = context["request"]
    project = context.get("project") or last_project(request)
    return {
        "request": request,
        "csrf_token": context.get("csrf_token"),
        "user": request.user,
        "project": project,
        "projects": projects_for(request.user) if project else (),
        "nav": navigation(project, request) if project else (),
        "theme": theme(context),
        "keys_off": keys_off(context),
        "path": request.get_full_path(),
    }


def last_project(request: HttpRequest) -> Project | None:
    """The project the reader came from, on pages that belong to none."""
    slug = request.COOKIES.get(PROJECT_COOKIE, "")
    signed_in = request.user.is_authenticated
    return project_for(request.user, slug) if slug and signed_in else None


def navigation(project: Project, request: HttpRequest) -> list[Entry]:
    """Links to the sections of a project."""
    home = reverse("overview", args=(project.slug,))
    entries = []
    for name, label in SECTIONS:
        url = reverse(name, args=(project.slug,))
        inside = request.path == url if url == home else request.path.startswith(url)
        entries.append(Entry(label, url, inside))
    return entries
