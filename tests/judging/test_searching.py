"""What of a trace its search text holds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.domain.searching import LONGEST, fair_share, search_text
from tests.traces.graph.spans import llm, said, tool
from traces.domain.graph.build import build_graph
from traces.domain.summary import summarise


def text(*spans):
    built = build_graph(spans)
    return search_text(summarise(spans, built, {}), built.graph.steps, built.contents)


def test_values_are_kept_and_keys_are_not():
    found = text(tool("a", 1, 2, run="find", arguments={"Town": "Köln"}, result="7 m"))
    assert "köln" in found
    assert "7 m" in found
    assert "town" not in found


def test_nested_results_are_words_with_one_space_between():
    result = {"rows": [{"id": "W-1", "ok": True, "note": "two\n  lines", "n": None}]}
    assert "w-1 two lines" in text(tool("a", 1, 2, run="find", result=result))


def test_of_what_a_model_says_only_the_steps_name_is_in_it():
    answer = "word " * 40 + "ending"
    span = llm("a", 1, 2, text=answer, given=[said("user", "Please")])
    assert "ending" not in text(span)


def test_a_long_result_leaves_room_for_the_others():
    long = tool("a", 1, 2, run="dump", result="x" * 50_000)
    short = tool("b", 3, 4, run="find", result="needle")
    found = text(long, short)
    assert "needle" in found
    assert len(found) <= LONGEST


def test_so_many_results_that_none_has_room():
    spans = [
        tool(f"s{n}", n, n + 1, run="f", result=f"result {n}") for n in range(9_000)
    ]
    assert len(text(*spans)) <= LONGEST


@pytest.mark.parametrize(
    ("lengths", "room", "share"),
    [([], 10, 0), ([3, 4], 10, 4), ([9, 9], 10, 5), ([2, 100, 100], 20, 9)],
)
def test_shares(lengths, room, share):
    assert fair_share(lengths, room) == share


@given(st.lists(st.integers(0, 500), max_size=50), st.integers(0, 2_000))
def test_all_shares_fit(lengths, room):
    share = fair_share(lengths, room)
    assert sum(min(length, share) for length in lengths) <= room
