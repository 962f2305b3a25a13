"""Addresses of the pages around the trace page."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from traces.views import front, intake, listing, overview, review, saved, settings

urlpatterns = [
    path("", front.home, name="home"),
    path("projects/", front.projects, name="projects"),
    path(
        "sign-in/",
        LoginView.as_view(
            template_name="pages/sign_in.html", redirect_authenticated_user=True
        ),
        name="sign-in",
    ),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
    path("sign-in/<str:token>/", front.sign_in_link, name="sign-in-link"),
    path("preferences/", front.preferences, name="preferences"),
    path("docs/<slug:name>/", front.docs, name="docs"),
    path("p/<slug:project>/", overview.overview, name="overview"),
    path("p/<slug:project>/traces/", listing.trace_list, name="traces"),
    path("p/<slug:project>/newer/", listing.newer, name="traces-newer"),
    path("p/<slug:project>/delete/", listing.delete, name="traces-delete"),
    path("p/<slug:project>/views/", saved.save, name="view-save"),
    path("p/<slug:project>/views/<int:view>/delete/", saved.delete, name="view-delete"),
    path("p/<slug:project>/upload/", intake.upload, name="upload"),
    path("p/<slug:project>/review/", review.review, name="review"),
    path("p/<slug:project>/settings/", settings.general, name="settings"),
    path("p/<slug:project>/settings/tokens/", settings.token_list, name="tokens"),
    path(
        "p/<slug:project>/settings/tokens/<int:token>/revoke/",
        settings.token_revoke,
        name="token-revoke",
    ),
    path("p/<slug:project>/settings/ingestion/", intake.ingestion, name="ingestion"),
]
