"""Addresses of campaigns and labelling in the API."""

from django.urls import path

from annotation import api

urlpatterns = [
    path("campaigns", api.campaigns, name="api-campaigns"),
    path("campaigns/<int:campaign>", api.campaign, name="api-campaign"),
    path("campaigns/<int:campaign>/next", api.next_task, name="api-campaign-next"),
    path("assignments/<int:assignment>", api.assignment, name="api-assignment"),
    path("assignments/<int:assignment>/drafts/<int:item>", api.draft, name="api-draft"),
    path("assignments/<int:assignment>/renew", api.renew, name="api-renew"),
    path("assignments/<int:assignment>/release", api.release, name="api-release"),
    path("assignments/<int:assignment>/submit", api.submit, name="api-submit"),
    path("assignments/<int:assignment>/skip", api.skip, name="api-skip"),
]
