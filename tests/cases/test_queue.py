"""One trace that can't be digested costs no other."""

from dataclasses import replace

import pytest
from django.db import OperationalError

from judging.services.digesting import count_waiting, digest_batch
from judging.services.packing import work
from tests.cases.conftest import LATER, request, tool
from traces.models import Trace

BAD, GOOD = "1" * 32, "2" * 32


@pytest.fixture
def two(take):
    for trace_id in (BAD, GOOD):
        take(request(tool(1, fields={"traceId": trace_id})))


class Broken(tuple):
    """Rows that raise when they are to be written."""

    error = None

    def __iter__(self):
        raise self.error


def broken(error):
    """A worker after which the first trace can't be stored."""

    def worked(traces):
        rows = Broken()
        rows.error = error
        packed = work(traces)
        return [
            replace(one, steps=rows) if raw.trace_id == BAD else one
            for raw, one in zip(traces, packed, strict=True)
        ]

    return worked


def test_what_can_not_be_stored_is_the_error_of_its_trace(two):
    worker = broken(OverflowError("too large\0"))
    progress = digest_batch(now=LATER, quiet_before=LATER, worker=worker)
    assert (progress.done, progress.failed) == (1, 1)
    assert count_waiting(quiet_before=LATER) == 0
    bad, good = Trace.objects.order_by("trace_id")
    assert (bad.digest_state, good.digest_state) == ("failed", "done")
    assert bad.digest_error == "OverflowError: too large\ufffd"


def test_of_a_database_that_is_away_no_trace_is_guilty(two):
    worker = broken(OperationalError("gone"))
    with pytest.raises(OperationalError):
        digest_batch(now=LATER, quiet_before=LATER, worker=worker)
    assert not Trace.objects.filter(digest_state="failed").exists()
