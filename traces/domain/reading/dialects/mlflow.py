"""MLflow: ``mlflow.span*`` and ``mlflow.chat.*``, values as JSON text."""

from __future__ import annotations

from collections.abc import Mapping

from traces.domain.reading.calls import read_tools, run_arguments
from traces.domain.reading.fields import Fields
from traces.domain.reading.messages import read_messages
from traces.domain.reading.usage import read_usage
from traces.domain.reading.values import first_text, given, mapping, text
from traces.domain.records import Json, SpanRecord
from traces.domain.view import Role, ToolCall

KINDS = {
    "LLM": Role.LLM,
    "CHAT_MODEL": Role.LLM,
    "AGENT": Role.AGENT,
    "TOOL": Role.TOOL,
    "CHAIN": Role.CHAIN,
    "WORKFLOW": Role.CHAIN,
    "TASK": Role.CHAIN,
    "PARSER": Role.CHAIN,
    "MEMORY": Role.CHAIN,
    "RETRIEVER": Role.RETRIEVER,
    "EMBEDDING": Role.EMBEDDING,
    "RERANKER": Role.RERANKER,
    "GUARDRAIL": Role.GUARDRAIL,
    "EVALUATOR": Role.EVALUATOR,
}
_RUNS = frozenset({Role.TOOL, Role.RETRIEVER})


def read_mlflow(span: SpanRecord) -> Fields:
    """Fields that MLflow's attributes give."""
    said = span.attributes
    if not any(key.startswith("mlflow.") for key in said):
        return {}
    role = KINDS.get(_unquoted(said, "mlflow.spanType").upper())
    found: Fields = {
        "role": role,
        "input": given(said, "mlflow.spanInputs"),
        "output": given(said, "mlflow.spanOutputs"),
        "usage": read_usage(mapping(said.get("mlflow.chat.tokenUsage"))),
        "tools": read_tools(given(said, "mlflow.chat.tools")),
        "model": _unquoted(said, "mlflow.llm.model"),
        "provider": _unquoted(said, "mlflow.llm.provider"),
    }
    if role in _RUNS:
        arguments, malformed = run_arguments(said.get("mlflow.spanInputs"))
        name = _unquoted(said, "mlflow.spanFunctionName") or span.name
        found["call"] = ToolCall(name, arguments, "", malformed)
        found["input"] = arguments
    elif role is Role.LLM and "mlflow.chat.messages" in said:
        found |= _chat(said)
    return found


def _chat(said: Mapping[str, Json]) -> Fields:
    """The whole conversation, the model's answer last."""
    messages = read_messages(said["mlflow.chat.messages"])
    answered = messages and messages[-1].role == "assistant"
    split = len(messages) - 1 if answered else len(messages)
    return {"input_messages": messages[:split], "output_messages": messages[split:]}


def _unquoted(said: Mapping[str, Json], key: str) -> str:
    """A text that may have been encoded as JSON."""
    return text(first_text(said, key).strip('"'))
