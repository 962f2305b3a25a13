"""The trace page: why did this run fail?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views.decorators.http import require_GET

from judging.models import Evaluation
from judging.selectors.inspect import STRATEGY_NAMES, inspect
from judging.selectors.judged import JudgedTrace, judged_trace, raw_span
from judging.selectors.page import (
    FIRST_ROWS,
    SERVER_ROWS,
    default_step,
    drawing,
    failure_sentence,
    graph_columns,
    graph_svg,
    mended,
    neighbours,
    outline,
    outline_columns,
    shown_path,
    similar,
)
from judging.selectors.spans import span_tree
from traces.domain.layout.drawing import WHOLE
from traces.domain.layout.legend import LEGEND
from traces.domain.layout.svg import standalone_svg
from traces.models import Project
from traces.selectors import trace_in
from traces.views.access import in_project

VIEWS = ("graph", "timeline", "spans", "notes")
MAX_OPENED = 200
_NUMBERS = re.compile(r"(?<![^,])[0-9]{1,9}(?![^,])")


@require_GET
@in_project()
def trace_page(request: HttpRequest, project: Project, trace_id: str) -> HttpResponse:
    """The whole page; complete without scripts."""
    judged = _judged(request, project, trace_id)
    view = request.GET.get("view", "graph")
    context = _frame(judged, project) | {"view": view if view in VIEWS else "graph"}
    if judged.reading is not None:
        context |= _body(request, judged, context["view"])
    return render(request, "traces/trace/page.html", context)


@require_GET
@in_project()
def step_panel(
    request: HttpRequest, project: Project, trace_id: str, key: str
) -> HttpResponse:
    """The inspector alone, for the page that is already open."""
    judged = _judged(request, project, trace_id)
    found = inspect(judged, key)
    if found is None:
        raise Http404
    context = {"inspected": found, "judged": judged, "project": project}
    context |= {"similar": similar(judged, key)}
    context |= _state(request, judged, key)
    return render(request, "traces/trace/_inspector.html", context)


@require_GET
@in_project()
def diagnosis(request: HttpRequest, project: Project, trace_id: str) -> HttpResponse:
    """What changes with threshold, strategy and selection; for open pages."""
    judged = _judged(request, project, trace_id)
    if judged.reading is None:
        raise Http404
    reading = judged.reading
    found = reading.diagnosis
    selected = request.GET.get("step", "")
    state = _state(request, judged, selected) | {"headline": failure_sentence(reading)}
    return JsonResponse(
        {
            "headline": render_to_string("traces/trace/_headline.html", state, request),
            "outcomes": {
                key: [
                    outcome.score.score,
                    int(outcome.failed),
                    outcome.role,
                    str(outcome.score.state),
                    " › ".join(reading.taxonomy.names(outcome.category))
                    if outcome.failed
                    else "",
                ]
                for key, outcome in found.outcomes.items()
                if outcome.score.score is not None
            },
            "path": shown_path(reading, selected),
            "primary_root": found.primary_root,
            "failed": [key for key, one in found.outcomes.items() if one.failed],
        }
    )


@require_GET
@in_project()
def trace_outline(
    request: HttpRequest, project: Project, trace_id: str
) -> HttpResponse:
    """The outline as columns, for runs too long to be written out."""
    judged = _judged(request, project, trace_id)
    if judged.reading is None:
        raise Http404
    return JsonResponse(outline_columns(judged.reading))


@require_GET
@in_project()
def trace_drawing(
    request: HttpRequest, project: Project, trace_id: str
) -> HttpResponse:
    """The drawing as columns, for runs too large to be drawn here."""
    judged = _judged(request, project, trace_id)
    if judged.reading is None:
        raise Http404
    numbers = _NUMBERS.findall(request.GET.get("opened", ""))
    opened = tuple(int(one) for one in numbers[:MAX_OPENED])
    step = request.GET.get("step", "")
    return JsonResponse(graph_columns(judged, step, opened))


@require_GET
@in_project()
def trace_svg(request: HttpRequest, project: Project, trace_id: str) -> HttpResponse:
    """The drawing as a file."""
    judged = _judged(request, project, trace_id)
    if judged.reading is None:
        raise Http404
    css = Path(settings.BASE_DIR / "static/css/graph.css").read_text("utf-8")
    text = standalone_svg(drawing(judged.reading, request.GET.get("step", "")), css)
    response = HttpResponse(text, content_type="image/svg+xml")
    response["Content-Disposition"] = 'attachment; filename="trace.svg"'
    return response


def _judged(request: HttpRequest, project: Project, trace_id: str) -> JudgedTrace:
    trace = trace_in(project, trace_id)
    if trace is None:
        raise Http404
    try:
        return judged_trace(
            trace,
            strategy=request.GET.get("strategy", ""),
            shift=float(request.GET.get("shift") or 0),
        )
    except (ValueError, Evaluation.DoesNotExist) as error:
        raise Http404 from error


def _frame(judged: JudgedTrace, project: Project) -> dict[str, Any]:
    newer, older = neighbours(judged.trace)
    return {
        "project": project,
        "trace": judged.trace,
        "judged": judged,
        "newer": newer,
        "older": older,
    }


def _body(request: HttpRequest, judged: JudgedTrace, view: str) -> dict[str, Any]:
    assert judged.reading is not None  # noqa: S101  # the caller looked
    reading = judged.reading
    selected = request.GET.get("step", "")
    if selected not in reading.steps:
        selected = default_step(reading)
    rows = outline(reading)
    whole = len(rows) <= SERVER_ROWS
    state = _state(request, judged, selected)
    link = f"?{state['query']}step="
    drawn = len(reading.graph.steps) <= WHOLE and view == "graph"
    return state | {
        "reading": reading,
        "headline": failure_sentence(reading),
        "rows": rows if whole else rows[:FIRST_ROWS],
        "whole": whole,
        "row_count": len(rows),
        "svg": graph_svg(judged, selected, link) if drawn else "",
        "inspected": inspect(judged, selected),
        "similar": similar(judged, selected),
        "span_rows": span_tree(judged.trace) if view == "spans" else [],
        "raw": _raw(request, judged) if view == "spans" else None,
        "repairs": mended(reading) if view == "notes" else [],
        "views": VIEWS,
        "legend": LEGEND,
    }


def _raw(request: HttpRequest, judged: JudgedTrace) -> dict[str, Any] | None:
    span = request.GET.get("span", "")
    return raw_span(judged.trace, span) if span else None


def _state(request: HttpRequest, judged: JudgedTrace, selected: str) -> dict[str, Any]:
    """The part of the address that links must carry along."""
    params = request.GET.copy()
    kept = {
        key: params[key] for key in ("strategy", "shift", "view") if params.get(key)
    }
    query = "".join(f"{urlencode({key: kept[key]})}&" for key in sorted(kept))
    strategy = judged.reading.settings.strategy if judged.reading else ""
    return {
        "selected": selected,
        "query": query,
        "strategy": strategy,
        "strategies": STRATEGY_NAMES,
        "shift": float(params.get("shift") or 0),
    }
