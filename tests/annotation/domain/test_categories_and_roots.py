"""Agreement on categories and roots, and the paper's measures."""

from __future__ import annotations

from fractions import Fraction

import pytest

from annotation.domain.draws import Draws
from annotation.domain.kappa import cohen
from annotation.domain.levels import among_failures, over_all, shared_path
from annotation.domain.measures import by_method, cases, detection, measures
from annotation.domain.pairs import with_judge
from annotation.domain.ratings import Rating
from annotation.domain.roots import expert_roots, judge_roots, marks

L1, L2 = ("planning", "execution"), ("order", "tool", "timeout")
TOOL, TIMEOUT = ("execution", "tool"), ("execution", "timeout")
ORDER = ("planning", "order")


def compared():
    """Six steps: three failures seen by both, one by each alone, one by none."""
    expert = [(1, TOOL), (2, TIMEOUT), (1, ORDER), (2, TOOL), (5, ()), (4, ())]
    judge = [(1, TOOL), (1, TOOL), (2, TOOL), (4, ()), (2, ORDER), (5, ())]
    return with_judge(
        [Rating(f"t{at}", "s", "a", *row) for at, row in enumerate(expert)],
        [Rating(f"t{at}", "s", "judge", *row) for at, row in enumerate(judge)],
    )


def test_names_among_steps_that_both_fail():
    first = among_failures(compared(), L1, 1, Draws(1))
    second = among_failures(compared(), L2, 2, Draws(1))
    assert first.agreed.coefficient.exact == Fraction(2, 3)
    assert second.agreed.coefficient.exact == Fraction(1, 3)
    assert second.table.sum() == 3


def test_names_over_all_steps_with_no_failure_as_one_of_them():
    found = over_all(compared(), L1, 1, Draws(1))
    assert found.scale.labels == ("no failure", *L1, "unclassified")
    assert found.table.tolist() == [
        *([1, 1, 0, 0], [0, 0, 1, 0], [1, 0, 2, 0], [0, 0, 0, 0]),
    ]
    assert found.agreed.coefficient.exact == Fraction(3, 6)
    assert found.as_json()["kappa"]["n"] == 6


def test_a_failure_without_a_name_that_deep_is_unclassified():
    rows = [Rating("t", "s", "a", 1, ("planning",))]
    judge = [Rating("t", "s", "judge", 1)]
    found = among_failures(with_judge(rows, judge), L2, 2, Draws(1))
    assert found.table[-1][-1] == 1


def test_a_category_from_elsewhere_is_named_with_its_step():
    rows = [Rating("t", "s", "a", 1, ("mood",))]
    judge = [Rating("t", "s", "judge", 1, ("planning",))]
    with pytest.raises(ValueError, match="step 's' of trace 't': category 'mood'"):
        among_failures(with_judge(rows, judge), L1, 1, Draws(1))


def test_credit_for_shared_levels_is_labelled():
    weights = shared_path([ORDER, TOOL, TIMEOUT])
    assert weights.rows[1] == (Fraction(0), Fraction(1), Fraction(1, 2))
    assert "credit" in cohen([[1, 0, 0], [0, 1, 1], [0, 0, 1]], weights).name


def hops(trace, one, other):
    del trace
    steps = "abcdef"
    if "f" in (one, other):
        return None
    return abs(steps.index(one) - steps.index(other))


def marked(rater, **roots):
    return [
        Rating(trace, step, rater, 3, root=step in root)
        for trace, root in roots.items()
        for step in "abcdef"
    ]


def test_roots_exactly_and_within_hops():
    experts = marked("x", t1="a", t2="b", t3="c", t4="a", t5="", t6="b")
    judge = marked("judge", t1="a", t2="c", t3="a", t4="f", t5="a", t6="")
    found = judge_roots(experts, judge, hops)
    assert (found.n, found.within, found.unconnected) == (4, (1, 2, 3), 1)
    assert (found.only_first, found.only_second) == (1, 1)
    assert (found.mean_hops, found.accuracy) == (1.0, 1 / 5)
    shown = found.as_json()
    assert shown["accuracy"]["n"] == 5
    assert [row["count"] for row in shown["within"]] == [1, 2, 3]


def test_of_several_marks_the_nearest_counts():
    experts = marked("x", t="ae")
    assert judge_roots(experts, marked("judge", t="d"), hops).within == (0, 1, 1)
    assert marks(experts) == {"t": {"x": ("a", "e")}}


def test_roots_of_experts_among_themselves():
    rows = marked("x", t="a") + marked("y", t="a") + marked("z", t="c")
    assert expert_roots(rows, hops).within == (1, 1, 3)


def test_no_roots_is_no_overlap():
    found = judge_roots(marked("x", t=""), marked("judge", t=""), hops)
    assert found.as_json()["reason"] == "no_overlap"
    assert found.accuracy is None
    assert found.mean_hops is None


def people_and_method():
    people = [
        Rating(f"t{at // 2}", str(at % 2), "x", score)
        for at, score in enumerate([1, 2, 2, 5, 4, 3, 1, 5])
    ]
    flags = [True, True, False, True, False, False, None, None]
    method = [
        Rating(f"t{at // 2}", str(at % 2), "m", 1.0 if flag else 5.0)
        for at, flag in enumerate(flags)
        if flag is not None
    ]
    return people, [*method, Rating("t3", "0", "m", None)]


def test_recall_and_false_positives_leave_out_what_is_unscored():
    found = detection(cases(*people_and_method()), Draws(1))
    assert found.recall.coefficient.exact == Fraction(2, 3)
    assert found.false_positives.coefficient.exact == Fraction(1, 3)
    assert (found.unscored_failed, found.unscored_passed) == (1, 1)
    shown = found.as_json()
    assert round(shown["fdrec"]["wilson"]["low"], 3) == 0.208
    assert shown["unscored"] == {"failed": 1, "passed": 1}


def test_measures_of_several_methods():
    people, method = people_and_method()
    found = by_method(people, {"rules": method, "nothing": []}, hops, Draws(1))
    assert list(found) == ["nothing", "rules"]
    assert found["nothing"].experts.recall.coefficient.undefined.reason == "no_cases"
    assert found["nothing"].experts.unscored_failed == 4


def test_measures_against_the_consensus():
    people, method = people_and_method()
    second = [Rating(r.trace, r.step, "y", 5) for r in people[:4]]
    found = measures(people + second, method, hops, Draws(1))
    assert found.consensus.failed + found.consensus.passed == 4
    assert found.as_json()["consensus"]["fdrec"]["n"] == found.consensus.failed
