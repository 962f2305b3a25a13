"""The process that digests: the same answer as here, and it survives a death."""

from __future__ import annotations

import os

from judging.domain.settings import DEFAULT
from judging.services.packing import RawSpan, RawTrace, work
from judging.services.pool import DigestProcess
from tests.traces.graph.spans import llm
from traces.services.rows import COLUMNS, prepare


def raw() -> RawTrace:
    (row,) = prepare([llm("a", 1, 2, text="hello")]).rows
    told = dict(zip(COLUMNS, row.values, strict=True))
    span = RawSpan(**{name: told.get(name) for name in RawSpan._fields})
    return RawTrace("t" * 32, {}, (span,), {}, DEFAULT, {})


def test_it_answers_as_work_does_here() -> None:
    process = DigestProcess()
    try:
        assert process([raw()])[0].graph_digest == work([raw()])[0].graph_digest
    finally:
        process.close()


def test_a_process_that_dies_is_replaced() -> None:
    process = DigestProcess()
    try:
        process([raw()])
        assert process._pool is not None
        for pid in list(process._pool._processes):
            os.kill(pid, 9)
        assert process([raw()])[0].error == ""
    finally:
        process.close()
