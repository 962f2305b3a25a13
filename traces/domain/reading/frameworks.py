"""Dialects of single frameworks: OpenLLMetry, Langfuse, Vercel AI, Google ADK, MLflow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traces.domain.reading.messages import read_arguments, read_messages, read_tools
from traces.domain.reading.values import (
    decimal,
    first,
    first_text,
    first_whole,
    nested,
    parsed,
    text,
    under,
)
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Role, ToolCall, Usage

TRACELOOP = {
    "workflow": Role.CHAIN,
    "task": Role.CHAIN,
    "agent": Role.AGENT,
    "tool": Role.TOOL,
}
LANGFUSE = {
    "generation": Role.LLM,
    "span": Role.CHAIN,
    "event": Role.CHAIN,
    "agent": Role.AGENT,
    "tool": Role.TOOL,
    "chain": Role.CHAIN,
    "retriever": Role.RETRIEVER,
    "embedding": Role.EMBEDDING,
    "guardrail": Role.GUARDRAIL,
    "evaluator": Role.EVALUATOR,
}
MLFLOW = {
    "LLM": Role.LLM,
    "CHAT_MODEL": Role.LLM,
    "AGENT": Role.AGENT,
    "TOOL": Role.TOOL,
    "CHAIN": Role.CHAIN,
    "RETRIEVER": Role.RETRIEVER,
    "EMBEDDING": Role.EMBEDDING,
    "RERANKER": Role.RERANKER,
    "PARSER": Role.CHAIN,
}


def read_frameworks(span: SpanRecord) -> dict[str, Any]:
    """Fields that a framework's own attributes give; {} if there are none."""
    said = span.attributes
    for reader in (_langfuse, _traceloop, _vercel, _adk, _mlflow):
        found = reader(span, said)
        if found:
            return {k: v for k, v in found.items() if v not in (None, "", ())}
    return {}


def _from_values(span: SpanRecord, role: Role | None, given: Json, output: Json) -> dict[str, Any]:
    """Input and output read as messages for models, as a call for tools."""
    found: dict[str, Any] = {"role": role, "input": given, "output": output}
    if role is Role.LLM:
        inner = under(given, "messages")
        found["input_messages"] = read_messages(inner if inner is not None else given)
        found["output_messages"] = read_messages(output, "assistant")
        found["tools"] = read_tools(under(given, "tools"))
    elif role in {Role.TOOL, Role.RETRIEVER}:
        arguments, problem = read_arguments(given)
        found["call"] = ToolCall(span.name, arguments, "", problem)
    return found


def _traceloop(span: SpanRecord, said: Mapping[str, Json]) -> dict[str, Any]:
    kind = text(said.get("traceloop.span.kind"))
    if not kind:
        return {}
    given = parsed(said.get("traceloop.entity.input"))
    output = parsed(said.get("traceloop.entity.output"))
    inner = under(given, "inputs")
    found = _from_values(span, TRACELOOP.get(kind), inner if inner is not None else given, output)
    name = first_text(said, "traceloop.entity.name")
    if found["role"] is Role.TOOL and name:
        call = found["call"]
        found["call"] = ToolCall(name, call.arguments, "", call.malformed)
    if found["role"] is Role.AGENT:
        found["agent"] = name
    return found


def _langfuse(span: SpanRecord, said: Mapping[str, Json]) -> dict[str, Any]:
    kind = first_text(said, "langfuse.observation.type").casefold()
    if not kind and "langfuse.observation.input" not in said:
        return {}
    found = _from_values(
        span,
        LANGFUSE.get(kind),
        parsed(said.get("langfuse.observation.input")),
        parsed(said.get("langfuse.observation.output")),
    )
    usage = parsed(said.get("langfuse.observation.usage_details"))
    cost = parsed(said.get("langfuse.observation.cost_details"))
    found["model"] = first_text(said, "langfuse.observation.model.name")
    found["usage"] = Usage(
        input=first_whole(usage, "input", "prompt_tokens") if isinstance(usage, dict) else None,
        output=first_whole(usage, "output", "completion_tokens") if isinstance(usage, dict) else None,
        cost_usd=decimal(under(cost, "total")),
    )
    definitions = parsed(said.get("langfuse.observation.tool_definitions"))
    if definitions:
        found["tools"] = read_tools(definitions)
    return found


