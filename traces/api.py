"""Projects and traces over HTTP: what is there, what came in, files to import."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC
from operator import attrgetter
from typing import Any, BinaryIO, cast
from urllib.parse import urlencode

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import APIException, PermissionDenied, ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from traces.domain.query import FIELDS, Kind, Query, Term, parse, render_term
from traces.importers import AUTO, FORMATS
from traces.listing_selectors import SORTS, Place, list_traces, read_place
from traces.models import ApiToken, Membership, Project, Trace
from traces.query_filters import Reader
from traces.selectors import project_of, role_in, stats_of, trace_for
from traces.services.imports import import_file
from traces.services.tokens import SENDERS

LIMIT, MOST = 50, 1_000
CHUNK = 64 * 1024
ANY_SCOPE = frozenset(ApiToken.Scope)
ADDERS = frozenset({Membership.Role.ENGINEER, Membership.Role.ADMIN})
PROJECT = OpenApiParameter("project", str, description="Slug; a token implies its own")


class StatsOut(serializers.Serializer[Any]):
    """What is committed and readable now."""

    traces = serializers.IntegerField()
    spans = serializers.IntegerField()
    steps = serializers.IntegerField()


class TraceOut(serializers.Serializer[Any]):
    """One trace as lists show it. Times are UTC, null where not known."""

    id = serializers.CharField(source="trace_id")
    name = serializers.CharField()
    source = serializers.CharField()  # type: ignore[assignment]  # DRF takes it away
    state = serializers.CharField(source="digest_state")
    received_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    duration_ms = serializers.IntegerField(allow_null=True)
    finished = serializers.BooleanField()
    workflow = serializers.CharField()
    agent = serializers.CharField()
    model = serializers.CharField()
    session = serializers.CharField()
    user = serializers.CharField(source="user_name")
    environment = serializers.CharField()
    version = serializers.CharField()
    outcome = serializers.CharField()
    tags = serializers.ListField(child=serializers.CharField())
    tools = serializers.ListField(child=serializers.CharField())
    preview = serializers.CharField()
    steps = serializers.IntegerField(source="step_count")
    errors = serializers.IntegerField(source="error_count")  # type: ignore[assignment]
    repairs = serializers.IntegerField(source="repair_count")
    structure = serializers.CharField()
    conformance = serializers.CharField()
    input_tokens = serializers.IntegerField(allow_null=True)
    output_tokens = serializers.IntegerField(allow_null=True)
    cost_usd = serializers.FloatField(allow_null=True)
    score = serializers.FloatField(allow_null=True)
    failed = serializers.IntegerField(source="failed_count", allow_null=True)
    scored = serializers.IntegerField(source="scored_count", allow_null=True)
    unscored = serializers.IntegerField(source="unscored_count", allow_null=True)
    roots = serializers.IntegerField(source="root_count", allow_null=True)
    root_category = serializers.CharField()
    root_step = serializers.CharField()


class TraceDetailOut(TraceOut):
    """One trace with what lists leave out."""

    spans = serializers.IntegerField(source="span_count")
    revision = serializers.IntegerField()
    digested_revision = serializers.IntegerField()
    error = serializers.CharField(source="digest_error")
    categories = serializers.ListField(child=serializers.CharField())
    case = serializers.CharField(source="case_key")
    run = serializers.CharField(source="run_key")
    attributes = serializers.JSONField()
    updated_at = serializers.DateTimeField()


class TraceListOut(serializers.Serializer[Any]):
    """A page of traces, newest first; ``next`` is null at the end."""

    next = serializers.CharField(allow_null=True)
    results = TraceOut(many=True)


class RejectOut(serializers.Serializer[Any]):
    """Something that was refused."""

    level = serializers.CharField()
    place = serializers.CharField()
    reason = serializers.CharField()
    code = serializers.CharField()
    trace_id = serializers.CharField()
    span_id = serializers.CharField()


class ImportOut(serializers.Serializer[Any]):
    """What became of a file."""

    name = serializers.CharField()
    imported = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    updated = serializers.IntegerField()
    rejected = serializers.IntegerField()
    rejects = RejectOut(many=True)


def _reader(serializer: type[serializers.Serializer[Any]]) -> Callable[[Trace], Any]:
    """What a serializer shows of a trace, at a tenth of its cost.

    Asking each field costs more than the whole query; these have nothing to
    convert.
    """
    fields = serializer().fields
    columns = attrgetter(*(str(field.source) for field in fields.values()))

    def shown(trace: Trace) -> dict[str, Any]:
        return dict(zip(fields, columns(trace), strict=True))

    return shown


_row = _reader(TraceOut)
_detail = _reader(TraceDetailOut)


@extend_schema(operation_id="project_stats", responses=StatsOut)
@api_view(["GET"])
def project_stats(request: Request, slug: str) -> Response:
    """Count what is committed and readable; senders may ask, too."""
    project = project_of(request, slug, ANY_SCOPE)
    return Response(StatsOut(stats_of(project)).data)


@extend_schema(
    operation_id="traces",
    responses=TraceListOut,
    parameters=[
        PROJECT,
        OpenApiParameter(
            "limit", int, description=f"1 to {MOST}, {LIMIT} if not given"
        ),
        OpenApiParameter("cursor", str, description="From ``next`` of the page before"),
        OpenApiParameter("q", str, description="The query language of the trace list"),
        *(OpenApiParameter(f.name, str, description=f.help) for f in FIELDS),
    ],
)
@api_view(["GET"])
def trace_list(request: Request) -> Response:
    """List traces, newest first; every page costs the same."""
    params = request.query_params
    project = project_of(request, params.get("project"))
    rows, following = _page(project, _query(params), _limit(params), _place(params))
    url = None
    if following:
        query = urlencode({**params.dict(), "cursor": following})
        url = request.build_absolute_uri(f"{request.path}?{query}")
    return Response({"next": url, "results": [_row(trace) for trace in rows]})


def _page(
    project: Project, query: Query, limit: int, place: Place | None
) -> tuple[list[Trace], str]:
    """Up to ``limit`` traces from a place on, and the word for the next page."""
    sort, reader = SORTS["newest"], Reader(timezone.now(), UTC)
    rows: list[Trace] = []
    while True:
        listing = list_traces(project, query, sort, place, reader)
        rows += listing.rows
        if len(rows) > limit or (len(rows) == limit and listing.following):
            last = rows[limit - 1]
            return rows[:limit], Place(last.received_at, last.pk).code()
        if not listing.following or listing.looked_until is not None:
            return rows, listing.following
        place = read_place(listing.following, sort)


def _query(params: Mapping[str, str]) -> Query:
    """The filters: ``q``, and every field by its own name."""
    texts = [params.get("q", "")]
    for field in FIELDS:
        value = params.get(field.name, "")
        if value and field.kind in {Kind.TEXT, Kind.LIST}:
            texts.append(render_term(Term(field.name, (value,))))
        elif value:
            texts.append(f"{field.name}:{value}")
    query = parse(" ".join(texts))
    if query.problems:
        raise ValidationError({"q": [problem.reason for problem in query.problems]})
    return query


def _limit(params: Mapping[str, str]) -> int:
    value = params.get("limit") or str(LIMIT)
    if not (value.isascii() and value.isdigit() and 1 <= int(value[:9]) <= MOST):
        raise ValidationError({"limit": f"A whole number from 1 to {MOST}."})
    return int(value)


def _place(params: Mapping[str, str]) -> Place | None:
    code = params.get("cursor", "")
    place = read_place(code, SORTS["newest"]) if code else None
    if code and place is None:
        raise ValidationError({"cursor": "Take it from the page before."})
    return place


@extend_schema(operation_id="trace", parameters=[PROJECT], responses=TraceDetailOut)
@api_view(["GET"])
def trace_detail(request: Request, trace_id: str) -> Response:
    """One trace: what it was, how it went, what its evaluation found."""
    trace = trace_for(request, request.query_params.get("project"), trace_id)
    return Response(_detail(trace))


class TooLarge(APIException):
    """The file is larger than allowed."""

    status_code = 413
    default_code = "too_large"

    def __init__(self) -> None:
        """Name the limit and what sets it."""
        limit = settings.AGENTEVAL_MAX_BODY
        super().__init__(
            f"The file is larger than {limit:,} bytes (AGENTEVAL_MAX_BODY)."
        )


class AnyFile(BaseParser):
    """A raw body of any type, as a stream."""

    media_type = "*/*"

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Leave the body as it is."""
        del media_type, parser_context
        return stream


