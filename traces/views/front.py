"""The front door: projects, signing in and out, preferences, help pages."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from agenteval_web.lib.documents import document
from traces.forms import ProjectForm
from traces.selectors import project_for, projects_for
from traces.services.accounts import use_sign_in_link
from traces.services.projects import create_project
from traces.views.access import PROJECT_COOKIE, YEAR

CHOICES = {"theme": {"auto", "light", "dark"}, "keys": {"on", "off"}}


@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Go to the last project, else to the only one, else to the choice."""
    last = project_for(request.user, request.COOKIES.get(PROJECT_COOKIE, ""))
    if last:
        return redirect("overview", last.slug)
    known = list(projects_for(request.user)[:2])
    if len(known) == 1:
        return redirect("overview", known[0].slug)
    return redirect("projects")


def projects(request: HttpRequest) -> HttpResponse:
    """All projects of the reader, and a form for a new one."""
    form = ProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        project = create_project(
            **form.cleaned_data, actor=request.user, now=timezone.now()
        )
        messages.success(request, f"Project {project.name} is ready.")
        return redirect("overview", project.slug)
    context = {"form": form, "projects": projects_for(request.user)}
    return render(request, "pages/projects.html", context)


@login_not_required
@never_cache
@require_GET
def sign_in_link(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in by a link that works once; looking ahead doesn't use it up."""
    if "prefetch" in request.headers.get("Sec-Purpose", ""):
        return HttpResponse(status=204)
    user = use_sign_in_link(token, timezone.now())
    if user is None:
        if request.user.is_authenticated:
            return redirect("home")
        return render(request, "pages/link_used.html", status=403)
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return redirect("home")


@login_not_required
@require_POST
def preferences(request: HttpRequest) -> HttpResponse:
    """Remember colours and keyboard shortcuts, and go back."""
    back = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(back, {request.get_host()}):
        back = "/"
    response = redirect(back)
    for name, allowed in CHOICES.items():
        if request.POST.get(name) in allowed:
            response.set_cookie(name, request.POST[name], YEAR, samesite="Lax")
    return response


@login_not_required
@require_GET
def docs(request: HttpRequest, name: str) -> HttpResponse:
    """A page of the documentation, as help inside the product."""
    found = document(name)
    if found is None:
        raise Http404
    return render(request, "pages/document.html", {"document": found})
