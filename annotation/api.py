"""Labelling over HTTP: what the workspace calls, and what programs read."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.http import Http404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import APIException, PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.domain.answer import AnswerError
from annotation.models import Assignment, Campaign, Draft
from annotation.selectors.campaigns import (
    assignment_for,
    campaign_seen,
    campaigns_for,
    item_in,
    progress_of,
    rater_for,
)
from annotation.services import labelling, queue
from traces.models import ApiToken
from traces.selectors import project_of

PROJECT = OpenApiParameter("project", str, description="Slug; a token implies its own")


class Conflict(APIException):
    """Somebody was faster; what stands now comes along."""

    status_code = 409
    default_code = "conflict"


class DraftIn(serializers.Serializer[Any]):
    """What has been typed so far."""

    content = serializers.DictField()
    version = serializers.IntegerField(min_value=0)
    active_ms = serializers.IntegerField(min_value=0, default=0)


class SubmitIn(serializers.Serializer[Any]):
    """Answers by item."""

    answers = serializers.DictField(child=serializers.DictField())
    active_ms = serializers.IntegerField(min_value=0, default=0)


class SkipIn(serializers.Serializer[Any]):
    """Why a task is left to others."""

    reason = serializers.ChoiceField(Assignment.Skip.choices)
    note = serializers.CharField(max_length=500, allow_blank=True, default="")


@extend_schema(
    operation_id="campaigns",
    parameters=[PROJECT],
    responses=OpenApiTypes.OBJECT,
    summary="Campaigns of a project",
)
@api_view(["GET"])
def campaigns(request: Request) -> Response:
    """Campaigns that the reader may see, newest first."""
    project = project_of(request, request.query_params.get("project"))
    found = campaigns_for(_viewer(request), project)
    return Response({"campaigns": [_campaign(one) for one in found]})


@extend_schema(
    operation_id="campaign",
    responses=OpenApiTypes.OBJECT,
    summary="One campaign with its progress",
)
@api_view(["GET"])
def campaign(request: Request, campaign: int) -> Response:
    """Rules, versions and progress."""
    return Response(_campaign(_seen(request, campaign)))


@extend_schema(
    operation_id="campaign_next",
    request=None,
    responses=OpenApiTypes.OBJECT,
    summary="The next task for the signed-in rater",
)
@api_view(["POST"])
def next_task(request: Request, campaign: int) -> Response:
    """Lease a task, or say why there is none."""
    rater = rater_for(_person(request), _seen(request, campaign))
    if rater is None:
        raise PermissionDenied("You are not one of this campaign's raters.")
    found = queue.next_task(rater=rater, now=timezone.now())
    if isinstance(found, queue.Nothing):
        nothing = {
            "reason": found.reason,
            "retry_at": found.retry_at,
            "left": found.left,
        }
        return Response({"assignment": None, "nothing": nothing})
    return Response({"assignment": _assignment(found), "nothing": None})


@extend_schema(
    operation_id="assignment",
    responses=OpenApiTypes.OBJECT,
    summary="An assignment of one's own",
)
@api_view(["GET"])
def assignment(request: Request, assignment: int) -> Response:
    """State, lease, items and drafts."""
    return Response(_assignment(_own(request, assignment)))


@extend_schema(
    operation_id="assignment_draft",
    request=DraftIn,
    responses=OpenApiTypes.OBJECT,
    summary="Keep what has been typed",
)
@api_view(["PUT"])
def draft(request: Request, assignment: int, item: int) -> Response:
    """Store a draft; 409 with what stands if another tab was faster."""
    own = _own(request, assignment)
    found = item_in(own, item)
    if found is None:
        raise Http404
    given = _read(DraftIn, request)
    try:
        saved = labelling.save_draft(
            assignment=own,
            item=found,
            content=given["content"],
            version=given["version"],
            active_ms=given["active_ms"],
            now=timezone.now(),
        )
    except AnswerError as error:
        raise ValidationError(error.faults) from error
    except labelling.ConflictError as error:
        raise _conflict(error) from error
    return Response(_draft(saved))


@extend_schema(
    operation_id="assignment_renew",
    request=None,
    responses=OpenApiTypes.OBJECT,
    summary="Hold on to a task",
)
@api_view(["POST"])
def renew(request: Request, assignment: int) -> Response:
    """Renew the lease; possible also after it has run out."""
    renewed = queue.renew(assignment=_own(request, assignment), now=timezone.now())
    return Response(_assignment(renewed))


@extend_schema(
    operation_id="assignment_release",
    request=None,
    responses=OpenApiTypes.OBJECT,
    summary="Give a task back",
)
@api_view(["POST"])
def release(request: Request, assignment: int) -> Response:
    """Give a task back; drafts stay."""
    own = _own(request, assignment)
    queue.release(assignment=own, now=timezone.now())
    return Response(_assignment(_own(request, assignment)))


@extend_schema(
    operation_id="assignment_submit",
    request=SubmitIn,
    responses=OpenApiTypes.OBJECT,
    summary="Submit the answers of a task",
)
@api_view(["POST"])
def submit(request: Request, assignment: int) -> Response:
    """Store labels; 400 names every fault, 409 says what is closed or settled."""
    own = _own(request, assignment)
    given = _read(SubmitIn, request)
    answers = {int(k): v for k, v in given["answers"].items() if k.isdecimal()}
    labelling.count_time(own, given["active_ms"])
    try:
        labelling.submit(assignment=own, contents=answers, now=timezone.now())
    except AnswerError as error:
        raise ValidationError(error.faults) from error
    except labelling.ConflictError as error:
        raise _conflict(error) from error
    return Response(_assignment(_own(request, assignment)))


@extend_schema(
    operation_id="assignment_skip",
    request=SkipIn,
    responses=OpenApiTypes.OBJECT,
    summary="Leave a task to others",
)
@api_view(["POST"])
def skip(request: Request, assignment: int) -> Response:
    """Skip with a reason."""
    own = _own(request, assignment)
    given = _read(SkipIn, request)
    try:
        labelling.skip(assignment=own, now=timezone.now(), **given)
    except labelling.ConflictError as error:
        raise _conflict(error) from error
    return Response(_assignment(_own(request, assignment)))


def _viewer(request: Request) -> Any:
    return request.auth if isinstance(request.auth, ApiToken) else request.user


def _person(request: Request) -> User:
    """The signed-in person; a token is nobody's opinion."""
    if not isinstance(request.user, User):
        raise PermissionDenied("People label; sign in instead of sending a token.")
    return request.user


