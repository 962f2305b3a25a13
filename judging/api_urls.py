"""Addresses of judged traces and steps in the API."""

from django.urls import path

import traces.converters  # noqa: F401  # registers <sender:>
from judging import api

urlpatterns = [
    path("traces/<sender:trace_id>/graph", api.trace_graph, name="api-trace-graph"),
    path("steps/<str:key>", api.step, name="api-step"),
]
