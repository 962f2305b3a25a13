"""Agent traces for measuring: deterministic, of a size as they are met."""

from __future__ import annotations

import random

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)

WORDS = [
    f"{a}{b}"
    for a in ["ba", "de", "fi", "go", "lu", "mi", "no", "ra", "su", "ti"]
    for b in ["lor", "mon", "ned", "pas", "rit", "sek", "tun", "vad"]
]
LENGTH = 300
"""Words of text a model call: about 2 KB."""


def request(spans: int, seed: int, trace: int = 0) -> ExportTraceServiceRequest:
    """One trace: an agent that looks things up, one call after the other."""
    chance = random.Random(seed)
    made = ExportTraceServiceRequest()
    listed = made.resource_spans.add().scope_spans.add().spans
    trace_id = (trace + 1).to_bytes(16, "big")
    start = 1_700_000_000_000_000_000
    for number in range(spans):
        # Some servers take a span's id for unique over all traces.
        span = listed.add(trace_id=trace_id, span_id=span_id(trace, number))
        span.start_time_unix_nano = start + number * 1_000_000
        span.end_time_unix_nano = span.start_time_unix_nano + 900_000
        if number == 0:
            span.name = "invoke_agent desk"
            span.end_time_unix_nano = start + spans * 1_000_000
            say(span, "gen_ai.operation.name", "invoke_agent")
            say(span, "gen_ai.agent.name", "desk")
            continue
        span.parent_span_id = span_id(trace, 0)
        model_call(span, number, chance) if number % 2 else tool_run(span, number)
    return made


def span_id(trace: int, number: int) -> bytes:
    return ((trace + 1 << 24) + number + 1).to_bytes(8, "big")


def say(span, key: str, value: str) -> None:
    span.attributes.add(key=key).value.string_value = value


def model_call(span, number: int, chance: random.Random) -> None:
    span.name = "chat"
    text = " ".join(chance.choice(WORDS) for _ in range(LENGTH))
    say(span, "gen_ai.operation.name", "chat")
    say(span, "gen_ai.request.model", "small-chat-1")
    say(span, "gen_ai.completion.0.role", "assistant")
    say(span, "gen_ai.completion.0.content", text)
    call = "gen_ai.completion.0.tool_calls.0"
    say(span, f"{call}.id", f"c{number}")
    say(span, f"{call}.name", "look_up")
    say(span, f"{call}.arguments", f'{{"id": "ID-{number:06d}"}}')


def tool_run(span, number: int) -> None:
    span.name = "look_up"
    say(span, "gen_ai.operation.name", "execute_tool")
    say(span, "gen_ai.tool.name", "look_up")
    say(span, "gen_ai.tool.call.id", f"c{number - 1}")
    say(span, "gen_ai.tool.call.arguments", f'{{"id": "ID-{number - 1:06d}"}}')
    say(
        span,
        "gen_ai.tool.call.result",
        f'{{"next": "ID-{number + 1:06d}", "state": "done"}}',
    )
