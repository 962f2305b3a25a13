"""What operators ask: alive, ready, how much."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from judging.services.digesting import count_waiting
from traces.models import Project


@require_GET
@login_not_required
def healthz(request: HttpRequest) -> HttpResponse:
    """The process answers."""
    del request
    return JsonResponse({"status": "ok"})


@require_GET
@login_not_required
def readyz(request: HttpRequest) -> HttpResponse:
    """Database and queue can be reached."""
    del request
    problems = [problem for problem in (_database(), _queue()) if problem]
    state = "unavailable" if problems else "ready"
    return JsonResponse(
        {"status": state, "problems": problems}, status=503 if problems else 200
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


@require_GET
@login_not_required
def metrics(request: HttpRequest) -> HttpResponse:
    """Counters in the text form that Prometheus reads."""
    del request
    from prometheus_client import (  # noqa: PLC0415  # loaded when first asked
        CONTENT_TYPE_LATEST,
        CollectorRegistry,
        Gauge,
        generate_latest,
    )

    registry = CollectorRegistry()
    totals = Project.objects.aggregate(
        traces=Sum("trace_count"),
        spans=Sum("span_count"),
        steps=Sum("step_count"),
        rejects=Sum("reject_count"),
    )
    for name, value in totals.items():
        gauge = Gauge(f"agenteval_{name}", f"Stored {name}", registry=registry)
        gauge.set(value or 0)
    waiting = Gauge("agenteval_waiting", "Traces that wait", registry=registry)
    waiting.set(count_waiting(quiet_before=timezone.now() - timedelta(seconds=5)))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)
