"""How many, who, which, and what needs a decision."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.adjudication import Basis, Cause, disputes, propose
from annotation.domain.assignment import Design, assign, overlap_matrix
from annotation.domain.bootstrap import Interval
from annotation.domain.kappa import analytic
from annotation.domain.outcome import Reason, Undefined
from annotation.domain.planner import TYPICAL, design_effect, half_width, plan
from annotation.domain.ratings import Purpose, Rating
from annotation.domain.sampling import Candidate, allocation, sample
from annotation.domain.scale import SCORES, identity, linear, quadratic


@pytest.mark.parametrize(
    ("steps", "widths"),
    [
        (30, (0.22, 0.15, 0.10)),
        (50, (0.17, 0.12, 0.08)),
        (100, (0.12, 0.08, 0.06)),
        (200, (0.085, 0.059, 0.040)),
        (500, (0.054, 0.037, 0.025)),
        (987, (0.038, 0.026, 0.018)),
    ],
)
def test_half_widths_of_the_typical_table(steps, widths):
    places = 2 if steps <= 100 else 3
    ways = (identity, linear, quadratic)
    found = [round(half_width(steps, weights=w(SCORES)), places) for w in ways]
    assert found == list(widths)


def test_steps_for_a_wanted_interval():
    found = plan(0.05, 6, deff=1)
    assert half_width(found.steps) <= 0.05 < half_width(found.steps - 1)
    assert (found.traces, found.observed) == (-(-found.steps // 6), False)
    assert plan(0.05, 6, rated_traces=found.traces, deff=1).more_traces == 0
    assert plan(0.05, 6).steps == pytest.approx(2.56 * found.steps, abs=2)


def test_own_ratings_count_from_fifty_steps_on():
    few = [[5, 0], [0, 5]]
    assert not plan(0.05, 6, table=few).observed
    assert plan(0.05, 6, table=TYPICAL).observed


@pytest.mark.parametrize(("wanted", "per_trace"), [(0, 6), (1, 6), (0.05, 0)])
def test_a_plan_needs_a_sensible_wish(wanted, per_trace):
    with pytest.raises(ValueError, match="half-width"):
        plan(wanted, per_trace)


def test_the_design_effect_compares_squares_of_widths():
    independent = analytic(TYPICAL, identity(SCORES))
    half = 2 * (independent.high - independent.low) / 2
    found = Interval(0.5 - half, 0.5 + half, 2000, 0, 9, 1)
    assert design_effect(found, independent) == pytest.approx(4.0)
    assert design_effect(found, Undefined(Reason.NO_SPREAD)) is None


UNITS = [f"t{at}" for at in range(20)]


def test_every_unit_gets_different_raters_and_loads_are_level():
    slots = assign(UNITS, Design(("a", "b", "c", "d"), overlap=2, seed=1))
    by_unit = Counter(slot.unit for slot in slots)
    assert set(by_unit.values()) == {2}
    assert len({(slot.unit, slot.rater) for slot in slots}) == 40
    assert Counter(slot.rater for slot in slots) == dict.fromkeys("abcd", 10)
    assert set(overlap_matrix(slots).values()) <= {2, 3, 4, 5}
    assert len(overlap_matrix(slots)) == 6


def test_coverage_leaves_the_rest_to_one_rater():
    slots = assign(UNITS, Design(("a", "b"), overlap=2, coverage=0.25, seed=1))
    sizes = Counter(Counter(slot.unit for slot in slots).values())
    assert sizes == {2: 5, 1: 15}


def test_order_of_input_means_nothing_and_the_seed_everything():
    design = Design(("a", "b", "c"), seed=1)
    assert assign(UNITS, design) == assign(UNITS[::-1], design)
    assert assign(UNITS, design) != assign(UNITS, Design(("a", "b", "c"), seed=2))


def test_what_was_handed_out_stays():
    first = assign(UNITS, Design(("a", "b", "c"), overlap=2, seed=1))
    later = assign(UNITS, Design(("a", "b", "c", "d"), overlap=3, seed=1), first)
    kept = {(slot.unit, slot.rater) for slot in first}
    assert kept <= {(slot.unit, slot.rater) for slot in later}
    assert set(Counter(slot.unit for slot in later).values()) == {3}


def test_gold_comes_to_everyone_and_repeats_come_late():
    design = Design(("a", "b"), 1, gold=("g1", "g2"), repeats=0.2, seed=1)
    slots = assign(UNITS, design)
    for rater in "ab":
        own = [slot for slot in slots if slot.rater == rater]
        purposes = Counter(slot.purpose for slot in own)
        assert purposes == {Purpose.PLANNED: 10, Purpose.GOLD: 2, Purpose.REPEAT: 2}
        assert [slot.order for slot in own] == list(range(14))
        again = [slot for slot in own if slot.purpose is Purpose.REPEAT]
        for slot in again:
            first = min(one.order for one in own if one.unit == slot.unit)
            assert slot.order - first >= 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"raters": ("a", "a")},
        {"raters": ("a",), "overlap": 2},
        {"raters": ("a", "b"), "coverage": 1.5},
        {"raters": ("a", "b"), "repeats": 0.6},
    ],
)
def test_a_design_that_cannot_be(wrong):
    with pytest.raises(ValueError, match=r"rater|coverage"):
        Design(**wrong)


@settings(max_examples=25)
@given(st.integers(1, 4), st.integers(0, 30), st.integers(0, 9))
def test_overlap_is_never_underfilled(overlap, units, seed):
    design = Design(("a", "b", "c", "d"), overlap=overlap, seed=seed)
    slots = assign([f"u{at}" for at in range(units)], design)
    loads = Counter(slot.rater for slot in slots)
    assert sum(loads.values()) == overlap * units
    full = [loads[rater] for rater in "abcd"]
    assert max(full) - min(full) <= 1


CANDIDATES = [
    Candidate(f"t{at:02}", ("failed",) if at % 4 == 0 else ("passed",), at / 40)
    for at in range(40)
]


def test_strata_get_their_shares():
    found = sample(CANDIDATES, 12, seed=1)
    assert found.sizes == {("failed",): (3, 10), ("passed",): (9, 30)}
    assert found.representative
    assert {round(one.weight, 3) for one in found.drawn} == {3.333}


def test_equal_strata():
    found = sample(CANDIDATES, 12, seed=1, equal=True)
    assert [taken for taken, _ in found.sizes.values()] == [6, 6]


def test_a_sample_depends_on_seed_and_candidates_only():
    assert sample(CANDIDATES, 9, 3) == sample(CANDIDATES[::-1], 9, 3)
    assert sample(CANDIDATES, 9, 3) != sample(CANDIDATES, 9, 4)


def test_disagreements_first_is_not_representative():
    found = sample(CANDIDATES, 4, seed=1, disagreements_first=True)
    assert {one.trace for one in found.drawn} == {"t36", "t39", "t38", "t37"}
    assert not found.representative


def test_a_trace_is_named_once():
    with pytest.raises(ValueError, match="named once"):
        sample([CANDIDATES[0], CANDIDATES[0]], 1, seed=1)


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("abcdef")), st.integers(1, 30), min_size=1
    ),
    st.integers(0, 100),
    st.booleans(),
)
def test_allocations_add_up(sizes, n, equal):
    given_out = allocation(sizes, n, equal=equal)
    assert sum(given_out.values()) == min(n, sum(sizes.values()))
    assert all(given_out[stratum] <= sizes[stratum] for stratum in sizes)
    if n >= len(sizes):
        assert min(given_out.values()) >= 1


def rated(step, *scores, categories=((), (), ())):
    return [
        Rating("t", step, who, score, category)
        for who, score, category in zip("abc", scores, categories, strict=False)
    ]


def test_the_gravest_dispute_comes_first():
    rows = [
        *rated("near", 4, 5),
        *rated("far", 3, 5),
        *rated("split", 2, 3),
        *rated("both", 1, 5),
        *rated("group", 1, 1, categories=(("x",), ("y",))),
    ]
    found = disputes(rows)
    assert [one.step for one in found] == ["both", "split", "far", "group"]
    assert found[0].causes == (Cause.FAIL_SPLIT, Cause.FAR_APART)
    assert [one.severity for one in found] == [6, 4, 2, 1]


@pytest.mark.parametrize(
    ("scores", "score", "basis", "support"),
    [
        ((2, 2, 2), 2, Basis.UNANIMOUS, 1),
        ((2, 2, 5), 2, Basis.MAJORITY, 2 / 3),
        ((1, 3, 5), 3, Basis.MEDIAN, 1 / 3),
        ((2, 5), 2, Basis.MEDIAN, 1 / 2),
    ],
)
def test_a_proposal_says_what_it_rests_on(scores, score, basis, support):
    found = propose(rated("s", *scores))
    assert (found.score, found.basis, found.support) == (score, basis, support)
