"""Addresses of judged traces and steps in the API."""

from django.urls import path

from judging import api

urlpatterns = [
    path("traces/<str:trace_id>/graph", api.trace_graph, name="api-trace-graph"),
    path("steps/<str:key>", api.step, name="api-step"),
]
