"""One shape for every error of the API."""

import pytest
from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions

from agenteval_web.lib.api import MOST_DETAILS, handle_error


def answer(error):
    response = handle_error(error, {})
    assert response.content_type == "application/problem+json"
    assert response.data["status"] == response.status_code
    assert response.data["detail"] == response.data["error"]["message"]
    return response


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Http404(), 404, "not_found"),
        (PermissionDenied(), 403, "permission_denied"),
        (exceptions.NotAuthenticated(), 401, "not_authenticated"),
        (exceptions.UnsupportedMediaType("text/x"), 415, "unsupported_media_type"),
        (exceptions.ParseError("what?"), 400, "parse_error"),
        (exceptions.ValidationError({"a": ["no"]}), 400, "invalid"),
    ],
)
def test_known_errors(error, status, code):
    response = answer(error)
    assert response.status_code == status
    assert response.data["error"]["code"] == code


def test_what_nobody_foresaw_is_left_to_the_server():
    assert handle_error(ZeroDivisionError(), {}) is None


def test_every_fault_is_named_with_its_field():
    error = exceptions.ValidationError(
        {
            "limit": ["too large", "not whole"],
            "steps": [{}, {"score": ["from 1 to 5"]}],
            "non_field_errors": ["both or none"],
        }
    )
    found = [(d["field"], d["message"]) for d in answer(error).data["error"]["details"]]
    assert found == [
        ("limit", "too large"),
        ("limit", "not whole"),
        ("steps.1.score", "from 1 to 5"),
        ("", "both or none"),
    ]
    assert answer(error).data["error"]["message"] == "limit: too large"


def test_the_number_of_details_is_bounded():
    error = exceptions.ValidationError({f"f{n}": ["no"] for n in range(1_000)})
    assert len(answer(error).data["error"]["details"]) == MOST_DETAILS


def test_headers_tell_how_to_go_on():
    busy = answer(exceptions.Throttled(wait=2.6))
    assert busy["Retry-After"] == "3"
    refused = exceptions.NotAuthenticated()
    refused.auth_header = 'Bearer realm="AgentEval"'
    assert answer(refused)["WWW-Authenticate"] == 'Bearer realm="AgentEval"'
