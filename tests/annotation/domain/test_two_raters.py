"""Two raters: published tables to the last fraction, and every edge case."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa

from annotation.domain.alpha import Metric, alpha
from annotation.domain.fleiss import scott, uniform
from annotation.domain.gwet import gwet, gwet_error
from annotation.domain.kappa import (
    Analytic,
    Skew,
    analytic,
    cohen,
    collapsed,
    highest_possible,
    share_within,
    skew,
    specific_agreement,
    two_way,
)
from annotation.domain.outcome import Note, Reason, Undefined
from annotation.domain.ratings import tabulate
from annotation.domain.scale import (
    FAIL_OK,
    SCORES,
    Scale,
    Weights,
    from_disagreement,
    gwet_ordinal,
    identity,
    linear,
    quadratic,
)
from tests.annotation.domain.vectors import (
    ABSTRACTORS,
    ANXIETY,
    COHEN,
    FIVE,
    FLEISS_COHEN_EVERITT,
    PARADOX,
    SAS,
    SHIFT,
    WINNIPEG,
    pairs,
    ratings_of,
)


def scale_of(table):
    return Scale(tuple(range(1, len(table) + 1)))


def kappas(table):
    scale = scale_of(table)
    return [cohen(table, w(scale)) for w in (identity, linear, quadratic)]


def counts_of(table):
    """Each item's number of raters by value."""
    rows = np.zeros((int(np.asarray(table).sum()), len(table)), dtype=int)
    for at, (one, other) in enumerate(pairs(table)):
        rows[at, one - 1] += 1
        rows[at, other - 1] += 1
    return rows


F = Fraction


@pytest.mark.parametrize(
    ("table", "exact"),
    [
        (COHEN, (F(29, 59), F(9, 19), F(5, 11))),
        (FLEISS_COHEN_EVERITT, (F(3, 7), F(32, 65), F(17, 30))),
        (SAS, (F(107, 221), F(118, 251), F(140, 311))),
        (FIVE, (F(2933, 5010), F(10171, 13588), F(54373, 62413))),
        (SHIFT, (F(-3, 13), F(1, 3), F(5, 7))),
    ],
)
def test_published_tables_to_the_last_fraction(table, exact):
    assert tuple(found.exact for found in kappas(table)) == exact


@pytest.mark.parametrize(
    ("table", "exact"),
    [
        ([[40, 9], [6, 45]], F(291, 416)),
        (PARADOX, F(7, 22)),
        ([[118, 5], [2, 0]], F(-4, 171)),
        ([[20, 5], [10, 15]], F(2, 5)),
        ([[45, 15], [25, 15]], F(3, 23)),
        ([[25, 35], [5, 35]], F(7, 27)),
    ],
)
def test_of_two_values_all_weights_are_one(table, exact):
    assert [found.exact for found in kappas(table)] == [exact] * 3


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ([[20, 20], [10, 50]], [0.347826] * 3),
        ([[46, 0, 0], [6, 32, 6], [0, 0, 10]], [0.801325, 0.835526, 0.877651]),
        ([[46, 0, 0], [4, 40, 0], [0, 0, 10]], [0.931507, 0.941176, 0.954128]),
        (ABSTRACTORS, [0.796409, 0.842902, 0.892157]),
        (WINNIPEG, [0.207942, 0.379731, 0.524576]),
    ],
)
def test_published_tables_to_six_places(table, values):
    assert [round(found.value, 6) for found in kappas(table)] == values


@pytest.mark.parametrize(
    ("table", "errors"),
    [
        (COHEN, [0.051002, 0.054432, 0.066454]),
        (FLEISS_COHEN_EVERITT, [0.053711, 0.050719, 0.055666]),
        (SAS, [0.138014, 0.145746, 0.192233]),
        ([[46, 0, 0], [4, 40, 0], [0, 0, 10]], [0.033719, 0.029310, 0.023400]),
        (ABSTRACTORS, [0.058911, 0.047872, 0.035352]),
        (WINNIPEG, [0.050455, 0.051667, 0.060055]),
        (FIVE, [0.043470, 0.029885, 0.020231]),
        (SHIFT, [0.029939, 0.035136, 0.025815]),
        ([[20, 20], [10, 50]], [0.095008] * 3),
        ([[46, 0, 0], [6, 32, 6], [0, 0, 10]], [0.051973]),
        ([[40, 9], [6, 45]], [0.071394]),
        (PARADOX, [0.133457]),
        ([[118, 5], [2, 0]], [0.012287]),
        ([[20, 5], [10, 15]], [0.126996]),
        ([[45, 15], [25, 15]], [0.098662]),
        ([[25, 35], [5, 35]], [0.077160]),
    ],
)
def test_standard_errors(table, errors):
    ways = (identity, linear, quadratic)[: len(errors)]
    found = [analytic(table, w(scale_of(table))).error for w in ways]
    assert [round(error, 6) for error in found] == errors


