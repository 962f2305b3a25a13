"""What every project starts with: the shipped taxonomy and profile."""

from __future__ import annotations

import hashlib
import json
import tomllib
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from django.db import transaction

from judging.domain.settings import DEFAULT, Settings
from judging.domain.taxonomy import Taxonomy as Tree
from judging.domain.taxonomy import parse
from judging.models import Profile, ProfileVersion, Taxonomy, TaxonomyVersion
from traces.models import Project

SHIPPED = Path(__file__).parent.parent / "taxonomy" / "v1.toml"


@cache
def shipped_taxonomy() -> Tree:
    """The 3/9/21 taxonomy that comes with the product."""
    return parse(tomllib.loads(SHIPPED.read_text("utf-8")))


def settings_content(settings: Settings) -> dict[str, Any]:
    """Profile settings as JSON; ``read_settings`` reads them back."""
    return {
        "judge": "rules",
        "metrics": {name: list(found) for name, found in settings.metrics.items()},
        "thresholds": dict(settings.thresholds),
        "combine": "mean",
        "strategy": settings.strategy,
        "rival_gap": settings.rival_gap,
        "long_chain": settings.long_chain,
        "near_threshold": settings.near_threshold,
        "weak_link": settings.weak_link,
    }


def read_settings(content: dict[str, Any]) -> Settings:
    """Settings of a profile version."""
    return Settings(
        metrics={name: tuple(found) for name, found in content["metrics"].items()},
        thresholds=content["thresholds"],
        strategy=content["strategy"],
        rival_gap=content["rival_gap"],
        long_chain=content["long_chain"],
        near_threshold=content["near_threshold"],
        weak_link=content["weak_link"],
    )


def ensure_profile(*, project: Project, now: datetime) -> ProfileVersion:
    """The newest version of the project's default profile; made if missing."""
    version = _newest_profile(project)
    if version is not None:
        return version
    with transaction.atomic():
        profile, _ = Profile.objects.get_or_create(
            project=project,
            slug="offline",
            defaults={"name": "Offline checks", "is_default": True},
        )
        content = settings_content(DEFAULT)
        version, _ = ProfileVersion.objects.get_or_create(
            profile=profile,
            number=1,
            defaults={
                "content": content,
                "digest": digest_of(content),
                "created_at": now,
            },
        )
    return version


def _newest_profile(project: Project) -> ProfileVersion | None:
    return (
        ProfileVersion.objects.filter(
            profile__project=project, profile__is_default=True
        )
        .order_by("-number")
        .first()
    )


def ensure_taxonomy(*, project: Project, now: datetime) -> TaxonomyVersion:
    """The newest version of the project's taxonomy; the shipped one if none."""
    version = (
        TaxonomyVersion.objects.filter(taxonomy__project=project)
        .order_by("-created_at", "-pk")
        .first()
    )
    if version is not None:
        return version
    tree = shipped_taxonomy()
    with transaction.atomic():
        taxonomy, _ = Taxonomy.objects.get_or_create(
            project=project, defaults={"name": tree.name}
        )
        version, _ = TaxonomyVersion.objects.get_or_create(
            taxonomy=taxonomy,
            number=tree.version,
            defaults={
                "content": tree.content(),
                "digest": tree.digest,
                "created_at": now,
            },
        )
    return version


def digest_of(content: Any) -> str:
    """32 hex digits over JSON content."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
