"""What a drawn step says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from traces.domain.layout.marks import (
    DrawNode,
    State,
    band,
    classes,
    clean,
    cut,
    label,
    name_line,
    score_text,
    type_line,
)

STEP = DrawNode("k", 14, "EXEC", "refund_order", "billing", State.SCORED, 1.7)


def test_the_accessible_name_says_everything():
    step = replace(
        STEP,
        failed=True,
        role="root",
        category="Parameter errors › Value error",
        on_path=True,
        path_step=1,
        path_length=3,
    )
    assert label(step, [6, 9]) == (
        "step 14, EXEC, refund_order, agent billing, score 1.7 of 5, poor, "
        "failed: Parameter errors › Value error, root cause, on the path 1 of 3, "
        "depends on step 6, step 9"
    )


def test_one_parent_is_not_named():
    assert label(replace(STEP, agent=""), [6]) == (
        "step 14, EXEC, refund_order, score 1.7 of 5, poor"
    )


def test_many_parents_are_counted():
    assert label(STEP, list(range(9))).endswith("step 4, step 5, 3 more")


@pytest.mark.parametrize(
    ("state", "sign", "words"),
    [
        (State.NO_FINDING, "·", "no finding"),
        (State.UNSCORED, "?", "not scored"),
        (State.PENDING, "…", "being judged"),
        (State.BOUNDARY, "", "given from outside, never scored"),
        (State.SCORED, "?", "not scored"),
    ],
)
def test_a_step_without_a_score_says_so(state, sign, words):
    step = replace(STEP, state=state, score=None)
    assert score_text(step) == sign
    assert words in label(step)


@pytest.mark.parametrize(
    ("score", "text", "colour"),
    [
        (1, "1.0", 1),
        (1.5, "1.5", 2),
        (2.96, "2.96", 3),
        (4.49, "4.49", 4),
        (5, "5.0", 5),
    ],
)
def test_scores_show_the_decimals_they_have(score, text, colour):
    assert score_text(replace(STEP, score=score)) == text
    assert band(score) == colour


def test_a_folded_region_says_how_many_and_the_worst():
    box = replace(STEP, type="", name="147 steps", count=147, score=3.0)
    assert (type_line(box), name_line(box)) == ("billing", "147 steps")
    assert label(box) == (
        "147 steps folded from step 14, agent billing, worst score 3.0 of 5, fair"
    )


def test_a_fan_says_times():
    fan = replace(STEP, count=5, fan=True)
    assert (type_line(fan), name_line(fan)) == ("EXEC ×5", "refund_order")
    assert label(fan).startswith("5 parallel calls from step 14, EXEC, refund_order")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("get_order", "get_order"),
        ("transfer_to_human_agents_now", "transfer_to_human_age…"),
        ("two\n  lines", "two lines"),
        ("顧客の注文を検索して返金する", "顧客の注文を検索して…"),
        ("a\x00b", "a\ufffdb"),
        ("", ""),
    ],
)
def test_names_are_cut_to_one_line(text, shown):
    assert cut(text) == shown


def test_a_name_of_a_megabyte_is_cut():
    assert len(cut("x" * 1_000_000)) == 22


def test_what_xml_forbids_is_replaced():
    assert clean("\x08\ud800\uffff ok") == "\ufffd\ufffd\ufffd ok"


def test_classes_are_in_a_fixed_order():
    step = replace(STEP, failed=True, on_path=True, role="root", conformance="extra")
    assert classes(step) == "g-n g-exec g-s2 g-failed g-on g-root g-extra"
    assert classes(replace(STEP, type="ASK", state=State.NO_FINDING)) == (
        "g-n g-other g-no-finding"
    )
