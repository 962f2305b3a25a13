"""One trace that can't be digested costs no other."""

from unittest.mock import patch

import pytest
from django.db import OperationalError

from judging.services import digesting
from judging.services.digesting import count_waiting, digest_batch
from tests.cases.conftest import LATER, request, tool
from traces.models import Trace

BAD, GOOD = "1" * 32, "2" * 32


@pytest.fixture
def two(take):
    for trace_id in (BAD, GOOD):
        take(request(tool(1, fields={"traceId": trace_id})))


def broken(error):
    """The step rows of the first trace can't be stored."""
    store = digesting._store_steps

    def stored(trace, packed):
        if trace.trace_id == BAD:
            raise error
        store(trace, packed)

    return patch.object(digesting, "_store_steps", stored)


def test_what_can_not_be_stored_is_the_error_of_its_trace(two):
    with broken(OverflowError("too large\0")):
        progress = digest_batch(now=LATER, quiet_before=LATER)
    assert (progress.done, progress.failed) == (1, 1)
    assert count_waiting(quiet_before=LATER) == 0
    bad, good = Trace.objects.order_by("trace_id")
    assert (bad.digest_state, good.digest_state) == ("failed", "done")
    assert bad.digest_error == "OverflowError: too large\ufffd"


def test_of_a_database_that_is_away_no_trace_is_guilty(two):
    with broken(OperationalError("gone")), pytest.raises(OperationalError):
        digest_batch(now=LATER, quiet_before=LATER)
    assert not Trace.objects.filter(digest_state="failed").exists()
