"""What one observation of Langfuse says, as attributes of a span."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from traces.domain.records import Json, Scope
from traces.importers.chat import tool_definitions
from traces.importers.jsontext import value_or_text
from traces.importers.messages import GenAiMessage, Part, as_text, read_messages

Observation = Mapping[str, Json]
Attributes = dict[str, Json]

_NOT_METADATA = {"attributes", "resourceAttributes", "scope"}
_INPUT_COPIES = ("llm.input_messages.", "gen_ai.prompt.", "input.value")
_OUTPUT_COPIES = ("llm.output_messages.", "gen_ai.completion.", "output.value")
_TOOL_PREFIXES = ("running tool: ", "execute_tool ")
_CALL_IDS = ("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id")
_TOOL_NAMES = ("gen_ai.tool.name", "ai.toolCall.name", "tool.name")


def text_field(values: Observation, key: str) -> str:
    """A field that is text, "" where it is missing or something else."""
    value = values.get(key)
    return value if isinstance(value, str) else ""


def unwrapped(value: Json) -> Json:
    """A value that may be JSON text, or JSON text in JSON text."""
    for _ in range(2):
        if not isinstance(value, str):
            break
        value = value_or_text(value)
    return value


def metadata_of(values: Observation) -> dict[str, Json]:
    """Metadata, which may be JSON text."""
    found = unwrapped(values.get("metadata"))
    return found if isinstance(found, dict) else {}


def scope_of(observation: Observation) -> Scope:
    """Who sent it, as far as the metadata tells."""
    metadata = metadata_of(observation)
    scope, resource = metadata.get("scope"), metadata.get("resourceAttributes")
    given = scope if isinstance(scope, dict) else {}
    attributes = given.get("attributes")
    return Scope(
        text_field(given, "name"),
        text_field(given, "version"),
        attributes if isinstance(attributes, dict) else {},
        resource if isinstance(resource, dict) else {},
    )


def attributes_of(observation: Observation) -> Attributes:
    """The attributes that were sent, and Langfuse's own fields in their words."""
    metadata = metadata_of(observation)
    sent = metadata.get("attributes")
    attributes: Attributes = dict(sent) if isinstance(sent, dict) else {}
    attributes |= {
        f"langfuse.observation.metadata.{key}": value
        for key, value in metadata.items()
        if key not in _NOT_METADATA
    }
    describe = _BY_TYPE.get(text_field(observation, "type").upper(), _plain)
    attributes |= describe(observation, attributes)
    attributes |= _model(observation) | _usage(observation) | _details(observation)
    return attributes


def _plain(observation: Observation, _: Attributes) -> Attributes:
    """Input and output as they are, under OpenInference's names."""
    found: Attributes = {}
    for side in ("input", "output"):
        value = observation.get(side)
        if value is not None:
            found[f"{side}.value"] = as_text(value)
    return found


def _kind(name: str) -> Callable[[Observation, Attributes], Attributes]:
    def describe(observation: Observation, sent: Attributes) -> Attributes:
        return _plain(observation, sent) | {"openinference.span.kind": name}

    return describe


def _agent(observation: Observation, sent: Attributes) -> Attributes:
    name = sent.get("gen_ai.agent.name") or text_field(observation, "name")
    return _plain(observation, sent) | {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": name,
    }


def _tool(observation: Observation, sent: Attributes) -> Attributes:
    name = next((sent[key] for key in _TOOL_NAMES if sent.get(key)), None)
    if name is None:
        name = text_field(observation, "name")
        for prefix in _TOOL_PREFIXES:
            name = name.removeprefix(prefix)
    call_id = next((sent[key] for key in _CALL_IDS if sent.get(key)), None)
    found = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.id": call_id,
        "gen_ai.tool.call.arguments": _arguments(observation.get("input")),
        "gen_ai.tool.call.result": unwrapped(observation.get("output")),
    }
    return {key: value for key, value in found.items() if value is not None}


def _arguments(value: Json) -> Json:
    """Arguments of a tool, without the object that LangSmith puts around them."""
    found = unwrapped(value)
    inner = found.get("input") if isinstance(found, dict) and len(found) == 1 else None
    return inner if isinstance(inner, dict) else found


def _generation(observation: Observation, sent: Attributes) -> Attributes:
    given = read_messages(unwrapped(observation.get("input")), "user")
    answered = _answer(observation)
    found: Attributes = {"gen_ai.operation.name": "chat"}
    if given:
        found["gen_ai.input.messages"] = given
        _drop(sent, _INPUT_COPIES)
    if answered:
        found["gen_ai.output.messages"] = answered
        _drop(sent, _OUTPUT_COPIES)
    rest = _plain(observation, sent)
    read = {"input.value": bool(given), "output.value": bool(answered)}
    return found | {key: value for key, value in rest.items() if not read[key]}


