"""Rules that hold for every check."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest

from judging.domain.check_report import documented
from judging.domain.checks import CHECKS
from judging.domain.findings import Check, Run
from judging.domain.settings import METRICS
from judging.judges.offline import VERSION, judge, run_checks
from tests.judging.checks import (
    test_answers,
    test_arguments,
    test_broken,
    test_claims,
    test_code,
    test_emptiness,
    test_facts,
    test_grounding,
    test_http,
    test_plans,
    test_progress,
    test_records,
    test_refusals,
    test_repetition,
    test_support,
    test_timeouts,
    test_tool_errors,
)
from tests.judging.checks.runs import GOOD, Talk, findings, lookup
from traces.domain.records import Graph

TABLES = (
    test_answers,
    test_arguments,
    test_broken,
    test_claims,
    test_code,
    test_emptiness,
    test_facts,
    test_grounding,
    test_http,
    test_plans,
    test_progress,
    test_records,
    test_refusals,
    test_repetition,
    test_support,
    test_timeouts,
    test_tool_errors,
)
IDS = [check.id for check in CHECKS]
TAXONOMY = Path(__file__).parents[3] / "judging" / "taxonomy" / "v1.toml"
PAGE = Path(__file__).parents[3] / "docs" / "checks.md"


def test_every_check_is_tried_both_ways():
    for name in ("FIRES", "SILENT"):
        assert {check for table in TABLES for check, _ in getattr(table, name)} == set(
            IDS
        )


def test_ids_are_unique_and_begin_with_a_type():
    assert len(set(IDS)) == len(IDS)
    for check in CHECKS:
        assert {check.id.partition(".")[0].upper()} == check.types


@pytest.mark.parametrize("check", CHECKS, ids=IDS)
def test_every_name_a_check_uses_is_known(check):
    rows = tomllib.loads(TAXONOMY.read_text(encoding="utf-8"))["category"]
    leaves = {row["id"] for row in rows} - {row.get("parent") for row in rows}
    assert check.category in leaves
    assert all(check.metric in METRICS[kind] for kind in check.types)
    assert 1 <= check.cap <= 4
    assert check.rule.endswith(".")


def test_every_check_is_documented():
    if os.environ.get("WRITE_DOCS"):
        PAGE.write_text(documented(CHECKS), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == documented(CHECKS)


def test_findings_come_in_the_order_of_steps_and_ids():
    made = lookup(
        "Error: not found", "It comes on Monday.", arguments={"order_id": "TB-4812"}
    )
    order = {step.key: step.index for step in made.run.graph.steps}
    keys = [(order[finding.step], finding.check) for finding in findings(made)]
    assert keys == sorted(keys)


def test_a_check_that_breaks_stops_nothing_and_is_named():
    def breaks(run, step):
        raise ValueError("boom")

    bad = Check(
        "synth.bad", "", "", frozenset({"SYNTH"}), "faithfulness", 1.0, "", breaks
    )
    run = lookup("", error="boom").run
    judged = run_checks(run, (bad, *CHECKS))
    assert [one.check for one in judged.broken] == ["synth.bad"]
    assert judged.findings == judge(lookup("", error="boom").run)


def test_the_version_is_short_and_stable():
    assert len(VERSION) == 16


DEEP: list = []
for _ in range(3_000):
    DEEP = [DEEP]
HOSTILE = [
    "\0\ud800" * 50, "```" * 5_000, "a1" * 40_000, "[" * 5_000, "9" * 50_000, "İ" * 500,
    "error " * 20_000, {"a": {"b": [None] * 500}}, "(" * 20_000, " " * 50_000, DEEP,
    {"": {"": "\n"}}, 10**6000, float("nan"), True, ["x"] * 5_000, "1 + 1 = 3 " * 5_000,
    "I have been been " * 5_000, "- a\n" * 20_000, "http://a/b/c" * 5_000, "a-1" * 20_000,
    "Monday, May 20, 2024 " * 3_000, "{{" * 9_000, "<" * 9_000, "Ada Byron " * 9_000,
]  # fmt: skip


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_content_is_judged_like_any_other(value):
    text = value if isinstance(value, str) else "text"
    made = lookup(
        value, value, arguments={"x": value}, request=text[:9_000], policy=text[:900]
    )
    made.plan(value).user(value).say(value)
    assert findings(made) == findings(made)


def test_empty_runs_have_no_findings():
    assert judge(Run(Graph((), ()), {})) == ()


def test_work_grows_with_the_run_and_not_faster():
    """Characters that checks take in, per step, in a run ten times as long."""

    def looked_at(count):
        talk = Talk()
        for number in range(count):
            talk.call(
                "get_order", GOOD | {"count": number}, {"order_id": f"TB-{number}"}
            )
        talk.say("All are shipped.")
        run = talk.run
        run_checks(run)
        return sum(len(said.text) for said in run.shared["said"].values()) / count

    assert looked_at(200) == pytest.approx(looked_at(20), rel=0.3)