def test_null_errors_and_intervals_as_printed():
    plain, weighted = (analytic(SAS, w(scale_of(SAS))) for w in (identity, linear))
    assert round(analytic(COHEN, identity(scale_of(COHEN))).null_error, 6) == 0.051979
    assert (round(plain.null_error, 4), round(weighted.null_error, 4)) == (
        0.1484,
        0.1426,
    )
    assert (round(plain.low, 4), round(plain.high, 4)) == (0.2137, 0.7547)
    assert (round(weighted.low, 4), round(weighted.high, 4)) == (0.1845, 0.7558)


def test_weights_may_be_given_as_disagreements():
    weights = from_disagreement("Cohen 1968", [[0, 1, 3], [1, 0, 6], [3, 6, 0]])
    found = cohen(COHEN, weights)
    assert found.exact == F(8, 23)
    assert round(analytic(COHEN, weights).error, 6) == 0.075504


def test_disagreements_need_not_be_symmetric():
    weights = from_disagreement("asymmetric", [[0, 1, 4], [1, 0, 6], [2, 2, 0]])
    assert cohen(COHEN, weights).exact == F(47, 133)
    swapped = cohen(np.transpose(COHEN), weights)
    assert round(swapped.value, 6) == 0.420561


def test_weights_of_the_paper_on_standard_errors():
    rows = [[F(1), F(0), F(4, 9)], [F(0), F(1), F(2, 3)], [F(4, 9), F(2, 3), F(1)]]
    weights = Weights("1969", tuple(tuple(row) for row in rows))
    assert round(cohen(FLEISS_COHEN_EVERITT, weights).value, 3) == 0.507
    assert round(analytic(FLEISS_COHEN_EVERITT, weights).error, 6) == 0.056994


def test_the_paradox_is_told_by_its_companions():
    low, high = skew([[40, 9], [6, 45]]), skew(PARADOX)
    assert (low.adjusted, high.adjusted) == (F(7, 10), F(7, 10))
    assert (high.prevalence, high.bias) == (F(3, 4), F(1, 20))
    assert [round(float(x), 4) for x in specific_agreement(PARADOX)] == [0.9143, 0.4]
    assert round(float(highest_possible(PARADOX)), 4) == 0.7727
    assert round(gwet(counts_of(PARADOX), identity(FAIL_OK)).value, 3) == 0.808
    assert Note.PREVALENCE in cohen(PARADOX, identity(FAIL_OK)).notes


def test_a_rare_value_makes_kappa_negative_at_94_percent():
    table = [[118, 5], [2, 0]]
    found = cohen(table, identity(FAIL_OK))
    assert found.observed == F(118, 125)
    assert round(float(found.expected), 6) == 0.945280
    assert round(gwet(counts_of(table), identity(FAIL_OK)).value, 6) == 0.940776


def test_all_coefficients_of_gwets_abstractors():
    scale, counts = scale_of(ABSTRACTORS), counts_of(ABSTRACTORS)
    assert round(scott(ABSTRACTORS, identity(scale)).value, 7) == 0.7962397
    assert round(uniform(counts, identity(scale)).value, 7) == 0.835
    assert round(alpha(counts, scale, Metric.NOMINAL).value, 7) == 0.7972585
    assert round(gwet(counts, identity(scale)).value, 7) == 0.8493305
    # Printed for the table, where Gwet divides by n² and not by n (n − 1).
    error = gwet_error(counts, identity(scale)) * (99 / 100) ** 0.5
    assert round(error, 8) == 0.04321747
    ways = (linear, quadratic, gwet_ordinal)
    found = [round(gwet(counts, w(scale)).value, 6) for w in ways]
    assert found == [0.900023, 0.940237, 0.925192]


def test_five_scores_with_everything_beside():
    agreement = [round(float(x), 4) for x in specific_agreement(FIVE)]
    assert agreement == [0.6897, 0.6087, 0.5970, 0.6557, 0.7971]
    ones = [cohen(two_way(FIVE, at), identity(FAIL_OK)).value for at in range(5)]
    assert [round(x, 4) for x in ones] == [0.6656, 0.5582, 0.5164, 0.5057, 0.6911]
    assert round(float(share_within(FIVE)), 4) == 0.6915
    assert round(float(share_within(FIVE, 1)), 4) == 0.9701
    ways = (identity, linear, quadratic, gwet_ordinal)
    found = [round(gwet(counts_of(FIVE), w(SCORES)).value, 6) for w in ways]
    assert found == [0.621062, 0.808656, 0.917772, 0.888578]


