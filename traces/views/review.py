"""Traces that a person has to look at: no graph, or no analysis."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_GET

from traces.listing_selectors import SCAN, SORTS, list_for_review, read_place
from traces.models import Project
from traces.views.access import in_project


@require_GET
@in_project()
def review(request: HttpRequest, project: Project) -> HttpResponse:
    """The review list, newest first."""
    place = read_place(request.GET.get("from", ""), SORTS["newest"])
    listing = list_for_review(project, place)
    further = "?" + urlencode({"from": listing.following}) if listing.following else ""
    context = {
        "project": project,
        "listing": listing,
        "next_url": further,
        "first_url": "." if place else "",
        "scan": f"{SCAN:,}",
    }
    return render(request, "traces/review.html", context)
