"""Schemas can be read, and name tools that exist."""

import json

from agenteval_web.demo import schemas
from tests.demo.spans import tool_of
from traces.domain.conformance import parse_schema


def test_one_schema_a_workflow_that_can_be_read(demo):
    parsed = [parse_schema(content) for content in schemas()]
    assert {schema.workflow for schema in parsed} == {t.workflow for t in demo.values()}
    assert json.loads(json.dumps(schemas())) == list(schemas())


def test_schemas_name_every_tool_but_the_search(demo):
    expected = {
        s["tool"] for schema in schemas() for s in schema["steps"] if "tool" in s
    }
    used = {
        tool
        for trace in demo.values()
        for span in trace.record.spans
        if (tool := tool_of(span))
    }
    assert used - expected == {"search_orders"}


def test_answers_are_the_only_free_steps():
    for schema in schemas():
        free = [step["name"] for step in schema["steps"] if "tool" not in step]
        assert free in (["answer"], ["summary"], ["report"])
