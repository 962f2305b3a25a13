"""Group commit: what waits is written together, and answered after its commit.

A commit that is safe on disk costs milliseconds whatever its size. One thread a
process takes all requests that wait, writes them in one transaction and then
answers each. It is the only writer of spans in its process, so that senders
never meet each other's locks. If a group fails, its requests are written one by
one, so that a bad one fails alone.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field

from django.db import InterfaceError, OperationalError, connection, transaction

from traces.services.ingest import Batch, Receipt, announce, write_batches

logger = logging.getLogger(__name__)

MAX_WAITING = 512
MAX_WAITING_BYTES = 128 * 1024**2
GROUP_SPANS = 4096
BUSY_SPANS = 1_000
"""Spans within a second from which on other work had better wait."""
RETRY_FOR = 30.0
FIRST_PAUSE, LONGEST_PAUSE = 0.01, 0.5
AWAY = (OperationalError, InterfaceError)
"""The database is busy or gone; no request is to blame."""


class OverloadedError(Exception):
    """More waits than memory should hold; the sender should come again."""


@dataclass(frozen=True, slots=True)
class _Job:
    batch: Batch
    answer: Future[Receipt] = field(default_factory=Future)


class GroupWriter:
    """The thread that writes, and the queue before it."""

    def __init__(
        self,
        write: Callable[[list[Batch]], list[Receipt]] = write_batches,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Make a writer; its thread starts with the first request.

        Args:
            write: Writes batches inside a transaction; one receipt each.
            sleep: Pauses between tries, replaced in tests.
            clock: Seconds, replaced in tests.
        """
        self._write = write
        self._sleep = sleep
        self._clock = clock
        self._recent: deque[tuple[float, int]] = deque()
        self._waiting: deque[_Job] = deque()
        self._bytes = 0
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._stopping = False

    def submit(self, batch: Batch) -> Future[Receipt]:
        """Queue a request; the receipt comes after its commit.

        Raises:
            OverloadedError: Too much is waiting already.
        """
        job = _Job(batch)
        with self._changed:
            if self.is_full():
                raise OverloadedError
            self._waiting.append(job)
            self._bytes += batch.prepared.size
            self._start()
            self._changed.notify()
        return job.answer

    def is_full(self) -> bool:
        """Whether another request would be refused."""
        return len(self._waiting) >= MAX_WAITING or self._bytes >= MAX_WAITING_BYTES

    def is_busy(self) -> bool:
        """Whether senders send so much that other work had better wait."""
        with self._changed:
            since = self._clock() - 1.0
            while self._recent and self._recent[0][0] < since:
                self._recent.popleft()
            return sum(spans for _, spans in self._recent) >= BUSY_SPANS

    def stop(self, within: float | None = None) -> bool:
        """Write what waits, then end the thread; ``submit`` starts another.

        Args:
            within: Seconds to wait for that; None for as long as it takes.

        Returns:
            Whether the thread has ended.
        """
        with self._changed:
            thread, self._thread = self._thread, None
            self._stopping = True
            self._changed.notify_all()
        if thread is not None:
            thread.join(within)
        ended = thread is None or not thread.is_alive()
        with self._changed:
            self._stopping = False
            if not ended:
                # It goes on, as the only one.
                self._thread = thread
        return ended

    def _start(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(
                target=self._run, name="span-writer", daemon=True
            )
            self._thread.start()

    def _run(self) -> None:
        while group := self._next_group():
            # From here on a sender that goes away can't take its request back.
            self.work(
                [job for job in group if job.answer.set_running_or_notify_cancel()]
            )
        connection.close()

    def _next_group(self) -> list[_Job]:
        """All that waits, up to ``GROUP_SPANS`` spans; nothing at the very end."""
        group: list[_Job] = []
        spans = 0
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._stopping)
            while self._waiting:
                spans += len(self._waiting[0].batch.prepared.rows)
                if group and spans > GROUP_SPANS:
                    break
                group.append(self._pop())
            if group:
                written = sum(len(job.batch.prepared.rows) for job in group)
                self._recent.append((self._clock(), written))
        return group

    def _pop(self) -> _Job:
        job = self._waiting.popleft()
        self._bytes -= job.batch.prepared.size
        return job

    def work(self, group: list[_Job]) -> None:
        """Write a group; if it fails, each of its requests by itself."""
        if not group:
            return
        try:
            receipts = self._commit([job.batch for job in group])
        except AWAY as error:
            logger.exception("the database could not be written")
            for job in group:
                job.answer.set_exception(error)
        except Exception as error:  # noqa: BLE001 - the thread must live on
            self._work_singly(group, error)
        else:
            for job, receipt in zip(group, receipts, strict=True):
                job.answer.set_result(receipt)
            self._announce(group, receipts)

    def _work_singly(self, group: list[_Job], error: Exception) -> None:
        if len(group) == 1:
            logger.error("a request could not be stored", exc_info=error)
            group[0].answer.set_exception(error)
            return
        logger.warning("a group failed, its requests are written singly: %s", error)
        for job in group:
            self.work([job])

    def _commit(self, batches: list[Batch]) -> list[Receipt]:
        """One transaction, tried again while the database is busy or away."""
        pause, until = FIRST_PAUSE, time.monotonic() + RETRY_FOR
        while True:
            try:
                with transaction.atomic():
                    return self._write(batches)
            except AWAY:
                connection.close()
                if time.monotonic() + pause > until:
                    raise
                self._sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)

    @staticmethod
    def _announce(group: list[_Job], receipts: list[Receipt]) -> None:
        changed: dict[int, set[int]] = {}
        for job, receipt in zip(group, receipts, strict=True):
            changed.setdefault(job.batch.project_id, set()).update(receipt.traces)
        for project_id, pks in sorted(changed.items()):
            announce(project_id, sorted(pks))


WRITER = GroupWriter()
"""The one of this process; its thread starts with the first request."""
