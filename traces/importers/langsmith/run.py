"""What one run says, as a span."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from traces.domain.records import (
    Json,
    ReferenceLabel,
    SpanEvent,
    SpanRecord,
    SpanStatus,
)
from traces.importers.base import fit_id
from traces.importers.gather import Found
from traces.importers.jsontext import value_or_text
from traces.importers.langsmith.messages import (
    answer_in,
    content_of,
    messages_in,
    tools_in,
    usage_in,
)
from traces.importers.messages import as_text
from traces.importers.times import nanoseconds
from traces.importers.values import (
    amount,
    fields,
    first_text,
    items,
    kept,
    objects,
    text,
)

Run = Mapping[str, Json]
Attributes = dict[str, Json]

_KINDS = {
    "retriever": "RETRIEVER",
    "embedding": "EMBEDDING",
    "chain": "CHAIN",
    "prompt": "CHAIN",
    "parser": "CHAIN",
}


def read_run(run: Run, source: str) -> Found | None:
    """The span of a run with its labels; None if it has no place in a trace."""
    span_id, ancestry = fit_id(run.get("id"), fallback=""), _ancestry(run)
    above = ancestry[-2] if len(ancestry) > 1 else ""
    parent = fit_id(run.get("parent_run_id"), fallback=above)
    trace_id = _trace_id(run, ancestry, parent)
    if not span_id or not trace_id:
        return None
    error = run.get("error")
    span = SpanRecord(
        trace_id,
        span_id,
        parent_id=parent or None,
        name=text(run.get("name")),
        start_ns=nanoseconds(run.get("start_time")),
        end_ns=nanoseconds(run.get("end_time")),
        status=SpanStatus.ERROR if error else SpanStatus.UNSET,
        status_message=as_text(error) if error else "",
        attributes=_attributes(run),
        events=tuple(_events(run)),
    )
    facts = _facts(run) if not parent else {}
    return Found(span, 0, tuple(_scores(run, span_id, source)), facts)


def _ancestry(run: Run) -> list[str]:
    """Ids from the root to the run, as the dotted order has them."""
    parts = text(run.get("dotted_order")).split(".")
    return [part.partition("Z")[2] for part in parts if "Z" in part]


def _trace_id(run: Run, ancestry: list[str], parent: str) -> str:
    given = run.get("trace_id") or (ancestry[0] if ancestry else None)
    return fit_id(given, fallback="" if parent else fit_id(run.get("id"), fallback=""))


def _attributes(run: Run) -> Attributes:
    kind = text(run.get("run_type")).lower()
    metadata = fields(fields(run.get("extra")).get("metadata"))
    found = {f"langsmith.metadata.{key}": metadata[key] for key in metadata}
    if kind == "llm":
        return found | _model(run, metadata)
    if kind == "tool":
        return found | _tool(run)
    sides = {
        "input.value": run.get("inputs"),
        "output.value": run.get("outputs"),
    }
    found |= {key: as_text(value) for key, value in kept(sides).items()}
    return found | {"openinference.span.kind": _KINDS.get(kind, "CHAIN")}


def _model(run: Run, metadata: Mapping[str, Json]) -> Attributes:
    inputs, outputs = fields(run.get("inputs")), fields(run.get("outputs"))
    asked, answered = messages_in(inputs), answer_in(outputs)
    extra = fields(run.get("extra"))
    parameters = fields(extra.get("invocation_params")) | fields(inputs)
    model = first_text(metadata, "ls_model_name") or first_text(
        parameters, "model", "model_name"
    )
    found: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": model,
        "gen_ai.response.model": first_text(outputs, "model"),
        "gen_ai.provider.name": first_text(metadata, "ls_provider"),
        "gen_ai.input.messages": asked,
        "gen_ai.output.messages": answered,
        "gen_ai.tool.definitions": tools_in(parameters),
        "input.value": "" if asked else _side(inputs),
        "output.value": "" if answered else _side(outputs),
    }
    return kept(found | usage_in(run, outputs))


def _side(value: Mapping[str, Json]) -> str:
    return as_text(value) if value else ""


def _tool(run: Run) -> Attributes:
    outputs = fields(run.get("outputs"))
    result = _alone(run.get("outputs"), "output")
    said, call_id = content_of(result)
    inputs = _alone(run.get("inputs"), "input")
    arguments = value_or_text(inputs) if isinstance(inputs, str) else inputs
    found = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": text(run.get("name")),
        "gen_ai.tool.call.id": call_id or _call_id(run, outputs),
        "gen_ai.tool.call.arguments": arguments,
        "gen_ai.tool.call.result": said,
    }
    return kept(found)


def _call_id(run: Run, outputs: Run) -> str:
    extra = fields(run.get("extra"))
    return first_text(extra, "tool_call_id") or first_text(outputs, "tool_call_id")


def _alone(value: Json, key: str) -> Json:
    """The one thing that an object holds, without the object."""
    one = isinstance(value, dict) and len(value) == 1 and key in value
    return value[key] if one else value


def _events(run: Run) -> Iterator[SpanEvent]:
    for event in objects(run.get("events")):
        rest = {key: event[key] for key in event if key not in {"name", "time"}}
        name, time = text(event.get("name")), nanoseconds(event.get("time"))
        # A token a streamed event is the answer once more.
        if name and name != "new_token":
            yield SpanEvent(name, time, rest)


def _scores(run: Run, span_id: str, source: str) -> Iterator[ReferenceLabel]:
    """The average of each kind of feedback, and how many gave it."""
    stats = fields(run.get("feedback_stats"))
    for key, given in stats.items():
        average = amount(fields(given).get("avg"))
        if average is not None:
            note = f"{key}, n = {fields(given).get('n', 1)}"
            yield ReferenceLabel("score", str(average), source, span_id, note)


def _facts(run: Run) -> dict[str, Json]:
    """What a root run tells of its trace."""
    metadata = fields(fields(run.get("extra")).get("metadata"))
    return kept(
        {
            "name": text(run.get("name")),
            "session": first_text(metadata, "session_id", "thread_id"),
            "tags": [tag for tag in items(run.get("tags")) if isinstance(tag, str)],
            "case": first_text(run, "reference_example_id"),
            "version": first_text(metadata, "revision_id"),
            "extra": kept({"project": first_text(run, "session_name")}),
        }
    )
