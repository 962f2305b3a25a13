"""Who speaks to the API: a program by its token."""

from __future__ import annotations

from typing import Any

from django.db import OperationalError
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from traces.models import ApiToken
from traces.services.tokens import authenticate, note_use, secret_in


class Program:
    """Stands in for a person where a token was given."""

    is_authenticated = True
    is_anonymous = False
    is_active = True
    is_staff = is_superuser = False
    pk = None


class TokenAuthentication(BaseAuthentication):
    """``Authorization: Bearer``, Basic with the token as password, ``x-api-key``."""

    def authenticate(self, request: Request) -> tuple[Program, ApiToken] | None:
        """The token, None without one, so that a session may do."""
        secret = secret_in(
            request.headers.get("authorization", ""),
            request.headers.get("x-api-key", ""),
        )
        if not secret:
            return None
        now = timezone.now()
        token = authenticate(secret, now)
        if token is None:
            raise AuthenticationFailed("The token is unknown, revoked or expired.")
        try:
            note_use([token], now)
        except OperationalError:
            # A busy database must not keep anybody from reading.
            token.last_used_at = None
        return Program(), token

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        del request
        return 'Bearer realm="AgentEval"'


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Tells the API's document about tokens."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        """A bearer token."""
        del auto_schema
        return {"type": "http", "scheme": "bearer"}
