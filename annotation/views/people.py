"""Who a request comes from."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest


def person(request: HttpRequest) -> User:
    """The signed-in person.

    Raises:
        Http404: Nobody is signed in.
    """
    if not isinstance(request.user, User):
        raise Http404
    return request.user
