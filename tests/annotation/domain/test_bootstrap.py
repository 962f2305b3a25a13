"""Intervals: repeatable, clustered, and absent where draws have no value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain import draws as draws_module
from annotation.domain.agreement import many_agreement, pair_agreement
from annotation.domain.bootstrap import Block, interval, resample, sums_by_trace
from annotation.domain.draws import Draws
from annotation.domain.outcome import Reason
from annotation.domain.pairs import among
from annotation.domain.ratings import Rating, tabulate
from tests.annotation.domain.vectors import FIVE, pairs, ratings_of


def test_the_same_seed_gives_the_same_draws_however_they_are_cut(monkeypatch):
    block = {"x": np.arange(40.0)}
    whole = resample(block, 40, Draws(3, 50))["x"]
    monkeypatch.setattr(draws_module, "CHUNK_BYTES", 8 * 40 * 7)
    assert resample(block, 40, Draws(3, 50))["x"].tolist() == whole.tolist()
    assert resample(block, 40, Draws(4, 50))["x"].tolist() != whole.tolist()


def test_a_block_for_some_traces_sees_the_same_draws():
    values = np.array([0.0, 5.0, 0.0, 7.0])
    some = Block(np.array([5.0, 7.0]), np.array([1, 3]))
    totals = resample({"all": values, "some": some}, 4, Draws(1, 20))
    assert totals["all"].tolist() == totals["some"].tolist()


def test_traces_of_one_step_give_the_interval_of_independent_steps():
    found = pair_agreement(among(ratings_of(pairs(FIVE), per_trace=1)), Draws(11))
    ends = [
        (found[key].interval.low, found[key].interval.high)
        for key in ("kappa", "kappa_linear", "kappa_quadratic")
    ]
    published = [(0.497, 0.666), (0.685, 0.805), (0.825, 0.906)]
    for (low, high), (theirs_low, theirs_high) in zip(ends, published, strict=True):
        assert low == pytest.approx(theirs_low, abs=0.012)
        assert high == pytest.approx(theirs_high, abs=0.012)


def test_steps_that_go_together_widen_the_interval():
    rows = [(5, 5)] * 40 + [(1, 1)] * 40 + [(1, 5)] * 20
    wide = pair_agreement(among(ratings_of(rows, per_trace=10)), Draws(1))
    narrow = pair_agreement(among(ratings_of(rows, per_trace=1)), Draws(1))

    def width(found):
        return found["kappa"].interval.high - found["kappa"].interval.low

    assert width(wide) > 1.5 * width(narrow)


def test_order_of_input_changes_no_digit():
    rows = ratings_of(pairs(FIVE))
    assert pair_agreement(among(rows), Draws(5)) == pair_agreement(
        among(rows[::-1]), Draws(5)
    )
    assert many_agreement(tabulate(rows), Draws(5)) == many_agreement(
        tabulate(rows[::-1]), Draws(5)
    )


def test_too_many_draws_without_value_leave_no_interval():
    values = np.array([0.5] * 94 + [np.nan] * 6)
    found = interval(values, 9, Draws(1))
    assert (found.low, found.undefined.reason) == (None, Reason.UNDEFINED_DRAWS)
    assert found.undefined_draws == 6
    few = interval(np.array([0.5] * 95 + [np.nan] * 5), 9, Draws(1))
    assert (few.low, few.high, few.undefined_draws) == (0.5, 0.5, 5)


@pytest.mark.parametrize(
    ("traces", "reason"), [(0, "no_overlap"), (1, "too_few_traces")]
)
def test_one_trace_has_no_interval(traces, reason):
    rows = [Rating("t", str(s), who, s) for s in (1, 2, 3) for who in "ab"]
    found = pair_agreement(among(rows if traces else []), Draws(1))["exact"]
    assert found.interval.undefined.reason in (reason, "no_cases")
    assert found.interval.low is None


def test_an_undefined_value_says_the_same_of_its_interval():
    rows = [Rating(f"t{t}", "s", who, 5) for t in range(9) for who in "ab"]
    found = pair_agreement(among(rows), Draws(1))
    assert found["kappa"].as_json()["reason"] == "single_class"
    assert found["kappa"].as_json()["interval"]["reason"] == "single_class"
    assert found["ac1"].value == 1.0
    assert (found["ac1"].interval.low, found["ac1"].interval.high) == (1.0, 1.0)


def test_a_rare_failure_makes_draws_undefined():
    rows = [Rating(f"t{t}", "s", who, 5) for t in range(1, 12) for who in "ab"]
    rows += [Rating("t0", "s", who, 1) for who in "ab"]
    found = pair_agreement(among(rows), Draws(1))["fail_kappa"]
    assert found.value == 1.0
    assert found.interval.undefined.reason is Reason.UNDEFINED_DRAWS
    assert 0.25 < found.interval.undefined_draws / found.interval.draws < 0.45


def test_draws_of_many_raters_agree_with_the_exact_value_of_the_data():
    rows = ratings_of(pairs(FIVE), per_trace=1)
    table = tabulate(rows)
    found = many_agreement(table, Draws(2))
    for key, one in found.items():
        assert one.interval.low < one.value < one.interval.high, key


def test_sums_by_trace():
    trace = np.array([0, 2, 2])
    assert sums_by_trace(trace, 3, np.array([1, 2, 3])).tolist() == [1, 0, 5]
    rows = sums_by_trace(trace, 3, np.array([[1, 1], [2, 0], [3, 0]]))
    assert rows.tolist() == [[1, 1], [0, 0], [5, 0]]


def test_what_is_remembered_is_what_would_be_drawn_again(monkeypatch):
    def drawn(draws, traces):
        return np.concatenate([times for _, times in draws.chunks(traces)]).tolist()

    draws = Draws(5, 30)
    first = drawn(draws, 9)
    assert first == drawn(draws, 9) == drawn(Draws(5, 30), 9)
    monkeypatch.setattr(draws_module, "KEPT_BYTES", 500)
    small = Draws(5, 30)
    assert [len(drawn(small, traces)) for traces in (8, 7, 6)] == [30] * 3
    assert drawn(small, 9) == first
    assert list(small._kept) == [7, 6]


@given(st.integers(2, 40), st.integers(0, 9))
def test_every_draw_has_as_many_traces_as_there_are(traces, seed):
    for _, times in Draws(seed, 20).chunks(traces):
        assert set(times.sum(axis=1)) == {traces}
