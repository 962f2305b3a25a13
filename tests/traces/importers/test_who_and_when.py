import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.importers.who_and_when import code_blocks


def spans(name):
    (trace,) = read((FIXTURES / "who_and_when" / name).read_bytes(), name)
    return {span.span_id: span for span in trace.spans}


def needs(span):
    return span.attributes.get("agenteval.depends_on", [])


@pytest.mark.parametrize("path", fixtures("who_and_when"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_the_terminal_depends_on_the_code_it_ran():
    found = spans("experts.json")
    assert needs(found["m2"]) == ["m1"]
    assert found["m2"].attributes["gen_ai.tool.name"] == "python"
    assert found["m6"].attributes["gen_ai.tool.name"] == "shell"
    assert found["m6"].status_message == "exitcode: 127 (execution failed)"


def test_the_room_hears_everything_once():
    found = spans("experts.json")
    heard = [m["name"] for m in found["m3"].attributes["gen_ai.input.messages"]]
    assert heard == ["Python_Expert", "Computer_terminal"]


def test_the_orchestrator_is_the_hub():
    found = spans("orchestrated.json")
    assert found["m2"].attributes["agenteval.handoff_to"] == "WebSurfer"
    assert needs(found["m4"]) == ["m2"]
    assert needs(found["m5"]) == ["m3", "m4"]
    assert found["m5"].attributes["agenteval.step.type"] == "PLAN"
    assert needs(found["m7"]) == ["m6"]
    assert found["m7"].status_message.endswith("exit code: 1")


def test_thoughts_are_not_heard_by_others():
    heard = spans("orchestrated.json")["m4"].attributes["gen_ai.input.messages"]
    assert [m["name"] for m in heard] == ["human", "Orchestrator"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a ```python\nx = 1\n``` b", "python\nx = 1"),
        ("```\nls\n```\n```sh\npwd\n```", "\nls\npwd"),
        ("inline ```x``` only", ""),
        ("```python\nnever closed", ""),
        ("no code", ""),
    ],
)
def test_code_in_a_turn(text, code):
    assert code_blocks(text) == code
