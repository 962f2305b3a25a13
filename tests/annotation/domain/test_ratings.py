"""What counts, what is left out and what is refused."""

from __future__ import annotations

import pytest

from annotation.domain.agreement import many_agreement, pair_agreement
from annotation.domain.draws import Draws
from annotation.domain.pairs import among, with_judge
from annotation.domain.ratings import (
    Purpose,
    Rating,
    RatingError,
    divided,
    find_faults,
    tabulate,
)
from annotation.domain.scale import SCORES, Scale, Weights, from_disagreement, rounded


def test_equal_step_numbers_of_two_traces_are_two_items():
    full = [Rating("agree", str(s), who, s) for s in range(1, 6) for who in "ab"]
    none = [
        Rating("differ", str(s), who, score)
        for s in range(1, 6)
        for who, score in (("a", s), ("b", 6 - s))
    ]
    one = pair_agreement(among(full + none), Draws(1))
    other = pair_agreement(among(none + full), Draws(1))
    assert one == other
    assert one["exact"].coefficient.exact == pytest.approx(0.6)
    assert one["kappa"].value not in (1.0, -0.923)
    assert many_agreement(tabulate(full), Draws(1))["alpha_ordinal"].value == 1.0


def test_a_second_rating_by_the_same_rater_is_refused_with_its_place():
    rows = [Rating("t", "s", "ann", 4, place="line 2"), Rating("t", "s", "bob", 4)]
    again = Rating("t", "s", "ann", 5, place="line 9")
    with pytest.raises(RatingError, match="line 9: step 's' of trace 't' by 'ann'"):
        tabulate([*rows, again])


@pytest.mark.parametrize("score", [0, 6, 2.5, float("nan")])
def test_a_value_outside_the_scale_is_refused(score):
    faults = find_faults([Rating("t", "s", "ann", 3), Rating("t", "u", "ann", score)])
    assert [(fault.at, fault.reason) for fault in faults] == [(1, "out_of_domain")]
    assert "rating 2" in faults[0].words


def test_every_fault_is_counted():
    rows = [Rating("t", str(at), "ann", 9) for at in range(3)]
    with pytest.raises(RatingError, match="and 2 more") as caught:
        tabulate(rows)
    assert len(caught.value.faults) == 3


def test_only_independent_planned_scores_count():
    rows = [
        Rating("t", "1", "a", 4),
        Rating("t", "2", "a", None),
        Rating("t", "3", "a", 4, blind=False),
        Rating("t", "4", "a", 4, purpose=Purpose.GOLD),
        Rating("t", "5", "a", 4, purpose=Purpose.REPEAT),
        Rating("t", "6", "a", 4, purpose=Purpose.EXTRA),
        Rating("t", "7", "a", 4, purpose=Purpose.ADJUDICATION, blind=False),
        Rating("t", "8", "a", 4, purpose=Purpose.OVER_QUOTA),
    ]
    used, excluded = divided(rows)
    assert [rating.step for rating in used] == ["1"]
    assert [one.reason for one in excluded] == [
        *("unscored", "not_blind", "gold", "repeat", "extra", "adjudication"),
        "over_quota",
    ]


def test_ratings_given_in_sight_of_the_judge_count_on_request():
    seen = Rating("t", "3", "a", 4, blind=False)
    assert divided([seen], blind_only=False) == ([seen], [])


def test_what_only_one_of_them_rated_is_no_pair():
    experts = [Rating("t", "1", "a", 4), Rating("t", "2", "a", 4)]
    judge = [Rating("t", "2", "judge", 3.3), Rating("t", "3", "judge", 1)]
    found = with_judge(experts, judge)
    assert [(one.step, one.score) for one in found.seconds] == [("2", 3.3)]


@pytest.mark.parametrize(
    ("score", "whole"), [(1, 1), (1.5, 1), (1.51, 2), (2.5, 2), (4.5, 4), (5, 5)]
)
def test_halves_of_a_judge_go_down(score, whole):
    assert rounded(score) == whole


@pytest.mark.parametrize("score", [0.9, 5.1, float("nan")])
def test_scores_are_never_clamped(score):
    with pytest.raises(ValueError, match="outside 1 to 5"):
        rounded(score)


@pytest.mark.parametrize("labels", [("one",), ("one", "one"), (2, 1)])
def test_a_scale_is_ordered_and_has_each_value_once(labels):
    with pytest.raises(ValueError, match="a scale"):
        Scale(labels)


def test_weights_are_square_with_ones_on_the_diagonal():
    with pytest.raises(ValueError, match="equal values agree"):
        from_disagreement("odd", [[1, 1], [1, 0]])
    with pytest.raises(ValueError, match="square"):
        Weights("odd", ((1, 0),))


def test_experts_fail_a_step_with_two_and_judges_by_their_threshold():
    assert [Rating("t", "s", "a", score).fails for score in (1, 2, 3, None)] == [
        *(True, True, False, False),
    ]
    assert Rating("t", "s", "judge", 2.75, failed=True).fails
    assert SCORES.q == 5
