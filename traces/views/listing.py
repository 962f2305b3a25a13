"""The trace list, its live counter, and deleting what was selected."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from traces import list_page
from traces.domain.query import Query, Term, parse
from traces.domain.query import render as render_query
from traces.list_page import State
from traces.listing_selectors import (
    PAGE,
    SCAN,
    SORTS,
    Listing,
    count_matches,
    count_newer,
    list_traces,
    newest_place,
    read_place,
    selected_traces,
)
from traces.models import Project, Trace
from traces.selectors import saved_views_of
from traces.services.deletion import delete_traces
from traces.snippets import snippets
from traces.views.access import MANAGERS, YEAR, in_project, reader_of, rights

FAILED = Term("failed", (True,))
COLUMNS_COOKIE = "columns"


@require_GET
@in_project()
def trace_list(request: HttpRequest, project: Project) -> HttpResponse:
    """The list; the address holds filters, order, columns and place."""
    remembered = {"columns": request.COOKIES.get(COLUMNS_COOKIE, "")}
    params = remembered | request.GET.dict()
    if "choose" in request.GET:
        return _choose(request, params)
    state = list_page.read_state(params)
    return render(request, "traces/list.html", _list(request, project, state))


def _choose(request: HttpRequest, params: dict[str, str]) -> HttpResponse:
    """Remember the chosen columns and go on with a clean address."""
    state = list_page.read_state(params, request.GET.getlist("column"))
    response = HttpResponseRedirect(state.url)
    chosen = ",".join(state.columns) or "-"
    response.set_cookie(COLUMNS_COOKIE, chosen, YEAR, samesite="Lax")
    return response


def _list(request: HttpRequest, project: Project, state: State) -> dict[str, Any]:
    reader, order = reader_of(request), state.order
    place = read_place(state.place, order) if state.place else None
    listing = list_traces(project, state.query, order, place, reader)
    matches = count_matches(project, state.query, order, reader)
    newest = newest_place(project)
    context = {
        "project": project,
        "listing": listing,
        "matches": matches,
        "newest": newest.code() if newest else "",
        "snippets": snippets(request.build_absolute_uri("/")),
        "scan": f"{SCAN:,}",
        "saved_views": saved_views_of(request.user, project),
    }
    context |= _addresses(state, listing) | _menus(state, matches)
    return context | rights(request, project)


def _addresses(state: State, listing: Listing) -> dict[str, Any]:
    return {
        "state": state,
        "show": state.show,
        "query_text": render_query(state.query),
        "columns_text": state.columns_text,
        "next_url": state.at(listing.following),
        "first_url": state.at(""),
        "clear_url": state.asking(Query()),
        "failed_url": state.asking(state.query.having(FAILED)),
        "worst_url": state.sorted_by("worst"),
    }


def _menus(state: State, matches: Any) -> dict[str, Any]:
    return {
        "chips": list_page.chips(state),
        "facets": list_page.facets(state, matches),
        "columns": list_page.COLUMNS,
        "headings": list_page.headings(state),
        "orders": list_page.orders(state),
        "completions": list_page.completions(matches),
    }


@require_GET
@in_project()
def newer(request: HttpRequest, project: Project) -> JsonResponse:
    """How many matching traces came in since the list was made."""
    place = read_place(request.GET.get("since", ""), SORTS["newest"])
    query = parse(request.GET.get("q", ""))
    new = project.trace_count
    if place:
        new = count_newer(project, query, place, reader_of(request))
    return JsonResponse({"new": new, "most": PAGE, "traces": project.trace_count})


@require_POST
@in_project(MANAGERS)
def delete(request: HttpRequest, project: Project) -> HttpResponse:
    """Ask before deleting the selected traces; delete when the name was typed."""
    traces = list(selected_traces(project, request.POST.getlist("trace")))
    if not traces:
        messages.warning(request, "Nothing was selected.")
    elif request.POST.get("confirm") != project.slug:
        return _ask(request, project, traces)
    else:
        count = delete_traces(
            project=project,
            traces=[trace.pk for trace in traces],
            actor=request.user,
            now=timezone.now(),
        )
        messages.success(request, f"{count} trace{'s' * (count != 1)} deleted.")
    return redirect("traces", project.slug)


def _ask(request: HttpRequest, project: Project, traces: list[Trace]) -> HttpResponse:
    context = {
        "project": project,
        "traces": traces,
        "spans": sum(trace.span_count for trace in traces),
        "wrong": "confirm" in request.POST,
    }
    return render(request, "traces/delete.html", context)
