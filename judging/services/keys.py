"""Secrets of judges' endpoints: each is only ever sent to its own endpoint.

A key from the environment belongs to the endpoint of the environment. Keys that
people enter are stored encrypted under a key derived from ``SECRET_KEY``.
"""

from __future__ import annotations

import base64
from datetime import datetime

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import transaction

from judging.models import JudgeKey
from traces.models import Project
from traces.services.projects import Actor, audit

PURPOSE = b"agenteval judge key"
SHOWN = 4
"""Last characters of a key that people see, to tell keys apart."""


class UnreadableKeyError(Exception):
    """The key was stored under another ``SECRET_KEY``."""


def key_for(*, project: Project, base_url: str) -> str:
    """The key for an endpoint, "" if there is none.

    Raises:
        UnreadableKeyError: It has to be entered again.
    """
    row = JudgeKey.objects.filter(project=project, base_url=base_url).first()
    if row is not None:
        try:
            return _cipher().decrypt(bytes(row.secret)).decode()
        except InvalidToken as error:
            raise UnreadableKeyError(base_url) from error
    own = base_url in ("", settings.OPENAI_BASE_URL)
    return str(settings.OPENAI_API_KEY) if own else ""


@transaction.atomic
def save_key(
    *, project: Project, base_url: str, secret: str, actor: Actor, now: datetime
) -> JudgeKey:
    """Store a key, in place of the endpoint's earlier one."""
    row, _ = JudgeKey.objects.update_or_create(
        project=project,
        base_url=base_url,
        defaults={
            "secret": _cipher().encrypt(secret.encode()),
            "hint": secret[-SHOWN:] if len(secret) > 4 * SHOWN else "",
            "created_at": now,
        },
    )
    audit(project=project, actor=actor, verb="save_key", target=base_url, now=now)
    return row


@transaction.atomic
def delete_key(*, key: JudgeKey, actor: Actor, now: datetime) -> None:
    """Forget a key."""
    audit(
        project=key.project,
        actor=actor,
        verb="delete_key",
        target=key.base_url,
        now=now,
    )
    key.delete()


def _cipher() -> Fernet:
    derived = HKDF(SHA256(), length=32, salt=None, info=PURPOSE)
    return Fernet(
        base64.urlsafe_b64encode(derived.derive(settings.SECRET_KEY.encode()))
    )
