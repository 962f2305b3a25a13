"""docs/demo.md names every run with its version and its fault."""

from pathlib import Path

from agenteval_web.demo.catalog import scenarios

PAGE = Path(__file__).parents[2] / "docs" / "demo.md"


def rows():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    return [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]


def expected(scenario, trace):
    if trace.fault:
        return f"`{trace.fault.category}`: {trace.fault.description}"
    return f"healthy: {scenario.play.__doc__.strip().splitlines()[0]}"


def test_page_lists_every_run(demo):
    listed = [row for row in rows() if row[0] not in {"trace", "---"}]
    assert listed == [
        [s.title, s.version, expected(s, demo[s.slug])] for s in scenarios()
    ]
