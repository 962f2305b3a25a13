"""Addresses of campaigns and of the labelling workspace."""

from django.urls import path

from annotation.views import campaigns, workspace

CAMPAIGN = "p/<slug:project>/campaigns/<int:campaign>/"

urlpatterns = [
    path("p/<slug:project>/campaigns/", campaigns.campaign_list, name="campaigns"),
    path("p/<slug:project>/campaigns/new/", campaigns.new, name="campaign-new"),
    path("p/<slug:project>/look/", workspace.look, name="look"),
    path(CAMPAIGN, campaigns.campaign, name="campaign"),
    path(f"{CAMPAIGN}turn/", campaigns.turn, name="campaign-turn"),
    path(f"{CAMPAIGN}join/", campaigns.join, name="campaign-join"),
    path(f"{CAMPAIGN}leave/<int:rater>/", campaigns.leave, name="campaign-leave"),
    path(f"{CAMPAIGN}next/", workspace.next_task, name="label-next"),
    path(f"{CAMPAIGN}nothing/", workspace.nothing, name="label-nothing"),
    path(f"{CAMPAIGN}label/<int:assignment>/", workspace.label, name="label"),
]