def _drop(sent: Attributes, prefixes: tuple[str, ...]) -> None:
    """Leave out copies of what was read from Langfuse's own field."""
    for key in [key for key in sent if key.startswith(prefixes)]:
        del sent[key]


def _answer(observation: Observation) -> list[GenAiMessage]:
    messages = read_messages(unwrapped(observation.get("output")), "assistant")
    if any(p["type"] == "tool_call" for m in messages for p in m["parts"]):
        return messages
    calls = _listed_calls(observation)
    if calls and not messages:
        return [{"role": "assistant", "parts": calls}]
    if calls:
        messages[-1]["parts"] = [*messages[-1]["parts"], *calls]
    return messages


def _listed_calls(observation: Observation) -> list[Part]:
    """Calls that Langfuse lists beside an output that doesn't show them."""
    listed, names = observation.get("toolCalls"), observation.get("toolCallNames")
    calls = listed if isinstance(listed, list) else []
    known = names if isinstance(names, list) else []
    parts: list[Part] = []
    for number, text in enumerate(calls):
        call = unwrapped(text)
        if isinstance(call, dict):
            name = known[number] if number < len(known) else call.get("name")
            parts.append(
                {
                    "type": "tool_call",
                    "id": str(call.get("id") or ""),
                    "name": str(name or ""),
                    "arguments": unwrapped(call.get("arguments")),
                }
            )
    return parts


def _model(observation: Observation) -> Attributes:
    name = text_field(observation, "model")
    parameters = observation.get("modelParameters")
    found: Attributes = {"gen_ai.request.model": name} if name else {}
    if parameters:
        found["llm.invocation_parameters"] = as_text(parameters)
    tools = _tools(observation)
    return found | ({"gen_ai.tool.definitions": tools} if tools else {})


def _tools(observation: Observation) -> list[Json]:
    given = observation.get("toolDefinitions") or metadata_of(observation).get("tools")
    if isinstance(given, dict):
        return [_named(name, unwrapped(text)) for name, text in given.items()]
    listed = given if isinstance(given, list) else []
    return tool_definitions([unwrapped(tool) for tool in listed])


def _named(name: str, tool: Json) -> Json:
    return {"name": name} | (tool if isinstance(tool, dict) else {"description": tool})


def _usage(observation: Observation) -> Attributes:
    """Tokens and cost; the parts of a side are included in it.

    Langfuse counts cached tokens beside the others; where the two sides alone
    make the total, they are included already.
    """
    found: Attributes = {}
    given = observation.get("usageDetails")
    usage = _counts(given if isinstance(given, dict) else {})
    inside = usage.get("input", 0) + usage.get("output", 0) == usage.get("total")
    for side in ("input", "output"):
        parts = [n for key, n in usage.items() if key.startswith(side)]
        if parts:
            total = usage.get(side, 0) if inside else sum(parts)
            found[f"gen_ai.usage.{side}_tokens"] = total
    cached = [n for key, n in usage.items() if "cache" in key and "creat" not in key]
    if cached:
        found["gen_ai.usage.cache_read.input_tokens"] = sum(cached)
    cost = observation.get("totalCost") or observation.get("calculatedTotalCost")
    if isinstance(cost, int | float) and cost > 0:
        found["llm.cost.total"] = cost
    return found


def _counts(usage: Mapping[str, Json]) -> dict[str, int]:
    return {
        key: value
        for key, value in usage.items()
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0
    }


def _details(observation: Observation) -> Attributes:
    level = text_field(observation, "level")
    found = {
        "level": "" if level == "DEFAULT" else level,
        "version": observation.get("version"),
        "completion_start_time": observation.get("completionStartTime"),
        "prompt.name": observation.get("promptName"),
        "prompt.version": observation.get("promptVersion"),
    }
    return {f"langfuse.observation.{k}": v for k, v in found.items() if v}


_BY_TYPE: Mapping[str, Callable[[Observation, Attributes], Attributes]] = {
    "GENERATION": _generation,
    "TOOL": _tool,
    "AGENT": _agent,
    "CHAIN": _kind("CHAIN"),
    "RETRIEVER": _kind("RETRIEVER"),
    "EMBEDDING": _kind("EMBEDDING"),
    "GUARDRAIL": _kind("GUARDRAIL"),
    "EVALUATOR": _kind("EVALUATOR"),
}
