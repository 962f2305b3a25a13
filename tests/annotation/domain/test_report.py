"""The whole report: complete, plain, repeatable."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from annotation.domain.pairs import with_judge
from annotation.domain.people import gold_accuracy, repeats
from annotation.domain.ratings import Purpose, Rating, RatingError
from annotation.domain.report import report
from annotation.domain.sections import steps_in_cell
from annotation.domain.setup import Setup
from tests.annotation.domain.vectors import FIVE, pairs

LEVELS = (("planning", "execution"), ("order", "tool"))
TOOL, ORDER = ("execution", "tool"), ("planning", "order")
SETUP = Setup(seed=7, draws=200, levels=LEVELS, versions={"judge": "rules 1"})


def campaign():
    """201 steps with two experts, and a judge that repeats the second."""
    experts, judge = [], []
    for at, (one, other) in enumerate(pairs(FIVE)):
        trace, step = f"t{at // 6:02}", f"s{at % 6}"
        kind = ("PLAN", "EXEC")[at % 2]
        for rater, score in (("ann", one), ("bob", other)):
            category = (TOOL if at % 3 else ORDER) if score <= 2 else ()
            root = score <= 2 and at % 6 == 0
            rating = Rating(trace, step, rater, score, category, root, kind, "refund")
            experts.append(rating)
        category = TOOL if other <= 2 else ()
        judge.append(Rating(trace, step, "judge", float(other), category))
    return experts, judge


def test_the_report_is_plain_data_and_complete():
    found = report(*campaign(), SETUP)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert list(found) == [
        *("definition", "counts", "excluded", "headline", "judge_expert", "experts"),
        *("repeats", "ceiling", "categories", "roots", "bias", "failures", "slices"),
        *("measures", "plan"),
    ]


def test_the_headline_says_what_it_is():
    found = report(*campaign(), SETUP)
    headline, definition = found["headline"], found["definition"]
    assert headline["status"] == "final"
    assert (headline["steps"], headline["traces"], headline["raters"]) == (201, 34, 2)
    assert headline["estimate"]["interval"]["seed"] == 7
    assert headline["ceiling"]["value"] == pytest.approx(54373 / 62413)
    assert definition["versions"] == {"judge": "rules 1"}
    assert "quadratic" in definition["words"]


def test_every_number_or_its_reason():
    def walk(node):
        if isinstance(node, dict):
            if {"value", "reason"} <= set(node):
                assert (node["value"] is None) == (node["reason"] is not None), node
            for child in node.values():
                walk(child)
        if isinstance(node, list):
            for child in node:
                walk(child)

    walk(report(*campaign(), SETUP))
    walk(report([], [], SETUP))
    walk(report(campaign()[0][:1], campaign()[1][:1], SETUP))


def test_order_of_input_changes_nothing():
    experts, judge = campaign()
    assert report(experts, judge, SETUP) == report(experts[::-1], judge[::-1], SETUP)


def test_tables_carry_their_margins():
    found = report(*campaign(), SETUP)["judge_expert"]["confusion"]
    assert found["n"] == 402
    assert sum(found["rows"]) == sum(found["columns"]) == 402


def test_few_steps_are_preliminary():
    experts, judge = campaign()
    found = report(experts[:40], judge, SETUP)["headline"]
    assert (found["status"], found["steps"]) == ("preliminary", 20)
    assert found["estimate"]["notes"][-1]["code"] == "preliminary"


def test_nothing_is_undefined_with_a_reason():
    found = report([], [], SETUP)
    assert found["headline"]["status"] == "undefined"
    assert found["headline"]["estimate"]["reason"] == "no_overlap"
    assert found["judge_expert"] is None


def test_without_a_judge_experts_are_the_headline():
    found = report(campaign()[0], [], SETUP)
    assert found["headline"]["estimate"]["name"] == "Krippendorff's α, ordinal"
    assert found["definition"]["primary"] == "alpha_ordinal"
    assert (found["bias"], found["categories"]) == (None, None)
    slices = found["slices"]["kind"]
    assert slices["PLAN"]["agreement"]["alpha_ordinal"]["n"] == 101
    assert list(found["slices"]) == ["kind", "group", "period"]


def test_names_of_experts_decide_nothing():
    experts = [
        replace(r, rater=f"{r.rater}{i % 3}") for i, r in enumerate(campaign()[0])
    ]
    renamed = [replace(r, rater=r.rater[::-1]) for r in experts]
    one, other = (report(rows, [], SETUP) for rows in (experts, renamed))
    assert one["slices"] == other["slices"]
    assert one["headline"] == other["headline"]
    both = [report(rows, campaign()[1], SETUP) for rows in (experts, renamed)]
    assert both[0]["ceiling"]["by_pairs"] == both[1]["ceiling"]["by_pairs"]


def test_what_is_left_out_is_listed():
    experts, judge = campaign()
    late = Rating("t00", "s0", "eve", 3, blind=False, place="line 9")
    gold = Rating("t00", "g", "ann", 3, purpose=Purpose.GOLD)
    found = report([*experts, late, gold], judge, SETUP)["excluded"]
    assert found["by_reason"] == {"gold": 1, "not_blind": 1}
    assert found["rows"][1] == {
        "trace": "t00",
        "step": "s0",
        "rater": "eve",
        "place": "line 9",
        "reason": "not_blind",
    }


def test_looked_at_without_a_finding_counts_for_detection_only():
    experts = [Rating(f"t{t}", "s", "ann", 1 + t % 5) for t in range(10)]
    judge = [Rating(f"t{t}", "s", "rules", None, failed=False) for t in range(10)]
    found = report(experts, judge, SETUP)
    assert found["judge_expert"] is None
    assert found["measures"]["experts"]["fdrec"]["value"] == 0.0
    assert found["measures"]["experts"]["unscored"] == {"failed": 0, "passed": 0}


def test_a_judge_outside_the_scale_is_named():
    experts, judge = campaign()
    wrong = [Rating("t00", "s0", "judge", 7.5), *judge[1:]]
    with pytest.raises(RatingError, match="step 's0' of trace 't00' by 'judge'"):
        report(experts, wrong, SETUP)


def test_slices_and_raters():
    found = report(*campaign(), SETUP)
    assert list(found["slices"]["kind"]) == ["EXEC", "PLAN"]
    assert list(found["slices"]["expert"]) == ["ann", "bob"]
    assert found["slices"]["expert"]["bob"]["agreement"]["exact"]["value"] == 1.0
    assert [one["rater"] for one in found["experts"]["severity"]] == ["ann", "bob"]
    assert found["experts"]["pairs"][0]["n"] == 201
    levels = found["experts"]["categories"]
    assert [one["level"] for one in levels] == [1, 2]
    assert levels[0]["agreement"]["alpha_nominal"]["value"] > 0.5


def test_a_cell_of_the_table_leads_to_its_steps():
    compared = with_judge(*campaign())
    found = steps_in_cell(compared, expert=1, judge=3)
    assert found == [{"trace": "t02", "step": "s1", "rater": "ann"}]
    assert len(steps_in_cell(compared, 5, 5, limit=3)) == 3


def test_other_models_of_chance_stand_beside():
    found = report(*campaign(), SETUP)["experts"]["other_chance"]
    assert found["conger_quadratic"]["value"] == pytest.approx(54373 / 62413)
    assert len(found["fleiss_by_value"]) == 5
    assert found["ac1_error"] < 0.1
    experts, judge = campaign()
    ragged = report(experts[1:], judge, SETUP)["experts"]["other_chance"]
    assert ragged["fleiss_by_value"] == []


def test_repeats_are_compared_with_the_first_look():
    experts, judge = campaign()
    again = [replace(r, purpose=Purpose.REPEAT) for r in experts[:50]]
    found = report([*experts, *again], judge, SETUP)
    assert (found["repeats"]["n"], found["repeats"]["exact"]["value"]) == (50, 1.0)
    assert found["excluded"]["by_reason"] == {"repeat": 50}


def test_raters_on_gold_items():
    answers = {("t", str(s)): Rating("t", str(s), "key", 2) for s in range(3)}
    rows = [
        Rating("t", str(s), "ann", score, purpose=Purpose.GOLD)
        for s, score in enumerate((2, 3, 5))
    ]
    (found,) = gold_accuracy([*rows, Rating("t", "9", "ann", 4)], answers)
    assert (found.exact.share, found.within_1.part, found.failure.part) == (1 / 3, 2, 1)


def test_raters_against_themselves():
    rows = [
        Rating("t", "1", "ann", 4),
        Rating("t", "1", "ann", 5, purpose=Purpose.REPEAT),
        Rating("t", "2", "bob", 5, purpose=Purpose.REPEAT),
    ]
    found = repeats(rows)
    assert [one.score for one in found.firsts] == [4]
    assert [one.score for one in found.seconds] == [5]
