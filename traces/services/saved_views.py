"""Keeping and forgetting views of the trace list."""

from __future__ import annotations

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from traces.models import Project, SavedView
from traces.services.cleaning import clean_text

MOST = 50
"""Views a person keeps in a project; a menu has no room for more."""


class NotKeptError(Exception):
    """A view can't be kept; says why."""


def save_view(
    *, project: Project, user: User, name: str, query: str, now: datetime
) -> SavedView:
    """Keep a view; another of the same name gives way to it.

    Raises:
        NotKeptError: The name is empty, or there are ``MOST`` already.
    """
    name = " ".join(clean_text(name).split())[:100]
    if not name:
        raise NotKeptError("A view needs a name.")
    with transaction.atomic():
        own = SavedView.objects.filter(project=project, user=user)
        if not own.filter(name=name).exists() and own.count() >= MOST:
            raise NotKeptError(f"There are {MOST} views already: delete one first.")
        view, _made = SavedView.objects.update_or_create(
            project=project,
            user=user,
            name=name,
            defaults={"query": query, "created_at": now},
        )
    return view


def delete_view(*, project: Project, user: User, pk: int) -> bool:
    """Forget a view; whether it was there and theirs."""
    found = SavedView.objects.filter(project=project, user=user, pk=pk)
    return bool(found.delete()[0])
