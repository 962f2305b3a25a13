"""The same run told in several conventions is the same run."""

import json

import pytest

from tests.cases.conftest import agent, llm, parents, request, span, tool
from traces.models import Trace

ASKED = [{"role": "user", "parts": [{"type": "text", "content": "When is high tide?"}]}]
TOLD = [
    {
        "role": "assistant",
        "parts": [{"type": "text", "content": "At 06:12."}],
        "finish_reason": "stop",
    }
]
KEYS = ("gen_ai.input.messages", "gen_ai.output.messages")
CHAT = {"gen_ai__operation__name": "chat", "gen_ai__request__model": "m"}


def any_value(value):
    """A JSON value as OTLP sends it in parts."""
    if isinstance(value, dict):
        pairs = [{"key": key, "value": any_value(part)} for key, part in value.items()]
        return {"kvlistValue": {"values": pairs}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(part) for part in value]}}
    return {"stringValue": value}


def as_text():
    texts = dict(zip(KEYS, map(json.dumps, (ASKED, TOLD)), strict=True))
    return span(1, **CHAT, **texts)


def as_structure():
    values = dict(zip(KEYS, map(any_value, (ASKED, TOLD)), strict=True))
    return span(1, **CHAT, **values)


def as_event():
    pairs = zip(KEYS, map(any_value, (ASKED, TOLD)), strict=True)
    event = {
        "name": "gen_ai.client.inference.operation.details",
        "timeUnixNano": "1",
        "attributes": [{"key": key, "value": value} for key, value in pairs],
    }
    return span(1, **CHAT, fields={"events": [event]})


@pytest.mark.parametrize("shape", [as_text, as_structure, as_event])
def test_messages_in_any_shape_read_the_same(take, opened, shape):
    take(request(shape()))
    graph = opened()
    assert [step["type"] for step in graph["steps"]] == ["BOUNDARY", "SYNTH"]
    assert Trace.objects.get().preview == "When is high tide?"
    assert "06:12" in Trace.objects.get().search


def test_a_web_request_around_an_agent_is_no_step_of_it(take, opened):
    web = {
        "http__request__method": "POST",
        "url__path": "/chat",
        "http__route": "/chat",
    }
    take(
        request(
            span(1, lasts=100, fields={"name": "POST /chat", "kind": 2}, **web),
            agent(2, 1, start=1, lasts=90, agent__name="Tides", input__value="Tide?"),
            llm(3, 2, start=2, text="looking it up"),
            tool(4, 2, start=20, result="06:12"),
            llm(5, 2, start=40, text="At 06:12."),
        )
    )
    graph = opened()
    assert f"{1:016x}" not in {step["span"] for step in graph["steps"]}
    assert 4 in parents(graph, 5)
    trace = Trace.objects.get()
    assert (trace.agent, trace.preview) == ("Tides", "Tide?")


def test_a_call_without_kind_or_status_is_a_span_like_any(take, opened):
    take(request(tool(1, fields={"kind": None, "status": None})))
    assert len(opened()["steps"]) == 1
