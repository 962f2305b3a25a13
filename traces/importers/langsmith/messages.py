"""Messages in the inputs and outputs of runs, also those LangChain serialised."""

from __future__ import annotations

from collections.abc import Mapping

from traces.domain.records import Json
from traces.importers.chat import tool_definitions
from traces.importers.messages import GenAiMessage, plain, read_messages
from traces.importers.values import (
    fields,
    first_text,
    items,
    kept,
    text,
    usage_attributes,
)

_ENDINGS = ("MessageChunk", "Message")
_TYPES = ("human", "ai", "system", "tool", "function")
_MAX_NESTED = 4


def unwrapped(value: Json) -> Json:
    """A message that LangChain serialised, with its role where others look."""
    message = fields(value)
    kwargs = message.get("kwargs")
    if isinstance(kwargs, dict) and message.get("lc") is not None:
        return {"role": _class(message)} | kwargs
    if isinstance(message.get("data"), dict):
        message = {"type": message.get("type")} | message["data"]
    if message.get("type") in _TYPES and "role" not in message:
        return {"role": message["type"]} | message
    return message or value


def _class(message: Mapping[str, Json]) -> str:
    path = items(message.get("id"))
    name = text(path[-1]) if path else ""
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name.lower()


def messages_in(inputs: Mapping[str, Json]) -> list[GenAiMessage]:
    """What a model was given; empty if it holds no messages."""
    given = inputs.get("messages", inputs.get("input"))
    for _ in range(_MAX_NESTED):
        # One list of messages for each prompt of a batch: runs have one.
        if isinstance(given, list) and given and isinstance(given[0], list):
            given = given[0]
    if isinstance(given, list):
        return read_messages([unwrapped(one) for one in given])
    prompts = items(inputs.get("prompts"))
    if prompts and isinstance(prompts[0], str):
        return read_messages(prompts[0])
    return read_messages(dict(inputs)) if inputs else []


def answer_in(outputs: Mapping[str, Json]) -> list[GenAiMessage]:
    """What a model answered; empty if it holds no messages."""
    message = _generated(outputs)
    if message is None and "output" in outputs:
        message = unwrapped(outputs["output"])
    if message is None:
        message = unwrapped(dict(outputs)) if outputs else None
    return read_messages(message, "assistant")


def _generated(outputs: Mapping[str, Json]) -> Json:
    given = items(outputs.get("generations"))
    first = given[0] if given else None
    one = first[0] if isinstance(first, list) and first else first
    generation = fields(one)
    if not generation:
        return None
    message = unwrapped(generation.get("message"))
    return message or text(generation.get("text")) or None


def content_of(result: Json) -> tuple[Json, str]:
    """A tool's result and the id of its call, also where it is a message."""
    message = fields(unwrapped(result))
    if "content" in message and ("tool_call_id" in message or "type" in message):
        return plain(message["content"]), first_text(message, "tool_call_id")
    return result, ""


def tools_in(parameters: Mapping[str, Json]) -> list[Json]:
    """Definitions of the tools a model could call."""
    return tool_definitions(parameters.get("tools") or parameters.get("functions"))


def usage_in(run: Mapping[str, Json], outputs: Mapping[str, Json]) -> dict[str, Json]:
    """Tokens and cost, from wherever this kind of export has them."""
    message = fields(_generated(outputs))
    metadata = fields(message.get("response_metadata"))
    places = (
        outputs.get("usage_metadata"),
        message.get("usage_metadata"),
        outputs.get("usage"),
        metadata.get("token_usage"),
        fields(outputs.get("llm_output")).get("token_usage"),
        kept({k: run.get(k) for k in ("prompt_tokens", "completion_tokens")}),
    )
    usage = next((place for place in places if fields(place)), {})
    cost = run.get("total_cost")
    if isinstance(cost, str):
        cost = _number(cost)
    return usage_attributes(_with_details(fields(usage)), cost)


def _with_details(usage: dict[str, Json]) -> dict[str, Json]:
    """LangChain's names of the details, under the conventions' ones."""
    asked, answered = (
        fields(usage.get(f"{side}_token_details")) for side in ("input", "output")
    )
    return kept(
        usage
        | {
            "cached_tokens": usage.get("cached_tokens", asked.get("cache_read")),
            "reasoning_tokens": answered.get("reasoning"),
        }
    )


def _number(words: str) -> float | None:
    try:
        return float(words[:40])
    except ValueError:
        return None
