"""Every trace is what an SDK would export, odd only where it is meant to be."""

import json
import re
from collections import Counter

import pytest

from agenteval_web.demo.catalog import scenarios
from tests.demo.spans import asked_calls, call_id_of, tool_of
from traces.domain.records import SpanStatus

NAMES = [scenario.slug for scenario in scenarios()]
ORPHANS = {"carrier_down"}
SKEWED = {"contract_filed"}
UNFINISHED = {"killed_while_reading"}
every = pytest.mark.parametrize("name", NAMES)


@every
def test_ids_are_hexadecimal_and_unique(demo, name):
    spans = demo[name].record.spans
    assert re.fullmatch(r"[0-9a-f]{32}", demo[name].record.trace_id)
    assert all(re.fullmatch(r"[0-9a-f]{16}", span.span_id) for span in spans)
    assert len({span.span_id for span in spans}) == len(spans)
    assert {span.trace_id for span in spans} == {demo[name].record.trace_id}


@every
def test_parents_exist_and_there_is_one_root(demo, name):
    spans = demo[name].record.spans
    ids = {span.span_id for span in spans}
    missing = [s for s in spans if s.parent_id and s.parent_id not in ids]
    assert [tool_of(span) for span in missing] == (
        ["track_parcel"] if name in ORPHANS else []
    )
    assert sum(span.parent_id is None for span in spans) == 1


@every
def test_children_run_within_their_parents(demo, name):
    spans = {span.span_id: span for span in demo[name].record.spans}
    inside = [
        spans[s.parent_id].start_ns <= s.start_ns
        and (s.end_ns or 0) <= (spans[s.parent_id].end_ns or s.end_ns or 0)
        for s in spans.values()
        if s.parent_id in spans
    ]
    assert all(inside) == (name not in SKEWED)


@every
def test_only_a_killed_run_has_open_spans(demo, name):
    open_spans = [s.name for s in demo[name].record.spans if s.end_ns is None]
    killed = ["execute_tool read_document", "invoke_agent document_clerk"]
    assert sorted(open_spans) == (killed if name in UNFINISHED else [])


@every
def test_spans_are_json_values(demo, name):
    for span in demo[name].record.spans:
        assert json.loads(json.dumps(dict(span.attributes))) == span.attributes


@every
def test_every_tool_run_answers_one_call(demo, name):
    spans = demo[name].record.spans
    asked = Counter(call for span in spans for call in asked_calls(span))
    ran = Counter(call for span in spans if (call := call_id_of(span)))
    assert asked == ran
    assert set(asked.values()) <= {1}


@every
def test_errors_carry_a_kind_and_an_exception(demo, name):
    for span in demo[name].record.spans:
        failed = span.status is SpanStatus.ERROR
        assert failed == ("error.type" in span.attributes) == bool(span.events)


@every
def test_model_calls_name_model_and_tokens(demo, name):
    keys = (
        ("gen_ai.request.model", "gen_ai.usage.input_tokens", "gen_ai.usage.cost"),
        ("llm.model_name", "llm.token_count.prompt", "llm.cost.total"),
    )
    for span in demo[name].record.spans:
        for model, tokens, cost in keys:
            if model in span.attributes:
                assert span.attributes[model] in {"small-chat-1", "large-chat-2"}
                assert span.attributes[tokens] > 0
                assert 0 < span.attributes[cost] < 0.2


def test_both_conventions_and_declared_steps_are_there(demo):
    keys = Counter()
    for trace in demo.values():
        found = {key for span in trace.record.spans for key in span.attributes}
        keys.update(
            key
            for key in ("gen_ai.agent.name", "llm.model_name", "agenteval.step.type")
            if key in found
        )
    assert keys == {
        "gen_ai.agent.name": 35,
        "llm.model_name": 10,
        "agenteval.step.type": 3,
    }


def test_declared_dependencies_are_spans_of_the_trace(demo):
    for name in ("nightly_report", "report_of_wrong_month", "mail_intake"):
        spans = demo[name].record.spans
        ids = {span.span_id for span in spans}
        for span in spans:
            assert ids.issuperset(span.attributes.get("agenteval.depends_on", ()))


def test_two_spans_link_to_each_other(demo):
    spans = demo["swapped_notice"].record.spans
    links = {span.span_id: span.links[0].span_id for span in spans if span.links}
    assert len(links) == 2
    assert all(links[links[span_id]] == span_id for span_id in links)


def test_the_slow_clock_puts_a_tool_before_its_agent(demo):
    spans = {span.name: span for span in demo["contract_filed"].record.spans}
    agent = spans["invoke_agent document_clerk"]
    assert spans["execute_tool read_document"].start_ns < agent.start_ns


def test_workers_of_one_name_run_at_the_same_time(demo):
    workers = [
        s for s in demo["three_workers"].record.spans if s.name == "invoice_worker"
    ]
    assert len(workers) == 3
    assert max(w.start_ns for w in workers) < min(w.end_ns for w in workers)
