"""The judge beside what experts reach among themselves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from annotation.domain.ceiling import (
    gap_by_pairs,
    gap_left_out,
    pooled,
    rater_tables,
)
from annotation.domain.consensus import (
    consensus,
    consensus_of_all,
    left_out,
    middle,
    most_named,
)
from annotation.domain.draws import Draws
from annotation.domain.kappa import cohen
from annotation.domain.pairs import among, with_judge
from annotation.domain.ratings import Rating
from annotation.domain.scale import FAIL_OK, SCORES, identity, quadratic
from tests.annotation.domain.vectors import FIVE, pairs, ratings_of


def by_pairs(rows, judge, draws):
    return gap_by_pairs(with_judge(rows, judge), among(rows), draws)


def test_pooled_kappa_of_two_raters_is_cohens():
    plain = identity(SCORES)
    assert pooled([np.array(FIVE)], plain).exact == cohen(FIVE, plain).exact


def test_pooling_is_not_the_mean_of_strata():
    strata = [np.array([[8, 1], [1, 0]]), np.array([[20, 5], [10, 15]])]
    plain = identity(FAIL_OK)
    mean = sum(cohen(t, plain).exact for t in strata) / 2
    both = pooled(strata, plain).exact
    assert both == 1 - (2 + 15) / (Fraction(2 * 9, 10) + Fraction(1250, 50))
    assert both != mean


def test_the_mean_of_documents_is_not_kappa():
    one, other = np.array([[16, 2], [1, 1]]), np.array([[1, 1], [2, 16]])
    plain = identity(FAIL_OK)
    each = [round(cohen(t, plain).value, 3) for t in (one, other)]
    assert each[0] == each[1]
    assert cohen(one + other, plain).value > each[0] + 0.3


def test_without_pairs_there_is_nothing_to_pool():
    assert pooled([], identity(SCORES)).undefined.reason == "no_overlap"


def three_experts(judge_shift):
    truth = [1, 2, 3, 4, 5, 3, 2, 4, 5, 1] * 6
    rows, judge = [], []
    for at, score in enumerate(truth):
        for number, who in enumerate("abc"):
            off = 1 if (at + number) % 5 == 0 else 0
            rows.append(Rating(f"t{at // 3:02}", f"s{at}", who, min(5, score + off)))
        seen = min(5, score + judge_shift * (at % 2))
        judge.append(Rating(f"t{at // 3:02}", f"s{at}", "judge", seen))
    return rows, judge


def test_a_judge_like_an_expert_shows_no_gap_to_speak_of():
    rows, judge = three_experts(0)
    found = by_pairs(rows, judge, Draws(1))
    assert found.judge.value > found.expert.value
    assert found.difference.interval.low > 0
    assert found.steps == 60


@pytest.mark.parametrize("gap", [by_pairs, gap_left_out])
def test_a_worse_judge_lies_below_the_ceiling(gap):
    rows, judge = three_experts(2)
    found = gap(rows, judge, Draws(1))
    assert found.difference.value == pytest.approx(
        found.judge.value - found.expert.value
    )
    assert found.difference.interval.high < 0
    assert found.as_json()["difference"]["interval"]["draws"] == 2000


def test_the_gap_depends_on_the_seed_only():
    rows, judge = three_experts(1)
    one = by_pairs(rows, judge, Draws(4))
    assert one == by_pairs(rows[::-1], judge[::-1], Draws(4))
    assert one != by_pairs(rows, judge, Draws(5))


def test_one_expert_has_no_ceiling():
    rows = [Rating(f"t{t}", "s", "a", 1 + t % 5) for t in range(10)]
    judge = [Rating(f"t{t}", "s", "judge", 1 + t % 5) for t in range(10)]
    for gap in (by_pairs, gap_left_out):
        found = gap(rows, judge, Draws(1))
        assert found.expert.coefficient.undefined.reason == "no_overlap"
        assert found.difference.as_json()["reason"] == "no_overlap"


def test_an_expert_is_never_part_of_the_own_yardstick():
    rows = [
        Rating("t", "s", who, score)
        for who, score in zip("abc", (1, 4, 5), strict=True)
    ]
    experts, judges = left_out(rows, [Rating("t", "s", "judge", 2)])
    assert [one.score for one in experts.firsts] == [4, 1, 1]
    assert [one.score for one in experts.seconds] == [1, 4, 5]
    assert {one.score for one in judges.seconds} == {2}
    assert judges.firsts == experts.firsts


def test_tables_of_each_two_raters():
    rows, _ = three_experts(0)
    found = rater_tables(among(rows))
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [int(table.sum()) for table in found.values()] == [60, 60, 60]
    assert {len(at) for at in among(rows).by_raters.values()} == {60}


def test_two_experts_pooled_are_cohen():
    rows = ratings_of(pairs(FIVE))
    judge = [Rating(r.trace, r.step, "judge", r.score) for r in rows if r.rater == "a"]
    found = by_pairs(rows, judge, Draws(1))
    assert found.expert.coefficient.exact == cohen(FIVE, quadratic(SCORES)).exact


def test_the_median_of_an_even_number_is_the_lower_middle():
    assert [middle([1, 5]), middle([5, 2, 4]), middle([4, 3, 3, 1])] == [1, 4, 3]
    with pytest.raises(ValueError, match="no scores"):
        middle([])


def test_the_category_goes_as_deep_as_a_majority():
    paths = [("x", "y", "z"), ("x", "y", "w"), ("x", "v")]
    assert most_named(paths) == ("x", "y")
    assert most_named([("x",), ("y",)]) == ()
    assert most_named([]) == ()


def test_a_consensus_is_a_new_rating():
    rows = [
        Rating("t", "s", "a", 2, ("x", "y"), root=True, place="line 1"),
        Rating("t", "s", "b", 1, ("x",), root=True),
        Rating("t", "s", "c", 4),
    ]
    found = consensus(rows)
    assert (found.rater, found.score, found.category) == ("consensus", 2, ("x",))
    assert (found.root, found.fails, found.place) == (True, True, "")
    assert consensus_of_all(rows, at_least=4) == []
