"""Many raters, missing ratings: published data and the libraries that are right."""

from __future__ import annotations

from fractions import Fraction

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa

from annotation.domain.agreement import many_agreement
from annotation.domain.alpha import Metric, alpha
from annotation.domain.coincidences import coincidences_by_trace, exact_coincidences
from annotation.domain.draws import Draws
from annotation.domain.fleiss import conger, fleiss, fleiss_by_value, scott, uniform
from annotation.domain.gwet import gwet, gwet_error
from annotation.domain.kappa import cohen
from annotation.domain.nominal import nominal_agreement
from annotation.domain.outcome import Reason
from annotation.domain.ratings import Rating, tabulate
from annotation.domain.scale import (
    FAIL_OK,
    SCORES,
    Scale,
    gwet_ordinal,
    identity,
    linear,
    quadratic,
)
from tests.annotation.domain.vectors import (
    DIAGNOSES,
    FIVE,
    FOURTEEN_RATERS,
    GWET_INTERVAL,
    GWET_RAW,
    KRIPPENDORFF,
    WIKIPEDIA_ALPHA,
    labelled,
    pairs,
    ratings_of,
    scored,
)

F = Fraction
DIAGNOSIS = Scale(("depression", "personality", "schizophrenia", "neurosis", "other"))


def rounded(*coefficients, places=6):
    return [round(found.value, places) for found in coefficients]


def test_krippendorffs_own_data():
    table = scored(KRIPPENDORFF)
    found = rounded(*(alpha(table.counts, SCORES, metric) for metric in Metric))
    assert found == [0.743421, 0.815388, 0.849107, 0.797403]
    assert alpha(table.counts, SCORES, Metric.NOMINAL).exact == 1 - F(312, 1216)
    assert exact_coincidences(table.counts).pairable.tolist() == [9, 13, 10, 5, 3]


def test_ordinal_alpha_is_not_gwets_ordinal():
    table = scored(KRIPPENDORFF)
    names = {
        alpha(table.counts, SCORES, Metric.ORDINAL).name,
        gwet(table.counts, gwet_ordinal(SCORES)).name,
    }
    assert names == {"Krippendorff's α, ordinal", "Gwet's AC2, Gwet ordinal"}


def test_gwet_on_the_same_data():
    counts = scored(KRIPPENDORFF).counts
    ways = [w(SCORES) for w in (identity, linear, quadratic, gwet_ordinal)]
    found = rounded(*(gwet(counts, w) for w in ways))
    assert found == [0.775444, 0.858739, 0.914001, 0.898940]
    errors = [round(gwet_error(counts, w), 6) for w in ways]
    assert errors == [0.142950, 0.117329, 0.103962, 0.106904]
    plain = gwet(counts, ways[0])
    assert (round(float(plain.observed), 7), round(float(plain.expected), 7)) == (
        *(0.8181818, 0.1903212),
    )


def test_fleiss_conger_and_uniform_chance_on_the_same_data():
    table, raw = scored(KRIPPENDORFF), scored(GWET_RAW)
    plain = identity(SCORES)
    general = fleiss(table.counts, plain, complete=False)
    found = general, conger(raw, plain), uniform(table.counts, plain)
    assert rounded(*found, places=5) == [0.76117, 0.76282, 0.77273]


def test_fleiss_asks_for_complete_data():
    found = fleiss(scored(KRIPPENDORFF).counts, identity(SCORES))
    assert found.undefined.reason is Reason.UNEQUAL_RATERS
    assert round(float(found.observed), 6) == 0.818182


def test_two_raters_ten_items_two_values():
    table = scored(("0100000010", "1110010000"), Scale((0, 1)))
    cross = [[5, 3], [1, 1]]
    plain = identity(FAIL_OK)
    found = alpha(table.counts, table.scale, Metric.NOMINAL), scott(cross, plain)
    assert rounded(*found) == [0.095238, 0.047619]
    assert rounded(cohen(cross, plain)) == [0.090909]
    assert rounded(gwet(table.counts, plain)) == [0.310345]


def test_letters():
    rows = "aabbdcccedda", "babbbcccedd" + "d"
    table = labelled(tuple(tuple(row) for row in rows), Scale(tuple("abcde")))
    assert rounded(alpha(table.counts, table.scale, Metric.NOMINAL)) == [0.691964]


