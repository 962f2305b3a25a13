"""Unmodified SDKs send; what arrives is one trace with the right steps."""

from __future__ import annotations

import openai
import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from openinference.instrumentation.langchain import LangChainInstrumentor
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.trace import Link, Status, StatusCode

from tests.sdk.conftest import kinds, types
from tests.sdk.scripted_model import calls, says, scripted_model

pytestmark = pytest.mark.sdk

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_order",
            "description": "Look an order up",
            "parameters": {
                "type": "object",
                "properties": {"order_id": {"type": "string"}},
                "required": ["order_id"],
            },
        },
    }
]
ORDER = {"order_id": "TB-4821"}
RESULT = '{"order": "TB-4821", "parcel": "PX-77102"}'
ANSWER = "It is on its way, parcel PX-77102."


def test_the_opentelemetry_sdk(provider, arrived):
    tracer = provider.get_tracer("shop")
    with tracer.start_as_current_span("invoke_agent") as agent:
        agent.set_attribute("gen_ai.operation.name", "invoke_agent")
        agent.set_attribute("gen_ai.agent.name", "support")
        with tracer.start_as_current_span("search") as search:
            search.set_attribute("gen_ai.operation.name", "execute_tool")
            search.set_attribute("gen_ai.tool.name", "search")
            search.set_attribute("flags", [True, False])
            search.set_attribute("numbers", [1, 2, 3])
            search.set_attribute("share", 0.5)
            search.set_attribute("gen_ai.tool.call.result", "TB-4821")
        link = Link(search.get_span_context())
        with tracer.start_as_current_span("book", links=[link]) as book:
            book.set_attribute("gen_ai.operation.name", "execute_tool")
            book.set_attribute("gen_ai.tool.name", "book")
            book.record_exception(TimeoutError("no answer in 30 s"))
            book.set_status(Status(StatusCode.ERROR, "timed out after 30 s"))
    trace, graph = arrived()
    assert [(s.type, s.tool, s.agent, s.error) for s in graph.steps] == [
        ("EXEC", "search", "support", False),
        ("EXEC", "book", "support", True),
    ]
    assert kinds(graph) == {("EXEC", "EXEC", "declared")}
    assert trace.root_category == "timeout"


def test_spans_that_come_later_join_their_trace(provider, arrived, project):
    tracer = provider.get_tracer("shop")
    with tracer.start_as_current_span("agent") as agent:
        agent.set_attribute("openinference.span.kind", "AGENT")
        with tracer.start_as_current_span("early") as early:
            early.set_attribute("openinference.span.kind", "TOOL")
        provider.force_flush()
        with tracer.start_as_current_span("late") as late:
            late.set_attribute("openinference.span.kind", "TOOL")
    trace, graph = arrived()
    assert trace.span_count == 3
    assert [step.name for step in graph.steps] == ["early", "late"]
    assert {step.group for step in graph.steps} == {graph.groups[0].key}


def test_openinference_for_openai(provider, arrived):
    instrumentor = OpenAIInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    try:
        with scripted_model(calls(("call_1", "get_order", ORDER)), says(ANSWER)) as url:
            client = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
            run_loop(client, provider.get_tracer("shop"))
    finally:
        instrumentor.uninstrument()
    trace, graph = arrived()
    assert types(graph) == [
        "BOUNDARY",
        "BOUNDARY",
        "TOOLSEL",
        "PARAMGEN",
        "EXEC",
        "SYNTH",
    ]
    assert kinds(graph) >= {
        ("TOOLSEL", "PARAMGEN", "call"),
        ("PARAMGEN", "EXEC", "call"),
        ("BOUNDARY", "PARAMGEN", "data"),
        ("EXEC", "SYNTH", "data"),
    }
    assert (trace.input_tokens, trace.output_tokens) == (80, 14)
    assert trace.model == "small-chat-1"
    assert trace.failed_count == 0


def run_loop(client: openai.OpenAI, tracer) -> None:
    """A turn of an agent that uses one tool."""
    messages: list = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Where is TB-4821?"},
    ]
    with tracer.start_as_current_span("support") as span:
        span.set_attribute("openinference.span.kind", "AGENT")
        first = client.chat.completions.create(
            model="small-chat-1", messages=messages, tools=TOOLS
        )
        message = first.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        messages += [
            {"role": "tool", "tool_call_id": call.id, "content": RESULT}
            for call in message.tool_calls or ()
        ]
        client.chat.completions.create(model="small-chat-1", messages=messages)


@tool
def get_order(order_id: str) -> str:
    """Look an order up."""
    return RESULT


def test_openinference_for_langchain(provider, arrived):
    wanted = {"name": "get_order", "args": ORDER, "id": "call_1", "type": "tool_call"}
    script = iter([AIMessage("", tool_calls=[wanted]), AIMessage(ANSWER)])
    model = GenericFakeChatModel(messages=script)

    def turn(question: str) -> str:
        messages = [HumanMessage(question)]
        asked = model.invoke(messages)
        for call in asked.tool_calls:
            result = get_order.invoke(call)
            assert isinstance(result, ToolMessage)
            messages += [asked, result]
        return str(model.invoke(messages).content)

    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    try:
        RunnableLambda(turn, name="support").invoke("Where is TB-4821?")
    finally:
        instrumentor.uninstrument()
    _, graph = arrived()
    assert types(graph) == ["BOUNDARY", "TOOLSEL", "PARAMGEN", "EXEC", "SYNTH"]
    assert kinds(graph) >= {
        ("TOOLSEL", "PARAMGEN", "call"),
        ("PARAMGEN", "EXEC", "call"),
        ("EXEC", "SYNTH", "data"),
    }
