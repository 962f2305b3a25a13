from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traces.domain.trend import (
    Cause,
    Change,
    Rate,
    Run,
    by_day,
    by_group,
    change,
    failing,
    fix_first,
    wilson,
)

MONDAY = date(2026, 3, 2)


def test_wilson_of_worked_cases():
    # 10 of 50 by hand: centre (0.2 + 0.03842) / 1.07683, half 0.10834
    assert wilson(10, 50) == pytest.approx((0.11245, 0.33044), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 10) == pytest.approx((0.0, 0.27753), abs=1e-4)


@given(st.integers(0, 500), st.integers(1, 500))
def test_wilson_holds_the_share(part, whole):
    part = min(part, whole)
    low, high = wilson(part, whole)
    assert 0 <= low <= part / whole + 1e-12
    assert part / whole - 1e-12 <= high <= 1


@pytest.mark.parametrize(
    ("now", "before", "verdict"),
    [
        (Rate(40, 100), Rate(10, 100), "worse"),
        (Rate(10, 100), Rate(40, 100), "better"),
        (Rate(3, 10), Rate(2, 10), "unclear"),
        (Rate(3, 10), Rate(0, 0), "unknown"),
    ],
)
def test_says_worse_only_when_it_is_clear(now, before, verdict):
    assert Change(now, before).verdict == verdict


def test_newcombe_of_his_own_example():
    # Newcombe 1998, table II, case a: 56/70 - 48/80, method 10: 0.0524 to 0.3339
    found = Change(Rate(56, 70), Rate(48, 80)).interval
    assert found == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_compares_two_periods():
    runs = [Run(MONDAY - timedelta(days=back), failed=back % 2) for back in range(5)]
    assert change(runs, MONDAY, 2) == Change(Rate(1, 2), Rate(1, 2))


def test_days_without_runs_are_there():
    days = by_day([Run(MONDAY, 1), Run(MONDAY, 0)], MONDAY, 3)
    assert [day.rate for day in days] == [Rate(0, 0), Rate(0, 0), Rate(1, 2)]
    assert days[0].day == date(2026, 2, 28)


def test_ranks_causes_by_runs_then_by_what_follows():
    runs = [
        Run(MONDAY, failed=3, roots=1, root="timeout"),
        Run(MONDAY, failed=1, roots=1, root="value-error"),
        Run(MONDAY, failed=0),
        Run(MONDAY, failed=2, roots=1),
        Run(MONDAY, failed=1, roots=1),
    ]
    assert fix_first(runs) == (
        Cause("", 2, 1, Rate(2, 4)),
        Cause("timeout", 1, 2, Rate(1, 4)),
        Cause("value-error", 1, 0, Rate(1, 4)),
    )


def test_groups_by_name():
    runs = [
        Run(MONDAY, 1, workflow="b"),
        Run(MONDAY, 0, workflow="a"),
        Run(MONDAY, 0, workflow="a"),
        Run(MONDAY, 1),
    ]
    groups = by_group(runs, lambda run: run.workflow)
    assert groups == (("a", Rate(0, 2)), ("b", Rate(1, 1)))
    assert failing(runs) == Rate(2, 4)