def test_three_raters_with_many_holes():
    scale = Scale((1, 2, 3, 4))
    counts = scored(WIKIPEDIA_ALPHA, scale).counts
    ways = Metric.NOMINAL, Metric.INTERVAL, Metric.ORDINAL
    found = rounded(*(alpha(counts, scale, metric) for metric in ways))
    assert found == [0.691358, 0.810845, 0.806721]
    assert exact_coincidences(counts).pairable.sum() == 26


def test_fleiss_1971():
    counts, plain = np.array(DIAGNOSES), identity(DIAGNOSIS)
    assert counts.sum(axis=0).tolist() == [26, 26, 30, 55, 43]
    found = fleiss(counts, plain)
    assert round(found.value, 7) == 0.4302445
    assert (round(float(found.observed), 6), round(float(found.expected), 6)) == (
        *(0.555556, 0.219938),
    )
    by_value = [round(float(x), 4) for x in fleiss_by_value(counts)]
    assert by_value == [0.2448, 0.2448, 0.5200, 0.4711, 0.5661]
    others = alpha(counts, DIAGNOSIS, Metric.NOMINAL), gwet(counts, plain)
    assert rounded(*others, uniform(counts, plain)) == [0.433410, 0.447885, 0.444444]


def test_the_first_half_of_fleiss_1971():
    counts, plain = np.array(DIAGNOSES[:15]), identity(DIAGNOSIS)
    found = fleiss(counts, plain), gwet(counts, plain)
    assert rounded(*found, places=7) == [0.4139265, 0.4448007]
    rest = alpha(counts, DIAGNOSIS, Metric.NOMINAL), uniform(counts, plain)
    assert rounded(*rest, places=7) == [0.4204384, 0.4388889]


def test_fourteen_raters():
    assert rounded(fleiss(np.array(FOURTEEN_RATERS), identity(SCORES))) == [0.209931]


def test_values_that_are_no_ranks():
    scale = Scale((0.5, 1.0, 1.5, 2.0, 2.5))
    table = labelled(GWET_INTERVAL, scale)
    counts, square = table.counts, quadratic(scale)
    found = [
        conger(table, square),
        uniform(counts, square),
        fleiss(counts, square, complete=False),
        gwet(counts, square),
        alpha(counts, scale, Metric.INTERVAL),
    ]
    assert rounded(*found, places=4) == [0.5290, 0.6823, 0.5107, 0.7755, 0.6180]
    assert rounded(alpha(counts, scale, Metric.ORDINAL)) == [0.553755]


def test_one_odd_rating_among_equal_ones_is_no_better_than_chance():
    items = ("33333", "3333" + ".", "33..3", "33331", "3.333")
    rows = tuple("".join(item[at] for item in items) for at in range(5))
    counts = scored(rows).counts
    assert alpha(counts, SCORES, Metric.NOMINAL).exact == 0


def test_missing_is_no_value():
    table = scored(("112", "11.", ".12"), Scale((1, 2)))
    assert alpha(table.counts, table.scale, Metric.NOMINAL).exact == 1
    holes = ((1, 1, 2), (1, 1, None), (None, 1, 2))
    counted = labelled(holes, Scale((1, 2, None)))
    found = alpha(counted.counts, counted.scale, Metric.NOMINAL)
    assert round(found.value, 3) == 0.333


def test_alpha_of_five_scores():
    counts = tabulate(ratings_of(pairs(FIVE))).counts
    ways = Metric.NOMINAL, Metric.ORDINAL, Metric.INTERVAL
    found = rounded(*(alpha(counts, SCORES, metric) for metric in ways))
    assert found == [0.586426, 0.847218, 0.871493]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (("1.", ".2"), "no_overlap"),
        (("1", "2"), "too_few_items"),
        (("33", "33"), "single_class"),
    ],
)
def test_no_value_has_a_reason(rows, reason):
    counts = scored(rows).counts
    assert alpha(counts, SCORES, Metric.ORDINAL).undefined.reason == reason
    assert fleiss(counts, identity(SCORES), complete=False).undefined.reason == reason