def _seen(request: Request, pk: int) -> Campaign:
    found = campaign_seen(_viewer(request), pk)
    if found is None:
        raise Http404
    return found


def _own(request: Request, pk: int) -> Assignment:
    found = assignment_for(_person(request), pk)
    if found is None:
        raise Http404
    return found


def _read(kind: type[serializers.Serializer[Any]], request: Request) -> dict[str, Any]:
    given = kind(data=request.data)
    given.is_valid(raise_exception=True)
    found: dict[str, Any] = given.validated_data
    return found


def _conflict(error: labelling.ConflictError) -> Conflict:
    detail: dict[str, Any] = {"conflict": str(error)}
    if error.stored is not None:
        detail |= {"stored": error.stored, "version": error.version}
    return Conflict(detail)


def _campaign(row: Campaign) -> dict[str, Any]:
    return {
        "id": row.pk,
        "name": row.name,
        "state": row.state,
        "unit": row.unit,
        "metrics": row.metrics,
        "overlap": row.overlap,
        "blind": {"judge": row.blind_judge, "peers": row.blind_peers},
        "taxonomy": row.taxonomy_version.number,
        "rubric": row.rubric_digest,
        "guidelines": row.guidelines_digest,
        "seed": row.seed,
        "due_at": row.due_at,
        "opened_at": row.opened_at,
        "closed_at": row.closed_at,
        "progress": progress_of(row),
    }


def _assignment(row: Assignment) -> dict[str, Any]:
    drafts = {draft.item_id: draft for draft in row.drafts.all()}
    return {
        "id": row.pk,
        "state": row.state,
        "token": row.token,
        "leased_until": row.leased_until,
        "over_quota": row.over_quota,
        "trace": row.task.trace_key,
        "items": [
            {
                "id": item.pk,
                "step": item.key,
                "type": item.type,
                "index": item.index,
                "draft": _draft(drafts[item.pk]) if item.pk in drafts else None,
            }
            for item in row.task.items.order_by("index", "pk")
        ],
    }


def _draft(row: Draft) -> dict[str, Any]:
    saved: datetime = row.saved_at
    return {"content": row.content, "version": row.version, "saved_at": saved}
