"""Checks stay a floor under every model; no answer is no number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.findings import Finding
from judging.domain.fusion import Vote, fuse, spread
from judging.domain.scores import MetricVerdict, State


def said(category="", **scores):
    """A vote; a metric given a text instead of a score is unscored for it."""
    return Vote(
        tuple(
            MetricVerdict(metric, State.SCORED, score)
            if not isinstance(score, str)
            else MetricVerdict(metric, State.UNSCORED, None, score)
            for metric, score in scores.items()
        ),
        category,
    )


def found(metric="success", cap=2.0, category="timeout", step="a"):
    return Finding("exec.timeout", step, metric, cap, category, "too late")


def test_a_step_has_the_mean_of_its_metrics():
    score = fuse([], {"a": [said(success=4, result_validity=3)]})["a"]
    assert (score.state, score.score, score.source) == ("scored", 3.5, "model")
    assert score.metrics == {"success": 4, "result_validity": 3}


def test_or_the_lowest_where_the_profile_says_so():
    votes = {"a": [said(success=4, result_validity=3)]}
    assert fuse([], votes, combination="lowest")["a"].score == 3


def test_a_finding_caps_its_metric_and_the_step():
    score = fuse([found()], {"a": [said(success=5, result_validity=5)]})["a"]
    assert score.metrics == {"success": 2.0, "result_validity": 5}
    assert (score.score, score.category) == (2.0, "timeout")


def test_a_model_that_is_stricter_than_the_check_counts():
    votes = {"a": [said("fabrication", success=1, result_validity=1)]}
    score = fuse([found(cap=3.0)], votes)["a"]
    assert (score.score, score.category) == (1.0, "fabrication")


def test_no_answer_is_unscored_with_its_reason():
    score = fuse([], {"a": [said(success="refused", result_validity="refused")]})["a"]
    assert (score.state, score.score, score.reason) == ("unscored", None, "refused")


def test_no_answer_leaves_what_the_checks_found():
    score = fuse([found()], {"a": [said(success="timeout")]})["a"]
    assert (score.score, score.source, score.reason) == (2.0, "rules", "timeout")


def test_steps_no_model_was_asked_about_have_what_the_checks_say():
    scores = fuse([found(step="b")], {"a": [said(success=4)], "c": []})
    assert set(scores) == {"a", "b"}
    assert scores["b"].source == "rules"


def test_a_panel_is_its_median_and_tells_its_spread():
    votes = [said(success=1), said(success=4), said(success=5)]
    score = fuse([], {"a": votes})["a"]
    assert (score.score, score.source) == (4, "panel")
    assert spread(votes) == 4
    assert spread(votes[:1]) is None


def test_a_panel_leaves_out_who_gave_no_answer():
    votes = [said(success="timeout"), said(success=2), said(success=3)]
    assert fuse([], {"a": votes})["a"].score == 2.5


def test_a_pending_metric_leaves_the_step_pending():
    pending = Vote((MetricVerdict("success", State.PENDING),))
    assert fuse([], {"a": [said(success=4), pending]})["a"].state == "pending"


@pytest.mark.parametrize("score", [0, 5.5, -1, 6])
def test_scores_outside_the_scale_are_never_clamped(score):
    with pytest.raises(ValueError, match="outside 1 to 5"):
        fuse([], {"a": [said(success=score)]})


scores = st.integers(1, 5)
caps = st.floats(1, 5)


@given(st.lists(scores, min_size=1, max_size=4), st.lists(caps, max_size=4), caps)
def test_a_further_finding_never_raises_a_score(given_scores, had, more):
    votes = {"a": [said(success=score) for score in given_scores]}
    before = fuse([found(cap=cap) for cap in had], votes)["a"].score
    after = fuse([found(cap=cap) for cap in [*had, more]], votes)["a"].score
    assert after <= before
    assert after <= more


@given(st.permutations([1, 2, 4, 5, 5]))
def test_the_order_of_a_panel_says_nothing(order):
    votes = {"a": [said("loop-exit" if s > 2 else "timeout", success=s) for s in order]}
    score = fuse([], votes)["a"]
    assert (score.score, score.category) == (4, "loop-exit")
