"""Traces of DeepEval: spans in one list for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import BinaryIO

from traces.domain.records import (
    Json,
    ReferenceLabel,
    Reject,
    SpanRecord,
    SpanStatus,
    TraceRecord,
)
from traces.importers.base import Limits, Sample, fit_id
from traces.importers.chat import tool_definitions
from traces.importers.jsonstream import Item, JsonSource
from traces.importers.jsontext import value_or_text
from traces.importers.messages import GenAiMessage, as_text, plain, read_messages
from traces.importers.times import nanoseconds
from traces.importers.values import (
    amount,
    count,
    fields,
    first_text,
    items,
    kept,
    objects,
    text,
)

NAME = "deepeval"
LABEL = "DeepEval traces"

_LISTS = ("baseSpans", "agentSpans", "llmSpans", "retrieverSpans", "toolSpans")
_FAILED = {"ERRORED", "ERROR", "FAILED"}
_PREFIXES = ("Function tool: ", "Tool: ")
_TOOL_INPUT = "Tool Input"
"""Role under which LangChain's integration lists the tools of a model."""
_MAX_CALLS = 100
Span = Mapping[str, Json]
Attributes = dict[str, Json]


def recognises(sample: Sample) -> bool:
    """Objects with ``uuid`` and lists of spans by kind."""
    first = fields(sample.first)
    return "uuid" in first and any(isinstance(first.get(k), list) for k in _LISTS)


def read(
    source: BinaryIO, *, name: str, limits: Limits
) -> Iterator[TraceRecord | Reject]:
    """Read one trace after another."""
    for item in JsonSource(source, limits=limits, name=name).items():
        yield item if isinstance(item, Reject) else _trace(item)


def _trace(item: Item) -> TraceRecord | Reject:
    value = fields(item.value)
    trace_id = fit_id(text(value.get("uuid")), fallback="")
    given = [(kind, span) for kind in _LISTS for span in objects(value.get(kind))]
    if not trace_id or not given:
        missing = "spans" if trace_id else "a uuid"
        return Reject("trace", item.place, f"no {missing} here.", "no_spans")
    spans: list[SpanRecord] = []
    rejects: list[Reject] = list(item.notes)
    labels: list[ReferenceLabel] = list(_labels(value, ""))
    for kind, one in given:
        span_id = fit_id(text(one.get("uuid")), fallback="")
        if not span_id:
            reason = "a span without a uuid."
            rejects.append(Reject("span", item.place, reason, "no_id", trace_id))
            continue
        spans.append(_span(one, kind, trace_id, span_id))
        labels.extend(_labels(one, span_id))
    return TraceRecord(
        trace_id, tuple(spans), tuple(labels), _facts(value), tuple(rejects)
    )


def _span(value: Span, kind: str, trace_id: str, span_id: str) -> SpanRecord:
    error = value.get("error")
    failed = bool(error) or text(value.get("status")).upper() in _FAILED
    describe = _READERS.get(kind, _plain)
    metadata = fields(value.get("metadata"))
    own = {f"deepeval.metadata.{key}": metadata[key] for key in metadata}
    return SpanRecord(
        trace_id,
        span_id,
        parent_id=fit_id(text(value.get("parentUuid")), fallback="") or None,
        name=text(value.get("name")),
        start_ns=nanoseconds(value.get("startTime")),
        end_ns=nanoseconds(value.get("endTime")),
        status=SpanStatus.ERROR if failed else SpanStatus.UNSET,
        status_message=as_text(error) if error else "",
        attributes=kept(own | describe(value)),
    )


def _plain(value: Span) -> Attributes:
    sides = {f"{side}.value": value.get(side) for side in ("input", "output")}
    found = {key: as_text(given) for key, given in kept(sides).items()}
    return {"openinference.span.kind": "CHAIN"} | found


def _agent(value: Span) -> Attributes:
    found = _plain(value)
    del found["openinference.span.kind"]
    handoffs = items(value.get("agentHandoffs"))
    return found | {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": text(value.get("name")),
        "deepeval.available_tools": value.get("availableTools"),
        "deepeval.agent_handoffs": handoffs,
    }


