"""The pure half of the digest in a process of its own.

The server stays responsive while graphs are built, and a trace that exhausts
its process costs that process, not the server. The process starts with the
first digest and ends after a minute without any.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from judging.services.packing import Packed, RawTrace, work

IDLE_SECONDS = 60.0
NICENESS = 10
TIME_LIMIT = 600.0
"""Seconds that a batch may take before its process is given up."""


class DigestProcess:
    """One worker process, made when needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ProcessPoolExecutor | None = None
        self._timer: threading.Timer | None = None

    def __call__(self, traces: Sequence[RawTrace]) -> list[Packed]:
        """Digest a batch there; one by one after the process died over it."""
        with self._lock:
            self._keep_alive()
            try:
                return self._run(traces)
            except (BrokenProcessPool, TimeoutError):
                self._end()
            return [self._alone(trace) for trace in traces]

    def _alone(self, trace: RawTrace) -> Packed:
        try:
            (packed,) = self._run([trace])
        except (BrokenProcessPool, TimeoutError) as error:
            self._end()
            reason = f"{type(error).__name__}: the process died or took too long"
            return Packed(error=reason)
        return packed

    def _run(self, traces: Sequence[RawTrace]) -> list[Packed]:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            # Senders and readers come first: the digest takes what they leave.
            self._pool = ProcessPoolExecutor(
                1, mp_context=context, initializer=os.nice, initargs=(NICENESS,)
            )
        return self._pool.submit(work, traces).result(TIME_LIMIT)

    def _keep_alive(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(IDLE_SECONDS, self.close)
        self._timer.daemon = True
        self._timer.start()

    def _end(self) -> None:
        if self._pool is not None:
            for process in multiprocessing.active_children():
                if process.name.startswith("SpawnProcess"):
                    process.kill()
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def close(self) -> None:
        """End the process; the next batch starts another."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=True, cancel_futures=True)
                self._pool = None


digest_process = DigestProcess()
atexit.register(digest_process.close)
