"""Settings of a project: its name, and the tokens of its programs."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from traces.forms import ProjectSettingsForm, TokenForm
from traces.intake_selectors import tokens
from traces.models import Project
from traces.services.projects import update_project
from traces.services.tokens import issue_token, revoke_token
from traces.snippets import PLACEHOLDER, snippets
from traces.views.access import MANAGERS, demand, in_project, rights


@require_http_methods(["GET", "POST"])
@in_project()
def general(request: HttpRequest, project: Project) -> HttpResponse:
    """Name and description."""
    if request.method == "POST":
        demand(request, project, MANAGERS)
    form = ProjectSettingsForm(request.POST or None, instance=project)
    if form.is_valid():
        update_project(
            project=project,
            actor=request.user,
            now=timezone.now(),
            **form.cleaned_data,
        )
        messages.success(request, "Saved.")
        return redirect("settings", project.slug)
    context = {"project": project, "form": form} | rights(request, project)
    return render(request, "settings/general.html", context)


@never_cache
@require_http_methods(["GET", "POST"])
@in_project()
def token_list(request: HttpRequest, project: Project) -> HttpResponse:
    """Tokens; a new one is shown once, in the answer to its creation."""
    if request.method == "POST":
        demand(request, project, MANAGERS)
    form, secret = TokenForm(request.POST or None), ""
    if form.is_valid():
        form, secret = TokenForm(), _issue(request, project, form)
    base = request.build_absolute_uri("/")
    context = {
        "project": project,
        "form": form,
        "secret": secret,
        "now": timezone.now(),
        "tokens": tokens(project),
        "snippets": snippets(base, secret or PLACEHOLDER),
    }
    return render(request, "settings/tokens.html", context | rights(request, project))


def _issue(request: HttpRequest, project: Project, form: TokenForm) -> str:
    """Make the token that was asked for; its secret."""
    now = timezone.now()
    _token, secret = issue_token(
        project=project,
        name=form.cleaned_data["name"],
        scope=form.cleaned_data["scope"],
        expires_at=form.expires_at(now),
        actor=request.user,
        now=now,
    )
    return secret


@require_POST
@in_project(MANAGERS)
def token_revoke(request: HttpRequest, project: Project, token: int) -> HttpResponse:
    """Make a token useless, at once."""
    found = get_object_or_404(tokens(project), pk=token)
    revoke_token(token=found, actor=request.user, now=timezone.now())
    messages.success(request, f"{found.name} can no longer be used.")
    return redirect("tokens", project.slug)
