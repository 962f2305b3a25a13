"""Replies are kept under what can change them, and under nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.identity import aside, judge_digest, reply_keys, seat
from judging.domain.profile import read_profile

TIER = {"model": "small", "base_url": "http://localhost:1/v1"}


def profile(**content):
    tiers = [{"model": name} for name in ("a", "b", "c")]
    return read_profile({"judge": "model", "tiers": tiers} | content)


def test_without_a_panel_all_tiers_are_one_ladder() -> None:
    made = profile(samples=2)
    assert [seat(made, member).tiers for member in range(2)] == [(0, 1, 2)] * 2
    assert [seat(made, member).sample for member in range(2)] == [0, 1]


def test_judges_of_a_panel_have_no_substitute_and_sample_in_turn() -> None:
    made = profile(panel=[2, 0], samples=2)
    seats = [seat(made, member) for member in range(made.members)]
    assert [one.tiers for one in seats] == [(2,), (2,), (0,), (0,)]
    assert [one.sample for one in seats] == [0, 1, 0, 1]


@pytest.mark.parametrize("member", [-1, 2])
def test_a_verdict_that_nobody_gives_has_no_seat(member) -> None:
    with pytest.raises(ValueError, match=f"member {member} of 2"):
        seat(profile(samples=2), member)


@pytest.mark.parametrize(
    "change",
    [
        {"price": {"input": 3}},
        {"timeout": 5},
        {"concurrency": 2},
        {"name": "Our small one"},
        {"requests_per_minute": 1, "tokens_per_minute": 1},
    ],
)
def test_what_changes_no_answer_changes_no_key(change) -> None:
    assert judge_digest(TIER | change) == judge_digest(TIER)


@pytest.mark.parametrize(
    "change", [{"model": "large"}, {"base_url": "x"}, {"temperature": 1}]
)
def test_what_may_change_the_answer_changes_the_key(change) -> None:
    assert judge_digest(TIER | change) != judge_digest(TIER)


PARTS = st.tuples(
    st.text(max_size=4), st.lists(st.text(max_size=4), max_size=3), st.integers(0, 9)
)


@given(PARTS, PARTS)
def test_two_keys_are_equal_only_for_the_same_question(one, other) -> None:
    ours, theirs = (reply_keys(*parts)[-1:] for parts in (one, other))
    if ours and theirs:
        assert (ours == theirs) == (one == other)


def test_a_substitutes_key_names_those_before_it() -> None:
    keys = reply_keys("p", ["a", "b"], 0)
    assert keys[0] == reply_keys("p", ["a"], 0)[0]
    assert keys[1] != reply_keys("p", ["b"], 0)[0]


def test_a_reply_put_aside_is_never_found_by_its_key() -> None:
    assert aside("k", "one") not in {"k", aside("k", "two")}
