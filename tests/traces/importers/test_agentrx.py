import json

import pytest

from tests.traces.importers.golden import FIXTURES, check, fixtures, label, read
from traces.domain.graph.build import build_graph
from traces.importers.agentrx import category

TURNS = (FIXTURES / "agentrx" / "0a1b2c3d.json").read_bytes()
FAILURES = [
    {
        "trajectory_id": 7,
        "failures": [
            {
                "failure_id": 1,
                "step_number": 2,
                "step_reason": "It guessed.",
                "failure_category": "Intent Plan Misalignment",
                "category_reason": "Not asked for.",
                "failed_agent": "Assistant",
            },
            {"failure_id": 2, "step_number": 3, "failed_agent": "User"},
            {"failure_id": 3, "step_number": "x"},
        ],
        "root_cause": {"failure_id": 2, "reason_for_root_cause": "No way back."},
        "failure_summary": "The order was lost.",
    },
    {"trajectory_id": 8, "failures": []},
    {"policy": 1},
]
RUN = {
    "task_id": 7,
    "trial": 0,
    "reward": 0.0,
    "records": {},
    "traj": [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Cancel it."},
        {"role": "assistant", "content": "Done."},
    ],
}


@pytest.mark.parametrize("path", fixtures("agentrx"), ids=label)
def test_it_reads_as_expected(path):
    check(path)


def test_the_hub_and_its_spokes():
    (trace,) = read(TURNS, "magentic/0a1b2c3d.json")
    assert trace.trace_id == "agentrx-0a1b2c3d"
    needs = {
        span.span_id: span.attributes.get("agenteval.depends_on")
        for span in trace.spans
    }
    assert needs == {
        "m0": None,
        "m1": None,
        "m2": ["m1"],
        "m3": ["m2"],
        "m4": ["m3"],
        "m5": ["m2", "m4"],
        "m6": ["m5"],
        "m7": ["m6"],
        "m9": ["m5", "m7"],
    }
    assert build_graph(trace.spans).graph.structure == "declared"


def test_labels_meet_the_steps_of_their_run():
    (run,) = read(json.dumps([RUN]), "", "agentrx")
    labels, empty, no_object = read(json.dumps(FAILURES), "", "agentrx")
    assert labels.trace_id == run.trace_id == "agentrx-7"
    assert labels.spans == ()
    found = [(one.kind, one.value, one.span_id) for one in labels.labels]
    assert found == [
        ("failed_step", "1", "m1"),
        ("category", "Intent-Plan Misalignment", "m1"),
        ("failed_step", "2", "m2"),
        ("root_step", "2", "m2"),
        ("root_agent", "User", ""),
        ("outcome", "failed", ""),
    ]
    assert {one.span_id for one in run.spans} >= {"m1", "m2"}
    assert (empty.code, no_object.code) == ("no_labels", "no_trajectory")


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Instruction Adherence Failure", "Instruction/Plan Adherence Failure"),
        ("instruction/plan adherence failure", "Instruction/Plan Adherence Failure"),
        ("Invention of new information", "Invention of New Information"),
        ("Other", "Other"),
        ("", ""),
    ],
)
def test_categories_have_one_spelling(name, known):
    assert category(name) == known
