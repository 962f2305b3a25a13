"""Addresses of the API, below ``/api/v1/``."""

from django.urls import path

import traces.converters  # noqa: F401  # registers <sender:>
from traces import api

urlpatterns = [
    path("projects/<slug:slug>/stats", api.project_stats, name="api-project-stats"),
    path("traces", api.trace_list, name="api-traces"),
    path("traces/import", api.TracesImport.as_view(), name="api-traces-import"),
    path("traces/<sender:trace_id>", api.trace_detail, name="api-trace"),
]
