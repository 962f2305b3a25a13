"""Campaigns: which there are, how far they are, who is in them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.forms import CampaignForm
from annotation.models import Campaign, Rater
from annotation.selectors.campaigns import (
    campaigns_for,
    candidates_for,
    latest_of,
    may_manage,
    paces_of,
    progress_of,
    rater_for,
)
from annotation.services.campaigns import (
    LABELLERS,
    MOVES,
    CampaignError,
    add_rater,
    deactivate_rater,
    move,
)
from annotation.services.choosing import make_campaign
from annotation.views.people import person
from traces.models import Membership, Project
from traces.views.access import demand, in_project, reader_of

MANAGERS = frozenset(
    {Membership.Role.ADMIN, Membership.Role.STEWARD, Membership.Role.ENGINEER}
)


@require_GET
@in_project()
def campaign_list(request: HttpRequest, project: Project) -> HttpResponse:
    """Campaigns that the reader may see, newest first."""
    found = campaigns_for(request.user, project)
    rows = [(one, progress_of(one), rater_for(person(request), one)) for one in found]
    context = {
        "project": project,
        "rows": rows,
        "may_manage": may_manage(request.user, project),
    }
    return render(request, "annotation/campaigns.html", context)


@require_http_methods(["GET", "POST"])
@in_project(MANAGERS)
def new(request: HttpRequest, project: Project) -> HttpResponse:
    """Choose traces, rules and people; nothing is open before it is opened."""
    form = CampaignForm(request.POST or None, project=project)
    if request.method == "POST" and form.is_valid():
        try:
            campaign = make_campaign(
                project=project,
                wish=form.wish(reader_of(request)),
                actor=request.user,
                now=timezone.now(),
            )
        except CampaignError as error:
            form.add_error(None, str(error))
        else:
            return redirect("campaign", project.slug, campaign.pk)
    context = {"project": project, "form": form}
    status = 422 if form.errors else 200
    return render(request, "annotation/new.html", context, status=status)


@require_GET
@in_project()
def campaign(request: HttpRequest, project: Project, campaign: int) -> HttpResponse:
    """Rules, progress, people; for a rater, the way to the next task."""
    found = _found(request, project, campaign)
    manages = may_manage(request.user, project)
    context: dict[str, Any] = {
        "project": project,
        "campaign": found,
        "progress": progress_of(found),
        "rater": rater_for(person(request), found),
        "latest": latest_of(person(request), found),
        "may_manage": manages,
        "raters": paces_of(found) if manages else [],
        "candidates": candidates_for(found, LABELLERS) if manages else [],
        "moves": [name for name, (before, _) in MOVES.items() if found.state in before],
    }
    return render(request, "annotation/campaign.html", context)


@require_POST
@in_project(MANAGERS)
def turn(request: HttpRequest, project: Project, campaign: int) -> HttpResponse:
    """Open, pause or close."""
    found = _found(request, project, campaign)
    to = request.POST.get("to", "")
    if to not in MOVES:
        raise Http404
    try:
        move(campaign=found, to=to, actor=request.user, now=timezone.now())
    except CampaignError as error:
        messages.error(request, str(error))
    return redirect("campaign", project.slug, campaign)


@require_POST
@in_project(MANAGERS)
def join(request: HttpRequest, project: Project, campaign: int) -> HttpResponse:
    """Let a member label."""
    found = _found(request, project, campaign)
    user = get_object_or_404(User, pk=request.POST.get("user") or 0)
    try:
        add_rater(campaign=found, user=user, actor=request.user, now=timezone.now())
    except CampaignError as error:
        messages.error(request, str(error))
    return redirect("campaign", project.slug, campaign)


@require_POST
@in_project(MANAGERS)
def leave(
    request: HttpRequest, project: Project, campaign: int, rater: int
) -> HttpResponse:
    """Let a rater leave; what they said stays."""
    demand(request, project, MANAGERS)
    found = _found(request, project, campaign)
    who = get_object_or_404(Rater, campaign=found, pk=rater)
    deactivate_rater(rater=who, actor=request.user, now=timezone.now())
    messages.success(request, f"{who.user} gets no further tasks. Their labels stay.")
    return redirect("campaign", project.slug, campaign)


def _found(request: HttpRequest, project: Project, pk: int) -> Campaign:
    found = campaigns_for(request.user, project).filter(pk=pk).first()
    if found is None:
        raise Http404
    return found
