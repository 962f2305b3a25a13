"""Addresses of what senders and programs use."""

from django.urls import include, path

from traces.otlp_views import otlp_traces

urlpatterns = [
    path("v1/traces", otlp_traces, name="otlp"),
    path("api/public/otel/v1/traces", otlp_traces, name="otlp-langfuse"),
    path("api/v1/", include("traces.api_urls")),
]
