"""The OpenInference conventions: flat keys with running numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from agenteval_web.demo.dialects import Exchange
from agenteval_web.demo.script import Call, Message
from agenteval_web.demo.tools import Tool
from traces.domain.records import Json


class OpenInference:
    """Span kind, input and output values, numbered messages."""

    def names(self, kind: str, name: str) -> str:
        """Agents and tools by name, model calls by what was called."""
        return "ChatCompletion" if kind == "llm" else name

    def agent(self, name: str, version: str, asked: str) -> dict[str, Json]:
        """``AGENT`` with the request as input value."""
        return {
            "openinference.span.kind": "AGENT",
            "agent.name": name,
            "metadata": json.dumps({"agent_version": version}),
            "input.value": asked,
            "input.mime_type": "text/plain",
        }

    def agent_answer(self, text: str) -> Mapping[str, Json]:
        """The last answer as output value."""
        return {"output.value": text, "output.mime_type": "text/plain"}

    def llm(self, exchange: Exchange) -> dict[str, Json]:
        """``LLM`` with numbered messages, tools and token counts."""
        usage = exchange.usage
        given = [Message("system", exchange.system), *exchange.messages]
        said = Message("assistant", exchange.turn.text, exchange.turn.calls)
        return {
            "openinference.span.kind": "LLM",
            "llm.model_name": exchange.model.name,
            "llm.provider": "local",
            "llm.invocation_parameters": json.dumps({"temperature": 0.2}),
            "llm.token_count.prompt": usage.read,
            "llm.token_count.completion": usage.written,
            "llm.token_count.total": usage.read + usage.written,
            "llm.cost.total": usage.cost_usd,
            **dict(_messages("llm.input_messages", given)),
            **dict(_messages("llm.output_messages", [said])),
            **{
                f"llm.tools.{number}.tool.json_schema": _schema(tool)
                for number, tool in enumerate(exchange.tools)
            },
        }

    def tool(self, tool: str, description: str, call: Call) -> dict[str, Json]:
        """``TOOL`` with its arguments as input value."""
        return {
            "openinference.span.kind": "TOOL",
            "tool.name": tool,
            "tool.description": description,
            "tool.id": call.call_id,
            "input.value": json.dumps(dict(call.arguments), ensure_ascii=False),
            "input.mime_type": "application/json",
        }

    def tool_result(self, text: str) -> Mapping[str, Json]:
        """What the tool gave as output value."""
        mime = "application/json" if text[:1] in "{[" else "text/plain"
        return {"output.value": text, "output.mime_type": mime}


def _messages(prefix: str, messages: list[Message]) -> Iterator[tuple[str, Json]]:
    for number, message in enumerate(messages):
        key = f"{prefix}.{number}.message"
        yield f"{key}.role", message.role
        if message.text:
            yield f"{key}.content", message.text
        if message.call_id:
            yield f"{key}.tool_call_id", message.call_id
            yield f"{key}.name", message.tool
        for place, call in enumerate(message.calls):
            yield from _call(f"{key}.tool_calls.{place}.tool_call", call)


def _call(key: str, call: Call) -> Iterator[tuple[str, Json]]:
    yield f"{key}.id", call.call_id
    yield f"{key}.function.name", call.tool
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    yield f"{key}.function.arguments", arguments


def _schema(tool: Tool) -> str:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }
    return json.dumps({"type": "function", "function": function})