def _model(value: Span) -> Attributes:
    given = value_or_text(v) if isinstance(v := value.get("input"), str) else v
    listed = [one for one in items(given) if not _is_tool(one)]
    asked = read_messages(listed or given, "user")
    answered = _answer(value.get("output"))
    settings = fields(fields(value.get("metadata")).get("invocation_params"))
    tools = tool_definitions(settings.get("tools")) or _tools(given)
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": text(value.get("model")),
        "gen_ai.input.messages": asked,
        "gen_ai.output.messages": answered,
        "gen_ai.tool.definitions": tools,
        "input.value": "" if asked or given is None else as_text(given),
        "gen_ai.usage.input_tokens": _whole(value.get("inputTokenCount")),
        "gen_ai.usage.output_tokens": _whole(value.get("outputTokenCount")),
        "llm.cost.total": _cost(value),
    }


def _is_tool(value: Json) -> bool:
    return fields(value).get("role") == _TOOL_INPUT


def _tools(given: Json) -> list[Json]:
    """Definitions that stand among the messages, where they are JSON."""
    texts = [text(one.get("content")) for one in objects(given) if _is_tool(one)]
    return tool_definitions([value_or_text(one) for one in texts])


def _answer(value: Json) -> list[GenAiMessage]:
    """The answer: a message, a list of them, calls alone, or text."""
    if isinstance(value, str):
        lines = [value_or_text(line) for line in value.split("\n")[:_MAX_CALLS]]
        calls = bool(lines) and all(_is_call(line) for line in lines)
        return read_messages(
            [line | {"type": "function"} for line in lines] if calls else value,
            "assistant",
        )
    listed = value if isinstance(value, list) else [value]
    return [m for one in listed for m in read_messages(_spelled(one), "assistant")]


def _is_call(value: Json) -> bool:
    return fields(value).keys() >= {"call_id", "name", "arguments"}


def _spelled(value: Json) -> Json:
    """An answer in the spelling of others."""
    given = fields(value)
    if _is_call(given) or "function" in given:
        return [given | {"type": "function"}]
    if isinstance(given.get("toolCalls"), list):
        given = given | {"tool_calls": given["toolCalls"]}
    if isinstance(given.get("content"), dict):
        given = given | {"content": [given["content"]]}
    told = text(given.get("text")) if "role" not in given else ""
    return told or given or value


def _whole(value: Json) -> int | None:
    """A count; some SDKs write it as a number with a fraction."""
    number = amount(value)
    return count(int(number)) if number is not None and 0 <= number < 2**53 else None


def _cost(value: Span) -> float | None:
    """Tokens times the price of each, where both are told."""
    sides = (
        ("inputTokenCount", "costPerInputToken"),
        ("outputTokenCount", "costPerOutputToken"),
    )
    products = [
        tokens * price
        for many, each in sides
        if (tokens := amount(value.get(many))) is not None
        and (price := amount(value.get(each))) is not None
    ]
    return sum(products) or None


def _tool(value: Span) -> Attributes:
    name = text(value.get("name"))
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    result, arguments = value.get("output"), value.get("input")
    message = fields(result)
    if "content" in message and "tool_call_id" in message:
        result = plain(message["content"])
    if isinstance(arguments, str):
        arguments = value_or_text(arguments)
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": first_text(message, "tool_call_id"),
        "gen_ai.tool.description": text(value.get("description")),
        "gen_ai.tool.call.arguments": arguments,
        "gen_ai.tool.call.result": result,
    }


def _retriever(value: Span) -> Attributes:
    return _plain(value) | {
        "openinference.span.kind": "RETRIEVER",
        "embedding.model_name": text(value.get("embedder")),
    }


_READERS: Mapping[str, Callable[[Span], Attributes]] = {
    "agentSpans": _agent,
    "llmSpans": _model,
    "toolSpans": _tool,
    "retrieverSpans": _retriever,
}


def _labels(value: Span, span_id: str) -> Iterator[ReferenceLabel]:
    """Scores of metrics that were run."""
    for metric in objects(value.get("metricsData")):
        score = amount(metric.get("score"))
        if score is not None:
            name, why = first_text(metric, "name"), first_text(metric, "reason")
            note = f"{name}: {why}" if why else name
            yield ReferenceLabel("score", str(score), NAME, span_id, note)


def _facts(value: Span) -> Attributes:
    expected = {key: value.get(key) for key in ("expectedOutput", "expectedTools")}
    return kept(
        {
            "name": text(value.get("name")),
            "session": _named(value, "threadId"),
            "user": _named(value, "userId"),
            "tags": [tag for tag in items(value.get("tags")) if isinstance(tag, str)],
            "environment": first_text(value, "environment"),
            "reference": kept(expected),
            "extra": fields(value.get("metadata")),
        }
    )


def _named(value: Span, key: str) -> str:
    """An id; some integrations write that there is none as a word."""
    found = text(value.get(key))
    return "" if found == "None" else found
