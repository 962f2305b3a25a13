"""Links that sign a person in without a password.

A link works once and only for a while. Following it (GET) signs in directly:
one click is what a person on their own machine expects. HEAD and prefetching
must not reach ``use_sign_in_link``; the view sees to that. Only the digest of
a link is stored, and links are looked up by it, so that timing tells nothing.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from django.contrib.auth.models import User

from traces.models import SignInLink

LASTS = timedelta(minutes=15)
LASTS_AT_START = timedelta(days=1)
"""For the link that a start prints: it may stand in a terminal for a while."""
LONGEST = 100


def create_sign_in_link(*, user: User, now: datetime, lasts: timedelta = LASTS) -> str:
    """Make a link for a person; the secret part is in the answer only."""
    raw = secrets.token_urlsafe(32)
    SignInLink.objects.create(
        user=user, digest=_digest(raw), created_at=now, expires_at=now + lasts
    )
    SignInLink.objects.filter(expires_at__lt=now - LASTS_AT_START).delete()
    return raw


def use_sign_in_link(token: str, now: datetime) -> User | None:
    """The person a link is for; None if it was used, is too old or unknown."""
    if len(token) > LONGEST:
        return None
    links = SignInLink.objects.filter(digest=_digest(token), expires_at__gt=now)
    # Conditional, so that of two who follow it at once only one gets in.
    if not links.filter(used_at__isnull=True, user__is_active=True).update(used_at=now):
        return None
    return links.select_related("user").get().user


def _digest(raw: str) -> str:
    return hashlib.sha256(raw.encode("utf-8", "replace")).hexdigest()