def test_one_value_and_full_agreement_is_one_for_gwet():
    assert gwet(scored(("33", "33")).counts, identity(SCORES)).exact == 1


grids = st.lists(
    st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=2, max_size=12
)


def table_of(grid):
    """One row an item, one column a rater; 0 is missing."""
    rows = [
        "".join(str(s) if s else "." for s in column) for column in np.transpose(grid)
    ]
    return scored(tuple(rows))


@given(grids, st.sampled_from(list(Metric)))
def test_the_same_alpha_as_krippendorff(grid, metric):
    if not any(map(sum, grid)):
        return
    found = alpha(table_of(grid).counts, SCORES, metric)
    if found.exact is None:
        return
    data = np.where(np.array(grid) == 0, np.nan, np.array(grid, dtype=float)).T
    theirs = krippendorff.alpha(
        reliability_data=data,
        value_domain=[1, 2, 3, 4, 5],
        level_of_measurement=metric.value,
    )
    assert found.value == pytest.approx(theirs, abs=1e-9)


@given(
    st.lists(
        st.lists(st.integers(1, 5), min_size=3, max_size=3), min_size=2, max_size=12
    )
)
def test_the_same_fleiss_as_statsmodels(grid):
    counts = table_of(grid).counts
    found = fleiss(counts, identity(SCORES))
    if found.exact is not None:
        assert found.value == pytest.approx(fleiss_kappa(counts), abs=1e-9)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2))
def test_alpha_is_pi_with_a_correction_for_two_raters_and_nothing_missing(rows):
    cross = np.zeros((5, 5), dtype=int)
    for one, other in rows:
        cross[one - 1, other - 1] += 1
    counts = tabulate(ratings_of(rows)).counts
    pi = scott(cross, identity(SCORES)).exact
    found = alpha(counts, SCORES, Metric.NOMINAL).exact
    if pi is not None:
        assert found == pi + (1 - pi) / (2 * len(rows))


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=2))
def test_conger_of_two_raters_is_cohen(rows):
    cross = np.zeros((5, 5), dtype=int)
    for one, other in rows:
        cross[one - 1, other - 1] += 1
    table = tabulate(ratings_of(rows))
    for weights in (identity(SCORES), quadratic(SCORES)):
        assert conger(table, weights).exact == cohen(cross, weights).exact


@given(grids, st.randoms(use_true_random=False))
def test_order_of_rows_items_and_raters_means_nothing(grid, random):
    ratings = [
        Rating(f"t{item % 2}", str(item), str(rater), score)
        for item, row in enumerate(grid)
        for rater, score in enumerate(row)
        if score
    ]
    shuffled = random.sample(ratings, len(ratings))
    if ratings:
        one, other = tabulate(ratings), tabulate(shuffled)
        for metric in Metric:
            first = alpha(one.counts, SCORES, metric)
            assert first == alpha(other.counts, SCORES, metric)
        assert gwet(one.counts, identity(SCORES)) == gwet(
            other.counts, identity(SCORES)
        )


@given(grids)
def test_sums_by_trace_add_up_to_the_exact_ones(grid):
    table = table_of(grid)
    if not table.items:
        return
    exact, floats = exact_coincidences(table.counts), coincidences_by_trace(table)
    for name in ("between", "pairable", "agreeing", "compared", "shares", "rated"):
        total = getattr(floats, name).sum(axis=0)
        assert np.allclose(total, getattr(exact, name).astype(float))


def test_names_without_order_give_the_same_as_the_long_way():
    rows = ratings_of(pairs(FIVE), per_trace=3)
    rows += [Rating(r.trace, r.step, "c", r.score) for r in rows[:90:2]]
    table = tabulate(rows)
    short = nominal_agreement(table, Draws(3, 200))
    long = many_agreement(table, Draws(3, 200))
    assert list(short) == ["alpha_nominal", "ac1", "fleiss"]
    for key, one in short.items():
        assert one.coefficient == long[key].coefficient
        if one.value is not None:
            assert one.interval.low == pytest.approx(long[key].interval.low)
            assert one.interval.high == pytest.approx(long[key].interval.high)


def test_names_of_nobody():
    found = nominal_agreement(tabulate([], DIAGNOSIS), Draws(1, 20))
    assert found["ac1"].as_json()["reason"] == "no_overlap"