def test_fail_or_ok_of_five_scores():
    table = collapsed(FIVE, 2)
    assert table.tolist() == [[31, 7], [6, 157]]
    assert round(cohen(table, identity(FAIL_OK)).value, 6) == 0.786920
    assert round(float(skew(table).adjusted), 6) == 0.870647
    fail, ok = specific_agreement(table)
    assert (round(float(fail), 6), round(float(ok), 6)) == (0.826667, 0.960245)


def test_the_declared_scale_counts_and_not_the_values_used():
    scale = Scale((1, 2, 3, 4, 5, 6))
    table = crossed(ANXIETY, 6)
    assert round(cohen(table, linear(scale)).value, 6) == 0.126214
    assert round(cohen(table, quadratic(scale)).value, 6) == 0.229798
    assert round(cohen(table, identity(scale)).value, 6) == -0.006289


def test_dropping_an_unused_value_would_give_the_published_mistake():
    used = {1: 1, 2: 2, 3: 3, 4: 4, 6: 5}
    table = crossed([(used[a], used[b]) for a, b in ANXIETY], 5)
    values = [round(found.value, 6) for found in kappas(table)]
    assert values == [-0.006289, 0.145907, 0.252033]
    z = [analytic(table, w(SCORES)).z for w in (identity, linear, quadratic)]
    assert [round(x, 4) for x in z] == [-0.0604, 1.2825, 1.4375]


def crossed(rows, q):
    table = np.zeros((q, q), dtype=int)
    for one, other in rows:
        table[one - 1, other - 1] += 1
    return table


def five(rows):
    return crossed(rows, 5)


A, B = (1, 2, 5, 5, 1, 2, 5, 2, 1, 5), (1, 2, 5, 5, 2, 2, 5, 1, 1, 2)
CASES = {
    "all 5": ([(5, 5)] * 10, [None, "single_class"]),
    "one item, agreed": ([(5, 5)], [None, "too_few_items"]),
    "one item, not agreed": ([(5, 4)], [None, "too_few_items"]),
    "one rater constant": ([(5, 5)] * 8 + [(5, 4), (5, 3)], [0, None]),
    "one of ten differs": ([(5, 5)] * 9 + [(5, 4)], [0, None]),
    "5 against 4": ([(5, 4)] * 10, [0, None]),
    "none": ([], [None, "no_overlap"]),
}


@pytest.mark.parametrize(("rows", "expected"), CASES.values(), ids=CASES)
def test_the_behaviour_matrix(rows, expected):
    found = cohen(five(rows), identity(SCORES))
    reason = found.undefined.reason if found.undefined else None
    assert [found.exact, reason] == expected


@pytest.mark.parametrize(
    ("case", "ac1"),
    [
        ("all 5", 1.0),
        ("one rater constant", 0.7903),
        ("one of ten differs", 0.8976),
        ("5 against 4", -0.1429),
    ],
)
def test_gwet_where_kappa_fails(case, ac1):
    counts = counts_of(five(CASES[case][0]).tolist())
    assert round(gwet(counts, identity(SCORES)).value, 4) == ac1


@pytest.mark.parametrize(
    ("case", "ac2"), [("one rater constant", 0.952), ("5 against 4", 0.818)]
)
def test_gwet_ordinal_where_kappa_fails(case, ac2):
    counts = counts_of(five(CASES[case][0]).tolist())
    assert round(gwet(counts, gwet_ordinal(SCORES)).value, 3) == ac2


def test_undefined_keeps_what_is_known():
    found = cohen(five([(5, 5)] * 10), identity(SCORES)).as_json()
    assert (found["value"], found["observed"], found["n"]) == (None, 1.0, 10)
    assert found["reason"] == "single_class"
    assert "by chance is certain" in found["words"]


def test_notes_name_constant_raters():
    assert (
        Note.ONE_RATER_CONSTANT
        in cohen(five(CASES["one rater constant"][0]), identity(SCORES)).notes
    )
    assert (
        Note.BOTH_RATERS_CONSTANT
        in cohen(five(CASES["5 against 4"][0]), identity(SCORES)).notes
    )


def test_perfect_inversion():
    rows = [(s, 6 - s) for s in range(1, 6)]
    values = [found.exact for found in kappas(five(rows))]
    assert values == [0, F(-1, 2), -1]


