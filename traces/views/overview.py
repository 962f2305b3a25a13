"""Home of a project: is it getting worse, what to fix first, what waits."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from traces.day_chart import day_chart
from traces.domain.trend import by_day, by_group, change, fix_first
from traces.listing_selectors import SCAN
from traces.models import Project
from traces.overview_selectors import A_DAY, DAYS, recent, waiting
from traces.snippets import snippets
from traces.views.access import in_project, reader_of, rights

WEEK = 7
CAUSES, WORKFLOWS = 6, 6


@require_GET
@in_project()
def overview(request: HttpRequest, project: Project) -> HttpResponse:
    """The overview page; an empty project shows how to send a trace."""
    found = recent(project, reader_of(request))
    context = {
        "project": project,
        "recent": found,
        "waiting": waiting(project),
        "change": change(found.runs, found.last, WEEK),
        "chart": day_chart(by_day(found.runs, found.last, DAYS)),
        "causes": fix_first(found.runs)[:CAUSES],
        "workflows": by_group(found.runs, lambda run: run.workflow)[:WORKFLOWS],
        "a_day": A_DAY,
        "scan": SCAN,
        "snippets": snippets(request.build_absolute_uri("/")),
    }
    return render(request, "traces/overview.html", context | rights(request, project))
