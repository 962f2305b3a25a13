"""Tools refuse what their schema doesn't allow."""

import pytest

from agenteval_web.demo.tools import Outage, Tool, Toolbox, ToolError, invalid, schema

ORDER = schema({"id": "string: Number", "count": "integer: Pieces"}, size="S|M: Size")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"id": "A", "count": 2}, ""),
        ({"id": "A", "count": 2, "size": "S"}, ""),
        ({"count": 2}, "'id' is a required property"),
        ({"id": "", "count": 2}, "'id' is a required property"),
        ({"id": "A", "count": "2"}, "'2' is not of type 'integer' (count)"),
        ({"id": "A", "count": 2, "x": 1}, "'x' is not a known property"),
        ({"id": "A", "count": 2, "size": "L"}, "'L' is not one of ['S', 'M'] (size)"),
    ],
)
def test_arguments_are_held_against_the_schema(arguments, problem):
    assert invalid(ORDER, arguments) == problem


def box(**outages):
    tool = Tool("count", "Counts.", ORDER, lambda given: {"n": given["count"]})
    return Toolbox.of([tool], outages)


def test_tool_gives_json_text():
    assert box().run("count", {"id": "A", "count": 2}) == '{"n": 2}'


def test_unknown_tool_is_refused():
    with pytest.raises(ToolError, match="Unknown tool 'guess'"):
        box().run("guess", {})


def test_outages_are_used_up_in_order():
    tools = box(count=[Outage("TimeoutError", "slow"), Outage("", "{")])
    found = [tools.next_outage("count") for _ in range(3)]
    assert [outage and outage.text for outage in found] == ["slow", "{", None]
