"""Tokens: how programs prove which project they may use, and for what.

A token is ``ae_`` and 256 random bits in base 62. Only its SHA-256 is stored:
that many random bits need no slow hash.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import string
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from traces.models import ApiToken, Project
from traces.services.projects import Actor, audit, person

PREFIX = "ae_"
SHOWN = 9
LONGEST = 100
ALPHABET = string.digits + string.ascii_letters
DIGITS = 43

SENDERS = frozenset({ApiToken.Scope.INGEST, ApiToken.Scope.ADMIN})
"""Scopes of tokens that may send traces."""

BELIEVED = timedelta(seconds=5)
"""How long a token is believed without asking the database: the longest that a
revoked token works on."""
MOST_BELIEVED = 1_000
NOTED_EVERY = timedelta(minutes=1)

_believed: dict[str, tuple[datetime, ApiToken]] = {}


def issue_token(
    *,
    project: Project,
    name: str,
    scope: str,
    actor: Actor,
    now: datetime,
    expires_at: datetime | None = None,
) -> tuple[ApiToken, str]:
    """Make a token; its secret is in the answer and nowhere else."""
    raw = PREFIX + _random()
    with transaction.atomic():
        token = ApiToken.objects.create(
            project=project,
            name=name,
            prefix=raw[:SHOWN],
            digest=_digest(raw),
            scope=ApiToken.Scope(scope),
            created_by=person(actor),
            created_at=now,
            expires_at=expires_at,
        )
        audit(
            project=project,
            actor=actor,
            verb="issue_token",
            target=f"{name} ({token.prefix}…)",
            now=now,
            detail={"scope": token.scope},
        )
    return token, raw


def revoke_token(*, token: ApiToken, actor: Actor, now: datetime) -> None:
    """End a token: at once in this process, within seconds in others."""
    with transaction.atomic():
        open_tokens = ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True)
        if open_tokens.update(revoked_at=now):
            audit(
                project=token.project,
                actor=actor,
                verb="revoke_token",
                target=f"{token.name} ({token.prefix}…)",
                now=now,
            )
    _believed.pop(token.digest, None)


def secret_in(authorization: str, api_key: str = "") -> str:
    """The secret that a request's headers carry, "" if none.

    Args:
        authorization: ``Bearer SECRET``, or Basic with the secret as password:
            what Langfuse clients send; their public key is ignored.
        api_key: The ``x-api-key`` header.
    """
    kind, _space, value = authorization.strip().partition(" ")
    value = value.strip()
    if kind.casefold() == "bearer":
        return value
    if kind.casefold() == "basic":
        return _password(value)
    return api_key.strip()


def _password(encoded: str) -> str:
    try:
        text = base64.b64decode(encoded, validate=True).decode()
    except ValueError:
        return ""
    return text.partition(":")[2]


def believed(raw: str, now: datetime) -> ApiToken | None:
    """The token of a secret if it was looked up just now; no database."""
    since, token = _believed.get(_digest(raw), (None, None))
    if since is None or not since <= now < since + BELIEVED:
        return None
    return token if token is not None and _valid(token, now) else None


def authenticate(raw: str, now: datetime) -> ApiToken | None:
    """The valid token of a secret with its project, None if there is none."""
    known = believed(raw, now)
    if known is not None:
        return known
    if not raw.startswith(PREFIX) or len(raw) > LONGEST:
        return None
    digest = _digest(raw)
    found = ApiToken.objects.select_related("project").filter(digest=digest).first()
    if found is None or not _valid(found, now):
        return None
    if len(_believed) >= MOST_BELIEVED:
        _believed.clear()
    _believed[digest] = (now, found)
    return found


def still_there(token: ApiToken) -> bool:
    """Whether a token, and with it its project, hasn't been deleted since."""
    _believed.pop(token.digest, None)
    return ApiToken.objects.filter(pk=token.pk).exists()


def use_is_due(token: ApiToken, now: datetime) -> bool:
    """Whether the token's last use is long enough ago to be noted again."""
    return token.last_used_at is None or now >= token.last_used_at + NOTED_EVERY


def note_use(tokens: Iterable[ApiToken], now: datetime) -> None:
    """Note that tokens were used, at most once in ``NOTED_EVERY`` each."""
    due = [token for token in tokens if use_is_due(token, now)]
    if not due:
        return
    for token in due:
        token.last_used_at = now
    late = Q(last_used_at__isnull=True) | Q(last_used_at__lte=now - NOTED_EVERY)
    pks = [token.pk for token in due]
    ApiToken.objects.filter(late, pk__in=pks).update(last_used_at=now)


def _valid(token: ApiToken, now: datetime) -> bool:
    ended = token.expires_at is not None and token.expires_at <= now
    return token.revoked_at is None and not ended


def _digest(raw: str) -> str:
    return hashlib.sha256(raw.encode("utf-8", "replace")).hexdigest()


def _random() -> str:
    """256 random bits, always in ``DIGITS`` characters."""
    number = secrets.randbits(256)
    digits = []
    for _place in range(DIGITS):
        number, digit = divmod(number, len(ALPHABET))
        digits.append(ALPHABET[digit])
    return "".join(digits)
