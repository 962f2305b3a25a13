"""Addresses of the taxonomy and of the list of checks."""

from django.urls import path

from judging.views import reference

urlpatterns = [
    path("p/<slug:project>/taxonomy/", reference.taxonomy, name="taxonomy"),
    path("p/<slug:project>/checks/", reference.checks, name="checks"),
]
