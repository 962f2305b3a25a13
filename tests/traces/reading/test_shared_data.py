"""Published OTLP traces that nobody here made, and the turns they should show.

The traces are not part of the repository; where they are missing these tests
are left out and say so. The counts are printed (``pytest -rP``).
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import shared_folder
from traces.domain.reading import read_span
from traces.domain.records import Reject, SpanRecord
from traces.domain.view import Role, SpanView
from traces.importers import otlp
from traces.importers.base import Limits

pytestmark = pytest.mark.shared_data


def folder() -> Path:
    path = shared_folder() / "data" / "otlp_genai" / "agentevals"
    if not path.is_dir():
        pytest.skip("the published traces hold no otlp_genai")
    return path


def read(path: Path) -> list[tuple[SpanRecord, SpanView]]:
    """Spans of a file in time order, each with its view."""
    spans: dict[str, SpanRecord] = {}
    with path.open("rb") as source:
        for one in otlp.read(source, name=path.name, limits=Limits()):
            assert not isinstance(one, Reject), one
            assert one.rejects == ()
            for span in one.spans:
                spans.setdefault(span.span_id, span)
    order = sorted(spans.values(), key=lambda span: (span.start_ns or 0, span.span_id))
    return [(span, read_span(span)) for span in order]


def turns(path: Path) -> list[dict]:
    return json.loads(path.with_suffix(".truth.json").read_text())["turns"]


def files(group: str) -> list[Path]:
    found = sorted(folder().glob(f"{group}/**/*.json"))
    return [path for path in found if ".truth." not in path.name]


@pytest.mark.parametrize("group", ["hand", "adk_py", "kagent"])
def test_every_file_is_read(group):
    roles: Counter[str] = Counter()
    for path in files(group):
        roles += Counter(str(view.role) for _, view in read(path))
    print(f"otlp_genai/{group}: {dict(roles.most_common())}")
    assert {"llm", "agent"} <= set(roles)


def calls(views: list[tuple[SpanRecord, SpanView]]) -> list[SpanView]:
    """Model calls, and of nested ones the inner (two on each other count once)."""
    known = {span.span_id for span, view in views if view.role is Role.LLM}
    outer = {span.parent_id for span, view in views if view.role is Role.LLM} & known
    found = [view for span, view in views if span.span_id in known - outer]
    return found or [view for span, view in views if span.span_id in known][:1]


def by_trace(
    views: list[tuple[SpanRecord, SpanView]],
) -> list[list[tuple[SpanRecord, SpanView]]]:
    traces: dict[str, list[tuple[SpanRecord, SpanView]]] = {}
    for span, view in views:
        traces.setdefault(span.trace_id, []).append((span, view))
    return list(traces.values())


def first_question(models: list[SpanView]) -> str:
    asked = [
        one.text for view in models for one in view.input_messages if one.role == "user"
    ]
    return next((text for text in asked if text), "")


def asked_calls(models: list[SpanView]) -> list[tuple[str, object]]:
    found: dict[str, tuple[str, object]] = {}
    for view in models:
        for message in view.output_messages:
            for call in message.tool_calls:
                found[call.call_id] = (call.name, call.arguments)
    return list(found.values())


@pytest.mark.parametrize(
    "name",
    [
        "details_event_log_debug", "duplicate_span_ids", "ext_eval_eventName",
        "ext_eval_span_event", "failed_inference_then_retry", "mcp_tool_call",
        "openai_v2_logs_no_span_id_single", "openai_v2_logs_span_id", "remote_parent_root",
        "strands_span_events", "tool_error_no_error_type", "two_span_cycle",
        "upstream_new_parts", "util_genai_openai_tool_loop",
    ],
)  # fmt: skip
def test_turns_of_hand_made_files(name):
    path = folder() / "hand" / f"{name}.json"
    if not path.is_file():
        pytest.skip(f"the published traces hold no {name}")
    expected = turns(path)
    for views, turn in zip(by_trace(read(path)), expected, strict=True):
        models = calls(views)
        assert first_question(models) == turn["user_text"]
        assert models[-1].output_messages[-1].text == turn["final_text"]
        assert sum(view.usage.input or 0 for view in models) == turn["tokens"]["input"]
        assert (
            sum(view.usage.output or 0 for view in models) == turn["tokens"]["output"]
        )
        agents = {view.agent for _, view in views if view.role is Role.AGENT}
        assert agents == set(turn["agents"])
        wanted = [(call["name"], call["args"]) for call in turn["tool_calls"]]
        assert asked_calls(models) == wanted
        for call in turn["tool_calls"]:
            runs = [
                v
                for _, v in views
                if v.role is Role.TOOL and v.call.name == call["name"]
            ]
            assert all(bool(run.error) == call["is_error"] for run in runs)
            assert all(run.output == call["result"] for run in runs)


@pytest.mark.parametrize(
    "mode", ["v1_default", "v1_event_stable", "v2_event_only", "v2_span_only"]
)
def test_turns_of_recorded_runs(mode):
    compared = 0
    for path in files(f"adk_py/{mode}"):
        expected, traces = turns(path), by_trace(read(path))
        if len(expected) != 1 or len(traces) != 1 or not expected[0].get("final_text"):
            continue
        models = [view for view in calls(traces[0]) if view.output_messages]
        assert first_question(models) == expected[0]["user_text"], path
        answers = [view.output_messages[-1].text for view in models]
        assert expected[0]["final_text"] in answers, path
        runs = {view.call.name for _, view in traces[0] if view.call}
        assert {call["name"] for call in expected[0]["tool_calls"]} <= runs, path
        compared += 1
    print(f"adk_py/{mode}: {compared} runs compared")
    assert compared


def test_runs_without_content_say_so():
    for path in files("adk_py/v2_no_content"):
        models = [view for _, view in read(path) if view.role is Role.LLM]
        silent = [view for view in models if not view.output_messages]
        assert all(view.content_omitted for view in silent), path
