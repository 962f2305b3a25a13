"""Tokens and money."""

import pytest

from tests.cases.conftest import TRACE, llm, request
from traces.models import Trace


def counted(**said):
    return {f"llm__{key}": value for key, value in said.items()}


def totals():
    trace = Trace.objects.get(trace_id=TRACE)
    return trace.input_tokens, trace.output_tokens, trace.cost_usd


def test_cached_tokens_within_the_input_count_once(take, opened):
    said = counted(
        token_count__prompt=1_000,
        token_count__prompt_details__cache_read=900,
        token_count__prompt_details__cache_write=50,
        token_count__completion=7,
    )
    take(request(llm(1, **said)))
    opened()
    assert totals() == (1_000, 7, None)


@pytest.mark.parametrize("count", [2**62, 2**63 - 1, 10.0**300, -5, "9" * 18])
def test_a_number_that_counts_nothing_is_no_count(take, opened, count):
    said = counted(token_count__prompt=count, cost__total=float(count))
    take(request(llm(1, **said), llm(2, start=20, **said)))
    opened()
    assert totals() == (None, None, None)


def test_the_sum_of_many_large_counts_fits(take, opened):
    said = counted(token_count__prompt=10**12, cost__total=1e12)
    take(request(*(llm(n, start=20 * n, **said) for n in range(1, 51))))
    opened()
    assert totals() == (50 * 10**12, None, 5e13)
