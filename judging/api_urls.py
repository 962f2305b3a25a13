"""Addresses of judged traces and steps in the API."""

from django.urls import path

from judging import api
from traces.converters import SenderId as SenderId  # registers <sender:>

urlpatterns = [
    path("traces/<sender:trace_id>/graph", api.trace_graph, name="api-trace-graph"),
    path("steps/<str:key>", api.step, name="api-step"),
]
