"""What a source itself says of a failure.

That a tool's result tells of an error in its text is not the source's word:
checks look for that.
"""

from __future__ import annotations

from traces.domain.reading.jsontext import dumps
from traces.domain.reading.values import first, first_text, text
from traces.domain.records import Json, SpanRecord, SpanStatus

MAX_RESULT = 2_000
"""Characters of a result that is itself the only word for the failure."""
_FLAGS = ("is_error", "isError")


def read_error(span: SpanRecord, stated: str = "") -> str:
    """The source's own words for a failure, "" if it reports none.

    A status that isn't OK counts, an exception event, ``error.type``; the
    words of all are put together.

    Args:
        span: The span.
        stated: What a dialect says of a failure in words of its own.
    """
    if span.status is SpanStatus.OK:
        return stated
    kind = text(span.attributes.get("error.type"))
    said = [span.status_message, _exception(span), stated, kind]
    if span.status is SpanStatus.ERROR and not any(said):
        return "error"
    return ": ".join(_distinct(said))


def _distinct(said: list[str]) -> list[str]:
    """Texts that are in no other of them."""
    kept: list[str] = []
    for words in sorted(filter(None, said), key=len, reverse=True):
        if not any(words in other for other in kept):
            kept.append(words)
    return [words for words in dict.fromkeys(said) if words in kept]


def _exception(span: SpanRecord) -> str:
    for event in reversed(span.events):
        if event.name == "exception":
            kind = first_text(event.attributes, "exception.type")
            words = first_text(event.attributes, "exception.message")
            return ": ".join(part for part in (kind, words) if part) or "exception"
    return ""


def failure(error: str, output: Json) -> str:
    """A tool's failure, with what its result says of it.

    Args:
        error: What the span says, "" if nothing.
        output: What the tool gave.
    """
    if not error:
        return flagged_error(output)
    words = output.get("error") if isinstance(output, dict) else None
    if not isinstance(words, str) or not words or words in error:
        return error
    return f"{error}: {words[:MAX_RESULT]}"


def flagged_error(output: Json) -> str:
    """The result of a tool where a flag in it says that it is an error."""
    if not isinstance(output, dict):
        return ""
    failed = any(output.get(flag) is True for flag in _FLAGS)
    stated = output.get("status") == "error" and (
        "tool_call_id" in output or "toolUseId" in output
    )
    if not failed and not stated:
        return ""
    return dumps(first(output, "error", "content", "message") or output)[:MAX_RESULT]
