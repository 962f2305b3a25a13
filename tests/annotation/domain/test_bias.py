"""Bias of judges and severity of experts."""

from __future__ import annotations

import pytest

from annotation.domain.bias import (
    bands,
    bias,
    bias_by,
    compression,
    histogram,
    severity,
    threshold,
)
from annotation.domain.draws import Draws
from annotation.domain.pairs import among, with_judge
from annotation.domain.ratings import Rating
from annotation.domain.subsets import RESTRICTED, Rule, chosen, failures
from tests.annotation.domain.vectors import FIVE, pairs, ratings_of


def five_scores():
    return among(ratings_of(pairs(FIVE), ("expert", "judge"), per_trace=1))


def test_bias_and_limits_of_agreement():
    found = bias(five_scores(), Draws(1))
    values = {key: round(one.value, 4) for key, one in found.items()}
    assert values["bias"] == 0.0199
    assert values["deviation"] == 0.6321
    assert (values["lower_limit"], values["upper_limit"]) == (-1.2191, 1.2589)
    assert values["absolute_error"] == 0.3383
    assert found["bias"].interval.low < 0.0199 < found["bias"].interval.high


def test_a_judges_mean_is_not_rounded_for_bias():
    experts = [Rating(f"t{t}", "s", "a", 3) for t in range(4)]
    judge = [Rating(f"t{t}", "s", "judge", 3.25) for t in range(4)]
    found = bias(with_judge(experts, judge), Draws(1))
    assert found["bias"].value == 0.25
    assert found["deviation"].value == 0.0
    assert found["variance_ratio"].coefficient.undefined.reason == "no_cases"


def test_a_timid_judge_is_told():
    rows = [(1, 2), (5, 4), (3, 3), (1, 2), (5, 4)]
    compared = among(ratings_of(rows, ("expert", "judge"), per_trace=1))
    found = compression(compared)
    assert (found.unused, found.experts, found.n) == ((1, 5), (2, 2), 5)
    assert bias(compared, Draws(1))["variance_ratio"].value == pytest.approx(0.25)
    assert histogram(compared)["judge"] == [0, 2, 1, 2, 0]


def test_bias_by_band_of_the_mean():
    groups = bands(five_scores())
    sizes = {name: len(group) for name, group in groups.items()}
    assert sizes == {"low": 33, "middle": 45, "high": 123}
    assert set(bias_by(groups, Draws(1))) == {"low", "middle", "high"}


def test_a_severe_rater_stands_below_the_others():
    rows = [
        Rating(f"t{t}", "s", who, score)
        for t in range(6)
        for who, score in (("a", 4), ("b", 4), ("hard", 2))
    ]
    found = {one.rater: one for one in severity(rows, Draws(1))}
    assert found["hard"].effect.value == -2.0
    assert found["a"].effect.value == 1.0
    assert (found["hard"].mean, found["hard"].n) == (2.0, 6)


def test_a_rater_without_company_has_no_effect():
    (found,) = severity([Rating("t", "s", "a", 4)], Draws(1))
    assert found.effect.coefficient.undefined.reason == "no_cases"
    assert (found.mean, found.n) == (4.0, 0)


def test_precision_recall_and_f1_at_the_threshold():
    found = threshold(five_scores(), Draws(1))
    exact = {key: one.coefficient.exact for key, one in found.items()}
    assert [str(exact[key]) for key in ("precision", "recall", "f1")] == [
        *("31/37", "31/38", "62/75"),
    ]
    assert found["recall"].interval.low < 31 / 38 < found["recall"].interval.high


def test_without_failures_there_is_no_recall():
    rows = among(ratings_of([(5, 5), (4, 4)], per_trace=1))
    found = threshold(rows, Draws(1))
    assert found["recall"].coefficient.undefined.reason == "no_cases"


@pytest.mark.parametrize(
    ("rule", "value", "n"),
    [
        (Rule.EXPERT, 0.404, 38),
        (Rule.JUDGE, 0.409, 37),
        (Rule.EITHER, 0.301, 44),
        (Rule.BOTH, 0.541, 31),
    ],
)
def test_kappa_on_failures_depends_on_the_rule(rule, value, n):
    found = failures(five_scores(), rule, Draws(1))
    assert found.n == n
    assert round(found.agreement["kappa_quadratic"].value, 3) == value
    assert found.as_json()["words"] == rule.words
    assert found.as_json()["warning"] == RESTRICTED


def test_an_empty_subset_is_undefined_with_a_reason():
    rows = among(ratings_of([(5, 5), (4, 4)], per_trace=1))
    found = failures(rows, Rule.BOTH, Draws(1))
    assert (len(chosen(rows, Rule.BOTH)), found.n) == (0, 0)
    assert found.agreement["kappa"].coefficient.undefined.reason == "no_overlap"
