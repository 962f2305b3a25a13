"""The OpenTelemetry semantic conventions for generative AI (``gen_ai.*``)."""

from __future__ import annotations

import json
from collections.abc import Mapping

from agenteval_web.demo.dialects import Exchange
from agenteval_web.demo.script import Call, Message, Turn
from agenteval_web.demo.tools import Tool
from traces.domain.records import Json

OPERATIONS = {"agent": "invoke_agent", "llm": "chat", "tool": "execute_tool"}


class GenAi:
    """Messages with parts, as JSON text in span attributes."""

    def names(self, kind: str, name: str) -> str:
        """Operation and name, as the convention says."""
        return f"{OPERATIONS[kind]} {name}"

    def agent(self, name: str, version: str, asked: str) -> dict[str, Json]:
        """``invoke_agent`` with the request as input message."""
        return {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": "local",
            "gen_ai.agent.name": name,
            "gen_ai.agent.version": version,
            "gen_ai.input.messages": _text([_message(Message("user", asked))]),
        }

    def agent_answer(self, text: str) -> Mapping[str, Json]:
        """The last answer as output message."""
        answer = {**_message(Message("assistant", text)), "finish_reason": "stop"}
        return {"gen_ai.output.messages": _text([answer])}

    def llm(self, exchange: Exchange) -> dict[str, Json]:
        """``chat`` with the whole conversation and the tool definitions."""
        finish = _finish(exchange.turn)
        said = Message("assistant", exchange.turn.text, exchange.turn.calls)
        attributes: dict[str, Json] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "local",
            "gen_ai.request.model": exchange.model.name,
            "gen_ai.response.model": exchange.model.name,
            "gen_ai.response.id": exchange.response_id,
            "gen_ai.request.temperature": 0.2,
            "gen_ai.response.finish_reasons": [finish],
            "gen_ai.usage.input_tokens": exchange.usage.read,
            "gen_ai.usage.output_tokens": exchange.usage.written,
            "gen_ai.usage.cost": exchange.usage.cost_usd,
            "gen_ai.system_instructions": _text([_part(exchange.system)]),
            "gen_ai.input.messages": _text([_message(m) for m in exchange.messages]),
            "gen_ai.output.messages": _text(
                [{**_message(said), "finish_reason": finish}]
            ),
        }
        if exchange.tools:
            definitions = [_definition(tool) for tool in exchange.tools]
            attributes["gen_ai.tool.definitions"] = _text(definitions)
        return attributes

    def tool(self, tool: str, description: str, call: Call) -> dict[str, Json]:
        """``execute_tool`` with its arguments."""
        return {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.description": description,
            "gen_ai.tool.call.id": call.call_id,
            "gen_ai.tool.call.arguments": _text(dict(call.arguments)),
        }

    def tool_result(self, text: str) -> Mapping[str, Json]:
        """What the tool gave."""
        return {"gen_ai.tool.call.result": text}


def _finish(turn: Turn) -> str:
    return "tool_calls" if turn.calls else "stop"


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _part(text: str) -> dict[str, Json]:
    return {"type": "text", "content": text}


def _message(message: Message) -> dict[str, Json]:
    if message.role == "tool":
        return {"role": "tool", "parts": [_response(message)]}
    parts = [_part(message.text)] if message.text else []
    return {"role": message.role, "parts": parts + [_call(c) for c in message.calls]}


def _response(message: Message) -> dict[str, Json]:
    return {
        "type": "tool_call_response",
        "id": message.call_id,
        "response": message.text,
    }


def _call(call: Call) -> dict[str, Json]:
    return {
        "type": "tool_call",
        "id": call.call_id,
        "name": call.tool,
        "arguments": dict(call.arguments),
    }


def _definition(tool: Tool) -> dict[str, Json]:
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
    }
