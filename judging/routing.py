"""Addresses of live updates."""

from django.urls import path

import traces.converters  # noqa: F401  # registers ``sender``
from judging import consumers

websocket_urlpatterns = [
    path("ws/p/<slug:project>/evaluations/", consumers.ProjectFollower.as_asgi()),
    path("ws/p/<slug:project>/batches/<int:batch>/", consumers.BatchFollower.as_asgi()),
    path(
        "ws/p/<slug:project>/traces/<sender:trace_id>/",
        consumers.TraceFollower.as_asgi(),
    ),
]
