import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.importers.swe_agent import command


def spans(name):
    (trace,) = read((FIXTURES / "swe_agent" / name).read_bytes(), name)
    return {span.span_id: span for span in trace.spans}


@pytest.mark.parametrize("path", fixtures("swe_agent"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


@pytest.mark.parametrize(
    ("action", "name", "arguments"),
    [
        ("open src/a.py 4", "open", {"args": "src/a.py 4"}),
        ("edit 1:2\n    x\nend_of_edit", "edit", {"args": "1:2\n    x\nend_of_edit"}),
        ("edit\nfrom a import b", "edit", {"args": "from a import b"}),
        ("submit", "submit", {}),
    ],
)
def test_commands(action, name, arguments):
    assert command(action) == (name, arguments)


def test_demonstrations_are_left_out():
    texts = [str(span.attributes) for span in spans("first_schema.traj").values()]
    assert not any("demo" in text or "Another task" in text for text in texts)


def test_what_was_printed_is_read_by_the_next_thought():
    found = spans("first_schema.traj")
    (message,) = found["m1"].attributes["gen_ai.input.messages"]
    printed = found["m0.c0"].attributes["gen_ai.tool.call.result"]
    assert message["parts"][0]["response"] == printed


def test_function_calls_keep_their_arguments():
    call = spans("later_schema.traj")["m0.c0"].attributes["gen_ai.tool.call.arguments"]
    assert call == {"file_name": "clock.py"}


def test_outcomes_beside_the_trajectories_are_named():
    report = '{"clock-7": {"patch_successfully_applied": true, "resolved": true}}'
    (found,) = read(report, "clock-7.report.json")
    assert found.code == "not_traces"
    assert found.reason.startswith("outcomes of runs")
