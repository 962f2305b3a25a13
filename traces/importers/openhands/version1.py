"""Events of version 1: each has a kind; actions name the response they are of."""

from __future__ import annotations

from collections.abc import Iterator

from traces.domain.records import Json, StepType
from traces.importers.base import fit_id
from traces.importers.chat import tool_definitions
from traces.importers.gather import Found
from traces.importers.jsonstream import Item
from traces.importers.jsontext import value_or_text
from traces.importers.messages import Part, as_text, read_message
from traces.importers.talk import Moment, Talk
from traces.importers.times import nanoseconds
from traces.importers.values import fields, first_text, items, kept, objects, text

_LONGEST_ERROR = 300
_TOLD = ("security_risk", "summary")

Event = dict[str, Json]


def take(talk: Talk, item: Item) -> Iterator[Found]:
    """Take one event; what only tells of the program's state is passed over."""
    talk.next()
    event = fields(item.value)
    span_id = fit_id(text(event.get("id")), fallback="m")
    moment = Moment(span_id, nanoseconds(event.get("timestamp")), item)
    read = {
        "MessageEvent": _message,
        "SystemPromptEvent": _system,
        "ActionEvent": _action,
        "ObservationEvent": _observation,
        "AgentErrorEvent": _failure,
        "UserRejectObservation": _failure,
        "ConversationErrorEvent": _notice,
        "CondensationSummaryEvent": _summary,
        "Condensation": _summary,
    }.get(text(event["kind"]))
    if read:
        yield from read(talk, event, moment)


def _system(talk: Talk, event: Event, moment: Moment) -> Iterator[Found]:
    talk.tools = tool_definitions(event.get("tools"))
    words = _said(event.get("system_prompt"))
    yield from talk.outside("system", words, moment)


def _said(value: Json) -> str:
    """Text, or the text of content blocks."""
    inner = fields(value).get("text", value)
    return as_text(_plain(inner)) if inner else ""


def _plain(value: Json) -> Json:
    """Text blocks as one text, anything else as it is."""
    blocks = objects(value)
    texts = [text(block.get("text")) for block in blocks]
    return "\n".join(texts) if blocks and all(texts) else value


def _message(talk: Talk, event: Event, moment: Moment) -> Iterator[Found]:
    message = fields(event.get("llm_message"))
    if event.get("source") == "agent":
        parts = read_message(message | {"role": "assistant"})["parts"]
        response = first_text(event, "llm_response_id")
        yield from talk.speak(parts, moment, response=response)
        return
    words = [_said([block]) for block in items(message.get("content"))]
    words += [_said([block]) for block in items(event.get("extended_content"))]
    kind = "user" if event.get("source") == "user" else "environment"
    yield from talk.outside(kind, "\n".join(words), moment)


def _action(talk: Talk, event: Event, moment: Moment) -> Iterator[Found]:
    parts: list[Part] = []
    if reasoning := first_text(event, "reasoning_content"):
        parts.append({"type": "reasoning", "content": reasoning})
    if thought := _said(items(event.get("thought"))):
        parts.append({"type": "text", "content": thought})
    call: Part = {"type": "tool_call", "id": first_text(event, "tool_call_id")}
    given = _arguments(event)
    parts.append(call | {"name": first_text(event, "tool_name"), "arguments": given})
    yield from talk.speak(
        parts,
        moment,
        response=first_text(event, "llm_response_id"),
        more=kept({f"openhands.{key}": event.get(key) for key in _TOLD}),
    )


def _arguments(event: Event) -> Json:
    """What the tool was given; where that is no action, what the model wrote."""
    action = event.get("action")
    if isinstance(action, dict):
        return {key: action[key] for key in action if key != "kind"}
    function = fields(fields(event.get("tool_call")).get("function"))
    written = function.get("arguments", fields(event.get("tool_call")).get("arguments"))
    return value_or_text(written) if isinstance(written, str) else written


def _observation(talk: Talk, event: Event, moment: Moment) -> Iterator[Found]:
    seen = fields(event.get("observation"))
    result = _plain(seen.get("content", seen.get("output")))
    if result is None:
        result = {key: seen[key] for key in seen if key != "kind"}
    code = seen.get("exit_code")
    known = isinstance(code, int) and not isinstance(code, bool) and code >= 0
    failed = seen.get("is_error") is True or (known and code != 0)
    words = as_text(result)[:_LONGEST_ERROR] if failed else ""
    yield from talk.answer(
        first_text(event, "tool_call_id"),
        result,
        moment,
        name=first_text(event, "tool_name"),
        error=words or ("error" if failed else ""),
        more={"openhands.exit_code": code} if known else None,
    )


def _failure(talk: Talk, event: Event, moment: Moment) -> Iterator[Found]:
    """A call that couldn't be made, or that a person refused."""
    words = first_text(event, "error", "rejection_reason") or "refused"
    yield from talk.answer(
        first_text(event, "tool_call_id"),
        words,
        moment,
        name=first_text(event, "tool_name"),
        error=words[:_LONGEST_ERROR],
    )


def _notice(talk: Talk, event: Event, moment: Moment) -> Iterator[Found]:
    words = first_text(event, "detail", "code")
    yield from talk.outside("environment", words, moment)


def _summary(talk: Talk, event: Event, moment: Moment) -> Iterator[Found]:
    """What a condenser made of earlier events: written by a model of its own."""
    words = first_text(event, "summary")
    if not words:
        return
    step: dict[str, Json] = {
        "agenteval.step.type": str(StepType.SYNTH),
        "agenteval.step.name": "summary of earlier events",
    }
    parts: list[Part] = [{"type": "text", "content": words}]
    yield from talk.speak(parts, moment, more=step)
    yield from talk.end()
    talk.hear({"role": "user", "parts": parts}, moment.item.size)
