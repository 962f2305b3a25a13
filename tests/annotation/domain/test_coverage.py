"""Why traces are drawn and not steps: how often 95 % intervals hold the truth."""

from __future__ import annotations

from functools import partial

import numpy as np

from annotation.domain.agreement import kappa_draws
from annotation.domain.bootstrap import interval_of, tables_by_trace
from annotation.domain.draws import Draws
from annotation.domain.kappa import analytic, cohen
from annotation.domain.scale import SCORES, quadratic

WEIGHTS = quadratic(SCORES)


def campaign(random, traces):
    """4 to 9 steps a trace; level and difficulty differ by trace."""
    trace = np.repeat(np.arange(traces), random.integers(4, 10, traces))
    n = len(trace)
    sure = random.choice([0.97, 0.35], traces, p=[0.6, 0.4])[trace]
    level = random.integers(0, 5, traces)[trace]
    truth = np.clip(level + random.integers(-1, 2, n), 0, 4)
    one, other = (
        np.where(random.random(n) < sure, truth, random.integers(0, 5, n))
        for _ in range(2)
    )
    return tables_by_trace(trace, traces, one, other, 5)


def test_steps_are_no_independent_sample_and_traces_are():
    random = np.random.default_rng(5)
    truth = cohen(campaign(random, 100_000).sum(axis=0), WEIGHTS).value
    by_steps = by_traces = 0
    for at in range(100):
        tables = campaign(random, 150)
        naive = analytic(tables.sum(axis=0), WEIGHTS)
        kappa = partial(kappa_draws, weights=WEIGHTS)
        drawn = interval_of(tables, kappa, Draws(at, 300))
        by_steps += naive.low <= truth <= naive.high
        by_traces += drawn.low <= truth <= drawn.high
    assert by_steps < 87
    assert by_traces > 90