def test_only_some_scores_used():
    rows = [(1, 1)] * 3 + [(1, 2), (2, 1), (2, 2), (2, 2), (5, 5), (5, 5), (5, 2)]
    by_hand = kappas(five(rows))[1:]
    one, other = zip(*rows, strict=True)
    for found, way in zip(by_hand, ("linear", "quadratic"), strict=True):
        fixed = cohen_kappa_score(one, other, labels=[1, 2, 3, 4, 5], weights=way)
        assert found.value == pytest.approx(fixed, abs=1e-12)
        assert found.value != pytest.approx(cohen_kappa_score(one, other, weights=way))


@pytest.mark.parametrize("table", [[[5, 0], [0, 5]], [[0, 5], [5, 0]]])
def test_no_error_is_printed_at_full_agreement_or_none(table):
    assert analytic(table, identity(FAIL_OK)) == Undefined(Reason.NO_SPREAD)


def test_no_error_without_a_coefficient():
    assert analytic([[5, 0], [0, 0]], identity(FAIL_OK)) == Undefined(
        Reason.SINGLE_CLASS
    )


def test_a_judge_that_always_passes():
    found = cohen([[0, 1], [0, 9]], identity(FAIL_OK))
    assert (found.observed, found.exact) == (F(9, 10), 0)


def test_skew_needs_two_values():
    with pytest.raises(ValueError, match="2 × 2"):
        skew(FIVE)
    assert skew([[0, 0], [0, 0]]) == Undefined(Reason.NO_OVERLAP)


def test_without_items_nothing_is_known():
    empty = np.zeros((5, 5), dtype=int)
    assert share_within(empty) is None
    assert highest_possible(empty) is None
    assert specific_agreement(empty) == (None,) * 5


cells = st.integers(0, 12)
tables = st.lists(st.lists(cells, min_size=4, max_size=4), min_size=4, max_size=4)
squares = st.lists(st.lists(cells, min_size=2, max_size=2), min_size=2, max_size=2)
FOUR = Scale((1, 2, 3, 4))


@given(tables, st.sampled_from([identity, linear, quadratic, gwet_ordinal]))
def test_raters_may_be_swapped(table, weights):
    one, other = cohen(table, weights(FOUR)), cohen(np.transpose(table), weights(FOUR))
    assert (one.exact, one.undefined) == (other.exact, other.undefined)


@given(tables, st.permutations(range(4)))
def test_names_of_values_mean_nothing_without_weights(table, order):
    moved = np.asarray(table)[np.ix_(order, order)]
    assert cohen(table, identity(FOUR)).exact == cohen(moved, identity(FOUR)).exact


@given(tables)
def test_an_unused_value_more_changes_nothing_without_weights(table):
    wider = np.pad(np.asarray(table), ((0, 1), (0, 1)))
    assert cohen(table, identity(FOUR)).exact == cohen(wider, identity(SCORES)).exact


@given(tables, st.integers(1, 9))
def test_the_unit_of_disagreement_cancels(table, unit):
    rows = [[unit * (i - j) ** 2 for j in range(4)] for i in range(4)]
    scaled = from_disagreement("scaled", rows)
    assert cohen(table, scaled).exact == cohen(table, quadratic(FOUR)).exact


@given(squares)
def test_of_two_values_all_weights_give_the_same(table):
    found = [cohen(table, w(FAIL_OK)) for w in (identity, linear, quadratic)]
    assert len({one.exact for one in found}) == 1


@given(squares)
def test_byrts_identity(table):
    found = cohen(table, identity(FAIL_OK))
    parts = skew(table)
    if found.exact is not None and isinstance(parts, Skew):
        assert parts.kappa == found.exact


@given(tables, st.sampled_from(["identity", "linear", "quadratic"]))
def test_the_same_as_statsmodels(table, way):
    weights = {"identity": identity, "linear": linear, "quadratic": quadratic}[way]
    found = cohen(table, weights(FOUR))
    theirs = {"identity": None, "linear": "linear", "quadratic": "quadratic"}[way]
    if found.exact is None:
        return
    result = cohens_kappa(np.asarray(table), wt=theirs)
    assert found.value == pytest.approx(result.kappa, abs=1e-9)
    errors = analytic(table, weights(FOUR))
    if isinstance(errors, Analytic):
        assert errors.error == pytest.approx(result.std_kappa, abs=1e-6)
        assert errors.null_error == pytest.approx(result.std_kappa0, abs=1e-6)


@given(tables)
def test_kappa_lies_between_its_bounds(table):
    found, most = cohen(table, identity(FOUR)), highest_possible(table)
    if found.exact is not None:
        assert -1 <= found.exact <= most <= 1


def test_tables_come_from_ratings_keyed_by_trace_and_step():
    table = tabulate(ratings_of(pairs(FIVE)))
    assert (len(table.items), len(table.traces)) == (201, 41)
    assert table.counts.sum() == 402