class AlwaysJson(DefaultContentNegotiation):
    """Answers in JSON; here ``?format=`` names the format of the file."""

    def select_renderer(
        self,
        request: Request,
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,
    ) -> tuple[BaseRenderer, str]:
        """The first renderer, whatever is asked for."""
        del request, format_suffix
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class TracesImport(APIView):
    """Import of files."""

    parser_classes = (MultiPartParser, AnyFile)
    content_negotiation_class = AlwaysJson

    @extend_schema(
        operation_id="traces_import",
        parameters=[
            PROJECT,
            OpenApiParameter("format", str, enum=FORMATS),
            OpenApiParameter("name", str, description="Of the file, for a raw body"),
        ],
        request={
            "multipart/form-data": {
                "type": "object",
                "properties": {"file": {"type": "string", "format": "binary"}},
            },
            "application/octet-stream": OpenApiTypes.BINARY,
        },
        responses=ImportOut,
    )
    def post(self, request: Request) -> Response:
        """Import one file, as the only file of a form or as the raw body."""
        params = request.query_params
        project = project_of(request, params.get("project"), SENDERS)
        _demand_adder(request, project)
        format = params.get("format", AUTO)
        if format not in FORMATS:
            raise ValidationError({"format": f"One of {', '.join(FORMATS)}."})
        stream, name = _file(request)
        try:
            report = import_file(
                project=project,
                stream=stream,
                name=params.get("name") or name,
                format=format,
                now=timezone.now(),
            )
        except Project.DoesNotExist as error:
            raise Http404 from error
        return Response(ImportOut(report).data)


