"""Addresses of the taxonomy and of the list of checks."""

from django.urls import path

from judging import reference_views

urlpatterns = [
    path("p/<slug:project>/taxonomy/", reference_views.taxonomy, name="taxonomy"),
    path("p/<slug:project>/checks/", reference_views.checks, name="checks"),
]
