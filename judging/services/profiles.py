"""Profiles and their versions: read, changed by adding, never rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction

from judging.domain.profile import read_profile
from judging.domain.settings import DEFAULT
from judging.models import Profile, ProfileVersion
from judging.services.defaults import digest_of, ensure_profile, settings_content
from traces.models import Project
from traces.services.projects import Actor, audit

CONFIGURED = "model-judge"
"""Slug of the profile that the environment's judges make."""


def ensure_configured(*, project: Project, now: datetime) -> ProfileVersion | None:
    """The profile of the judges that the environment names, None if it names none.

    It is made once; from then on people edit it like any other.
    """
    ensure_profile(project=project, now=now)
    found = _newest(project, CONFIGURED)
    if found is not None or not settings.AGENTEVAL_JUDGE_MODELS:
        return found
    tiers = [_tier(entry) for entry in settings.AGENTEVAL_JUDGE_MODELS]
    content = settings_content(DEFAULT) | {"judge": "model", "tiers": tiers}
    return save_profile(
        project=project,
        slug=CONFIGURED,
        name="Model judge",
        content=content,
        actor=None,
        now=now,
    )


def _tier(entry: str) -> dict[str, Any]:
    """``model`` or ``model@https://host/v1``."""
    model, _, base_url = entry.partition("@")
    return {"model": model, "base_url": base_url or settings.OPENAI_BASE_URL}


def save_profile(
    *,
    project: Project,
    slug: str,
    name: str,
    content: Mapping[str, Any],
    actor: Actor,
    now: datetime,
) -> ProfileVersion:
    """Store content as the newest version of a profile, made if missing.

    Content equal to the newest version's makes no further version.

    Raises:
        ProfileError: The content is impossible.
    """
    read_profile(content)
    digest = digest_of(content)
    with transaction.atomic():
        profile, made = Profile.objects.get_or_create(
            project=project, slug=slug, defaults={"name": name}
        )
        if not made and profile.name != name:
            Profile.objects.filter(pk=profile.pk).update(name=name)
        # The lock on the profile lets two people's versions get two numbers.
        Profile.objects.select_for_update().get(pk=profile.pk)
        newest = profile.versions.order_by("-number").first()
        if newest is not None and newest.digest == digest:
            return newest
        version = ProfileVersion.objects.create(
            profile=profile,
            number=newest.number + 1 if newest else 1,
            content=dict(content),
            digest=digest,
            created_at=now,
        )
        audit(
            project=project,
            actor=actor,
            verb="save_profile",
            target=f"{slug} v{version.number}",
            now=now,
            detail={"digest": digest},
        )
    return version


def _newest(project: Project, slug: str) -> ProfileVersion | None:
    rows = ProfileVersion.objects.filter(profile__project=project, profile__slug=slug)
    return rows.select_related("profile").order_by("-number").first()
