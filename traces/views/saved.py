"""Keeping and forgetting views of the trace list."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from traces import list_page
from traces.models import Project
from traces.services.saved_views import NotKeptError, delete_view, save_view
from traces.views.access import in_project


@require_POST
@in_project()
def save(request: HttpRequest, project: Project) -> HttpResponse:
    """Keep the list's address under a name, and go back to it."""
    view = list_page.read_state(request.POST.dict()).view
    try:
        kept = save_view(
            project=project,
            user=cast("User", request.user),
            name=request.POST.get("name", ""),
            query=view,
            now=timezone.now(),
        )
        messages.success(request, f"Saved as “{kept.name}”.")
    except NotKeptError as error:
        messages.warning(request, str(error))
    return HttpResponseRedirect(f"{reverse('traces', args=(project.slug,))}?{view}")


@require_POST
@in_project()
def delete(request: HttpRequest, project: Project, view: int) -> HttpResponse:
    """Forget a view."""
    user = cast("User", request.user)
    if not delete_view(project=project, user=user, pk=view):
        raise Http404
    return redirect("traces", project.slug)
