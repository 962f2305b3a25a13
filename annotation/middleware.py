"""Keep the judge's opinion from those who are asked for their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from agenteval_web.lib.api import PROBLEM_TYPE, problem
from annotation.services.blinding import hidden_task
from traces.models import Step

ABOUT_ONE = frozenset(
    {
        *("trace", "trace-step", "trace-diagnosis", "trace-outline"),
        *("trace-drawing", "trace-svg", "api-trace", "api-trace-graph", "api-step"),
    }
)
ABOUT_MANY = frozenset({"overview", "traces", "traces-newer", "review", "api-traces"})


class BlindMiddleware:
    """Answers in place of pages that would make a blind rater see."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        """Keep the next in the chain."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Hand on; the decision needs the address resolved."""
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponse],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> HttpResponse | None:
        """Refuse what tells about steps that the reader is to label blind."""
        del view, args
        name = request.resolver_match.url_name if request.resolver_match else ""
        if name not in ABOUT_ONE | ABOUT_MANY or not request.user.is_authenticated:
            return None
        project = kwargs.get("project") or request.GET.get("project", "")
        trace_id = _trace_of(kwargs) if name in ABOUT_ONE else None
        task = hidden_task(request.user, project, trace_id)
        if task is None:
            return None
        if str(name).startswith("api-"):
            message = "You label this blind; submit first, or look on the page."
            body = problem(403, "blind", message)
            return JsonResponse(body, status=403, content_type=PROBLEM_TYPE)
        context = {
            "project": task.campaign.project,
            "campaign": task.campaign,
            "trace_id": trace_id or "",
            "next": request.get_full_path(),
        }
        return render(request, "annotation/blind.html", context, status=403)


def _trace_of(kwargs: dict[str, Any]) -> str:
    """The trace that an address is about; "" if it names a step of none."""
    if "trace_id" in kwargs:
        return str(kwargs["trace_id"])
    found = Step.objects.filter(key=kwargs["key"]).values_list("trace__trace_id")
    return str(next(iter(found[:1]), ("",))[0])
