"""All addresses of the product, app by app."""

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView

from agenteval_web import views

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
    path("api/schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("api/v1/", include("annotation.api_urls")),
    path("api/v1/", include("judging.api_urls")),
    path("", include("traces.urls")),
    path("", include("judging.page_urls")),
    path("", include("judging.reference_urls")),
    path("", include("annotation.page_urls")),
    path("", include("traces.page_urls")),
]
handler404 = "agenteval_web.views.not_found"
handler500 = "agenteval_web.views.server_error"
