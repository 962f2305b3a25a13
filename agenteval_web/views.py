"""What operators ask, and what is answered when nothing else is."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views import defaults
from django.views.decorators.http import require_safe

from agenteval_web.lib.api import PROBLEM_TYPE, problem

API_PREFIXES = ("/api/", "/v1/")
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@require_safe
@login_not_required
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers."""
    del request
    return JsonResponse({"status": "ok"})


@require_safe
@login_not_required
def readyz(request: HttpRequest) -> HttpResponse:
    """Database and queue can be reached."""
    del request
    problems = [problem for problem in (_database(), _queue()) if problem]
    state = "unavailable" if problems else "ready"
    return JsonResponse(
        {"status": state, "problems": problems}, status=503 if problems else 200
    )


@require_safe
@login_not_required
def metrics(request: HttpRequest) -> HttpResponse:
    """Numbers for Prometheus."""
    del request
    from agenteval_web.metrics import exposition  # noqa: PLC0415  # seldom asked for

    return HttpResponse(exposition(timezone.now()), content_type=METRICS_TYPE)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """A page for people, a problem for programs."""
    if request.path.startswith(API_PREFIXES):
        return _problem(404, "not_found", "There is nothing at this address.")
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponseBase:
    """The same for what nobody foresaw; the details are in the log."""
    if request.path.startswith(API_PREFIXES):
        return _problem(500, "internal", "Something broke here; it has been logged.")
    return defaults.server_error(request)


def _problem(status: int, code: str, message: str) -> JsonResponse:
    return JsonResponse(
        problem(status, code, message), status=status, content_type=PROBLEM_TYPE
    )


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return f"database: {type(error).__name__}"
    return ""


def _queue() -> str:
    if not settings.REDIS_URL:
        return ""
    import redis  # noqa: PLC0415  # only where there is one

    try:
        redis.Redis.from_url(settings.REDIS_URL, socket_timeout=2).ping()
    except redis.RedisError as error:
        return f"queue: {type(error).__name__}"
    return ""
