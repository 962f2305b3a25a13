from __future__ import annotations

from traces.domain.reading.indexed import nested, unfold


def test_numbered_keys_become_a_list():
    flat = {"m.0.role": "user", "m.1.role": "assistant", "n": 1}
    assert nested(flat, "m") == [{"role": "user"}, {"role": "assistant"}]


def test_numbers_are_ordered_as_numbers_and_may_have_gaps():
    assert nested({"m.10.a": 3, "m.9.a": 2, "m.2.a": 1}, "m") == [
        {"a": 1},
        {"a": 2},
        {"a": 3},
    ]


def test_nothing_below_the_prefix_is_none():
    assert nested({"messages": 1}, "m") is None


def test_a_value_of_the_name_itself_wins():
    assert nested({"m": '[{"role": "user"}]', "m.0.role": "x"}, "m") == [
        {"role": "user"}
    ]


def test_dotted_keys_within_objects_unfold():
    assert unfold([{"message.role": "user", "message.tool_calls.0.id": "c"}]) == [
        {"message": {"role": "user", "tool_calls": [{"id": "c"}]}}
    ]


def test_a_value_and_levels_below_it_are_both_kept():
    for order in (1, -1):
        pairs = [("a", "whole"), ("a.b", "below")][::order]
        assert unfold(dict(pairs)) == {"a": {"": "whole", "b": "below"}}


def test_objects_with_numbers_for_keys_that_are_values_stay_objects():
    assert unfold({"a.b": {"0": "x"}}) == {"a": {"b": {"0": "x"}}}


def test_no_key_is_too_long():
    assert unfold({".".join("a" * 5_000): 1})