def _demand_adder(request: Request, project: Project) -> None:
    """People need a role that adds; a token's scope was looked at already."""
    by_token = isinstance(request.auth, ApiToken)
    if not by_token and role_in(request.user, project) not in ADDERS:
        raise PermissionDenied("Your role in this project doesn't add traces.")


def _file(request: Request) -> tuple[BinaryIO, str]:
    """The file of the form, or the raw body, and its name."""
    if not (request.content_type or "").startswith("multipart/"):
        body = BoundedBody(request, settings.AGENTEVAL_MAX_BODY)
        return io.BufferedReader(body, CHUNK), ""
    file = next(iter(request.FILES.values()), None)
    if not isinstance(file, UploadedFile):
        raise ValidationError({"file": "The form has no file."})
    if (file.size or 0) > settings.AGENTEVAL_MAX_BODY:
        raise TooLarge
    return cast("BinaryIO", file), file.name or ""


class BoundedBody(io.RawIOBase):
    """A body to read from that ends with an error where it is too large."""

    def __init__(self, request: Request, most: int) -> None:
        """Read ``request`` as long as it has at most ``most`` bytes."""
        self._body = request
        self._left = most

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer from the body.

        Raises:
            TooLarge: There are more bytes than allowed.
        """
        found: bytes = self._body.read(min(len(buffer), self._left + 1))
        self._left -= len(found)
        if self._left < 0:
            raise TooLarge
        buffer[: len(found)] = found
        return len(found)
