"""Counters and gauges in the text form that Prometheus reads."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Sum
from prometheus_client import (
    CollectorRegistry,
    Gauge,
    ProcessCollector,
    generate_latest,
)

from judging.services.digesting import count_waiting
from traces.models import Project

TOTALS = {
    "traces": "Traces stored",
    "spans": "Spans stored",
    "steps": "Steps of all graphs",
    "rejects": "Spans and traces that were refused",
}


def exposition(now: datetime) -> bytes:
    """What is stored and what waits, over all projects, at this moment."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    totals = Project.objects.aggregate(
        traces=Sum("trace_count"),
        spans=Sum("span_count"),
        steps=Sum("step_count"),
        rejects=Sum("reject_count"),
    )
    for name, meaning in TOTALS.items():
        gauge = Gauge(f"agenteval_{name}", meaning, registry=registry)
        gauge.set(totals[name] or 0)
    waiting = Gauge(
        "agenteval_traces_waiting", "Traces that wait for a digest", registry=registry
    )
    waiting.set(count_waiting(quiet_before=now))
    return generate_latest(registry)
