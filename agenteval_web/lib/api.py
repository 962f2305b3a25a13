"""The one shape of errors that all operations of the API share."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework.exceptions import APIException, ErrorDetail
from rest_framework.exceptions import NotFound as ApiNotFound
from rest_framework.exceptions import PermissionDenied as ApiPermissionDenied
from rest_framework.response import Response
from rest_framework.views import set_rollback

PROBLEM_TYPE = "application/problem+json"
MOST_DETAILS = 100


def handle_error(error: Exception, context: dict[str, Any]) -> Response | None:
    """Answer an exception of an API view; None for what nobody foresaw.

    Args:
        error: What was raised.
        context: What DRF tells about the view; not used.
    """
    del context
    known = _as_api_error(error)
    if known is None:
        return None
    set_rollback()
    return Response(
        problem(known.status_code, _code(known), _message(known), details_of(known)),
        status=known.status_code,
        headers=_headers(known),
        content_type=PROBLEM_TYPE,
    )


def problem(
    status: int, code: str, message: str, details: list[dict[str, Any]] | None = None
) -> dict[str, Any]:
    """The body of an error: our ``error`` member in a problem of RFC 9457.

    Args:
        status: HTTP status.
        code: What programs look at: ``not_found``, ``invalid`` ...
        message: One sentence for people.
        details: What is wrong in detail, each with ``field`` and ``message``.
    """
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": message,
        "error": {"code": code, "message": message, "details": details or []},
    }


def details_of(error: APIException) -> list[dict[str, Any]]:
    """Every single fault with the field it is in, in a stable order.

    Nested fields are joined by dots (``steps.3.score``), at most
    ``MOST_DETAILS`` faults are named.
    """
    found: list[dict[str, Any]] = []
    if isinstance(error.detail, ErrorDetail):
        return found
    waiting: list[tuple[str, Any]] = [("", error.detail)]
    while waiting and len(found) < MOST_DETAILS:
        field, detail = waiting.pop()
        if isinstance(detail, dict):
            children = [(_join(field, key), value) for key, value in detail.items()]
        elif isinstance(detail, list) and not _is_flat(detail):
            children = [(_join(field, n), value) for n, value in enumerate(detail)]
        elif isinstance(detail, list):
            children = [(field, value) for value in detail]
        else:
            found.append(
                {"field": field, "code": _code_of(detail), "message": str(detail)}
            )
            continue
        waiting.extend(reversed(children))
    return found


def _as_api_error(error: Exception) -> APIException | None:
    if isinstance(error, APIException):
        return error
    if isinstance(error, Http404):
        return ApiNotFound()
    if isinstance(error, PermissionDenied):
        return ApiPermissionDenied()
    return None


def _code(error: APIException) -> str:
    found = error.get_codes()
    return found if isinstance(found, str) else error.default_code


def _message(error: APIException) -> str:
    if isinstance(error.detail, ErrorDetail):
        return str(error.detail)
    first = next(iter(details_of(error)), None)
    if first is None:
        return str(error.default_detail)
    return f"{first['field']}: {first['message']}".removeprefix(": ")


def _code_of(detail: Any) -> str:
    return getattr(detail, "code", None) or "invalid"


def _is_flat(details: list[Any]) -> bool:
    return not any(isinstance(detail, (dict, list)) for detail in details)


def _join(field: str, key: Any) -> str:
    """Name of a field inside another; faults of the whole have no name."""
    return field if key == "non_field_errors" else f"{field}.{key}".lstrip(".")


def _headers(error: APIException) -> dict[str, str]:
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = str(challenge)
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(max(1, round(wait)))
    return headers
