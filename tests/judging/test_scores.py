"""From verdicts and findings to the state of a step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.findings import Finding
from judging.domain.scores import MetricVerdict, State, combine, from_findings


def verdict(
    metric: str, score: float | None, state: State = State.SCORED, reason: str = ""
) -> MetricVerdict:
    return MetricVerdict(metric, state, score, reason)


def test_the_score_is_the_mean_of_what_is_scored() -> None:
    lost = verdict("c", None, State.UNSCORED, "timeout")
    found = combine([verdict("a", 2.0), verdict("b", 5.0), lost])
    assert (found.state, found.score) == (State.SCORED, 3.5)
    assert found.metrics == {"a": 2.0, "b": 5.0}


def test_without_a_score_the_reason_stays() -> None:
    found = combine([verdict("a", None, State.UNSCORED, "refused")])
    assert (found.state, found.score, found.reason) == (State.UNSCORED, None, "refused")


def test_pending_wins() -> None:
    found = combine([verdict("a", 2.0), verdict("b", None, State.PENDING)])
    assert (found.state, found.score) == (State.PENDING, None)


def test_nothing_is_no_finding() -> None:
    assert combine([]).state is State.NO_FINDING


@pytest.mark.parametrize("score", [0.0, 5.5, -1.0])
def test_a_score_is_never_clamped(score: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        combine([verdict("a", score)])


def finding(metric: str, cap: float, category: str = "timeout") -> Finding:
    return Finding("exec.x", "k", metric, cap, category, "message")


def test_the_lowest_cap_gives_score_and_category() -> None:
    listed = [
        finding("success", 2.0, "error-response"),
        finding("success", 1.0),
        finding("result_validity", 4.0),
    ]
    found = from_findings(listed)["k"]
    assert (found.score, found.category) == (1.0, "timeout")
    assert found.metrics == {"success": 1.0, "result_validity": 4.0}


def test_of_equal_caps_the_more_telling_category_counts() -> None:
    listed = [finding("success", 2.0, "error-response"), finding("success", 2.0)]
    assert from_findings(listed)["k"].category == "timeout"


CAPS = st.floats(1, 4, allow_nan=False)
FINDINGS = st.lists(
    st.builds(finding, st.sampled_from(["a", "b", "c"]), CAPS), min_size=1
)


@given(FINDINGS, st.builds(finding, st.sampled_from(["a", "b", "c"]), CAPS))
def test_a_further_finding_never_raises_a_score(
    listed: list[Finding], more: Finding
) -> None:
    before, after = from_findings(listed)["k"], from_findings([*listed, more])["k"]
    assert before.score is not None
    assert after.score is not None
    assert after.score <= before.score
