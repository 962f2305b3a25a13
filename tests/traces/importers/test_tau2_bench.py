import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.domain.records import Reject, TraceRecord

FILE = (FIXTURES / "tau2_bench" / "telecom.json").read_bytes()


def traces():
    return [one for one in read(FILE) if isinstance(one, TraceRecord)]


@pytest.mark.parametrize("path", fixtures("tau2_bench"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_labels_say_how_the_run_ended():
    found = [(one.kind, one.value, one.note) for one in traces()[0].labels]
    assert found == [
        ("outcome", "failed", ""),
        ("score", "0.0", "reward"),
        ("score", "1.0", "DB"),
        ("score", "0.0", "COMMUNICATE"),
    ]


@pytest.mark.parametrize("number", [0, 1])
def test_parallel_calls_fan_out_and_join(number):
    graph = build_graph(traces()[number].spans).graph
    runs = [step.key for step in graph.steps if step.type == "EXEC"]
    assert len(runs) == 2
    joined = [{e.target for e in graph.edges if e.source == key} for key in runs]
    assert set.intersection(*joined)


def test_the_users_tools_are_outside_of_the_agent():
    spans = {span.span_id: span.attributes for span in traces()[0].spans}
    kinds = [spans[f"m{n}"]["agenteval.boundary"] for n in (6, 7, 8, 9)]
    assert kinds == ["user", "environment", "environment", "user"]
    assert spans["m8"]["agenteval.depends_on"] == ["m6"]
    assert spans["m9"]["agenteval.depends_on"] == ["m6", "m7", "m8"]


def test_tokens_are_the_agents():
    graph = build_graph(traces()[0].spans)
    used = {key: v.usage.input for key, v in graph.views.items() if v.usage.input}
    assert used == {"m2": 50}


def test_a_bad_simulation_costs_only_itself():
    rejects = [one for one in read(FILE) if isinstance(one, Reject)]
    assert [one.code for one in rejects] == ["no_messages", "no_messages"]
    assert rejects[0].place.endswith("simulations[2]")
