"""Rows of the report, worked by hand."""

from __future__ import annotations

from dataclasses import replace

from judging.domain.check_report import (
    DEVELOPMENT,
    HELD_OUT,
    Labelled,
    half,
    report,
    table,
)
from judging.domain.checks import CHECKS
from judging.domain.findings import Finding, Run
from traces.domain.records import Graph, Step

RUN = Run(
    Graph(tuple(Step(f"s{n}", n, "SYNTH", "", position=n) for n in range(4)), ()), {}
)
A, B = CHECKS[0], replace(CHECKS[0], id="plan.other")


def finding(check, step):
    return Finding(check.id, f"s{step}", check.metric, check.cap, check.category, "")


def test_a_row_counts_hits_and_worth():
    runs = [
        Labelled(RUN, (finding(A, 1), finding(A, 3)), root=1, passed=False),
        Labelled(RUN, (finding(A, 0), finding(B, 1)), root=1),
        Labelled(RUN, (finding(A, 2),), passed=True),
        Labelled(RUN, ()),
    ]
    a, b = report(runs, (A, B))
    assert (a.firings, a.runs, a.on_passed, a.labelled, a.exact, a.near, a.worth) == (
        4,
        0.75,
        1,
        3,
        1,
        2,
        1,
    )
    assert (b.firings, b.labelled, b.exact, b.worth) == (1, 1, 1, 1)


def test_without_runs_every_row_is_empty():
    (row,) = report([], (A,))
    assert (row.firings, row.runs) == (0, 0.0)
    assert "–" in table([row])


def test_halves_are_stable_and_about_equal():
    counts = [half(f"trace-{n}") for n in range(1_000)]
    assert 450 < counts.count(DEVELOPMENT) < 550
    assert half("trace-0") == half("trace-0")
    assert set(counts) == {DEVELOPMENT, HELD_OUT}
