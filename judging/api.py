"""Judged traces and steps over HTTP."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import api_view
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from judging.domain.attribution import STRATEGIES
from judging.domain.document import graph_document
from judging.models import Evaluation
from judging.selectors.judged import JudgedTrace, judged_trace
from judging.selectors.step import step_detail
from traces.selectors import step_for, trace_for

SCORES = ("judge",)

GRAPH_PARAMETERS = [
    OpenApiParameter("project", str, description="Slug; a token implies its own"),
    OpenApiParameter("strategy", str, enum=sorted(STRATEGIES)),
    OpenApiParameter("shift", float, description="Move every threshold by this"),
    OpenApiParameter("evaluation", int, description="Default: the current one"),
    OpenApiParameter("scores", str, enum=SCORES),
]


@extend_schema(
    operation_id="trace_graph",
    parameters=GRAPH_PARAMETERS,
    responses=OpenApiTypes.OBJECT,
    summary="The judged graph of a trace",
)
@api_view(["GET"])
def trace_graph(request: Request, trace_id: str) -> Response:
    """Steps, edges, failures, roots and paths of one trace."""
    trace = trace_for(request, request.query_params.get("project"), trace_id)
    judged = read(request, trace)
    if judged.reading is None:
        raise NotFound("The graph of this trace has not been built yet.")
    reading = judged.reading
    document = graph_document(
        trace.trace_id,
        reading.graph,
        reading.conformance,
        reading.diagnosis,
        reading.taxonomy,
    )
    return Response(document | {"evaluation": _evaluation(judged)})


@extend_schema(
    operation_id="step",
    parameters=[OpenApiParameter("project", str)],
    responses=OpenApiTypes.OBJECT,
    summary="One step with input, output, verdicts and findings",
)
@api_view(["GET"])
def step(request: Request, key: str) -> Response:
    """Everything known about one step."""
    trace = step_for(request, request.query_params.get("project"), key)
    detail = step_detail(judged_trace(trace), key)
    if detail is None:
        raise NotFound("The trace has been built again without this step.")
    return Response(detail)


def read(request: Request, trace: Any) -> JudgedTrace:
    """Read a trace under the parameters of a request."""
    params = request.query_params
    if params.get("scores", "judge") not in SCORES:
        raise ValidationError({"scores": f"one of {', '.join(SCORES)}"})
    try:
        return judged_trace(
            trace,
            strategy=params.get("strategy", ""),
            shift=float(params.get("shift") or 0),
            evaluation_id=int(params["evaluation"]) if "evaluation" in params else None,
        )
    except Evaluation.DoesNotExist as error:
        raise NotFound("The trace has no such evaluation.") from error
    except ValueError as error:
        raise ValidationError({"parameters": str(error)}) from error


def _evaluation(judged: JudgedTrace) -> dict[str, Any] | None:
    evaluation = judged.evaluation
    if evaluation is None:
        return None
    return {
        "id": evaluation.pk,
        "judge": evaluation.judge,
        "judge_version": evaluation.judge_version,
        "profile": str(evaluation.profile_version),
        "taxonomy": evaluation.taxonomy_version.number,
        "graph_version": evaluation.graph_version,
        "state": evaluation.state,
        "created_at": evaluation.created_at,
    }