def _vercel(span: SpanRecord, said: Mapping[str, Json]) -> dict[str, Any]:
    operation = text(said.get("ai.operationId")) or text(said.get("operation.name"))
    if not operation.startswith("ai."):
        return {}
    if "toolCall" in operation:
        arguments, problem = read_arguments(said.get("ai.toolCall.args"))
        name, call_id = first_text(said, "ai.toolCall.name"), first_text(said, "ai.toolCall.id")
        call = ToolCall(name, arguments, call_id, problem)
        result = parsed(said.get("ai.toolCall.result"))
        return {"role": Role.TOOL, "call": call, "input": arguments, "output": result}
    prompt = parsed(first(said, "ai.prompt.messages", "ai.prompt"))
    answer = {
        "role": "assistant",
        "content": first_text(said, "ai.response.text", "ai.response.object"),
        "tool_calls": parsed(said.get("ai.response.toolCalls")),
    }
    inner = operation.count(".") >= 2 and operation.rsplit(".", 1)[-1].startswith("do")
    return {
        "role": Role.LLM if inner else Role.AGENT,
        "input_messages": read_messages(prompt),
        "output_messages": read_messages([answer], "assistant"),
        "input": prompt,
        "output": answer["content"],
        "model": first_text(said, "ai.response.model", "ai.model.id"),
        "provider": first_text(said, "ai.model.provider"),
        "finish_reason": first_text(said, "ai.response.finishReason"),
        "usage": Usage(
            input=first_whole(said, "ai.usage.promptTokens", "ai.usage.inputTokens"),
            output=first_whole(said, "ai.usage.completionTokens", "ai.usage.outputTokens"),
        ),
    }


def _adk(span: SpanRecord, said: Mapping[str, Json]) -> dict[str, Any]:
    start = "gcp.vertex.agent."
    if not any(key.startswith(start) for key in said):
        return {}
    if first(said, f"{start}tool_call_args", f"{start}tool_response") is not None:
        arguments, problem = read_arguments(said.get(f"{start}tool_call_args"))
        name = first_text(said, "gen_ai.tool.name") or span.name.removeprefix("execute_tool ")
        response = parsed(said.get(f"{start}tool_response"))
        call_id = first_text(said, "gen_ai.tool.call.id") or text(under(response, "id"))
        call = ToolCall(name, arguments, call_id, problem)
        return {"role": Role.TOOL, "call": call, "input": arguments, "output": response}
    request = parsed(said.get(f"{start}llm_request"))
    response = parsed(said.get(f"{start}llm_response"))
    if not isinstance(request, dict):
        return {}
    system = read_messages(under(request, "config", "system_instruction"), "system")
    return {
        "role": Role.LLM,
        "input_messages": system + read_messages(under(request, "contents")),
        "output_messages": read_messages(under(response, "content"), "assistant"),
        "tools": read_tools(under(request, "config", "tools")),
        "finish_reason": text(under(response, "finish_reason")),
    }


def _mlflow(span: SpanRecord, said: Mapping[str, Json]) -> dict[str, Any]:
    kind = text(parsed(said.get("mlflow.spanType"))).strip('"').upper()
    if not kind and "mlflow.spanInputs" not in said:
        return {}
    return _from_values(
        span,
        MLFLOW.get(kind),
        parsed(said.get("mlflow.spanInputs")),
        parsed(said.get("mlflow.spanOutputs")),
    )


def flat_prompts(said: Mapping[str, Json]) -> dict[str, Any]:
    """The oldest OpenLLMetry keys: ``llm.prompts.0.role``."""
    given = read_messages(nested(said, "llm.prompts"))
    answered = read_messages(nested(said, "llm.completions"), "assistant")
    if not given and not answered:
        return {}
    return {"role": Role.LLM, "input_messages": given, "output_messages": answered}
