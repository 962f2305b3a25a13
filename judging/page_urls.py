"""Addresses of the trace page and its parts."""

from django.urls import path

import traces.converters  # noqa: F401  # registers <sender:>
from judging.views import trace as views

TRACE = "p/<slug:project>/traces/<sender:trace_id>/"

urlpatterns = [
    path(TRACE, views.trace_page, name="trace"),
    path(f"{TRACE}steps/<str:key>/", views.step_panel, name="trace-step"),
    path(f"{TRACE}diagnosis/", views.diagnosis, name="trace-diagnosis"),
    path(f"{TRACE}outline/", views.trace_outline, name="trace-outline"),
    path(f"{TRACE}drawing/", views.trace_drawing, name="trace-drawing"),
    path(f"{TRACE}graph.svg", views.trace_svg, name="trace-svg"),
]
