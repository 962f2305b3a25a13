"""The loop: claim evaluations, keep calls flowing, write what comes back.

One thread touches the database, another the network. Replies are written in
groups; an evaluation is finished when its last verdict is committed.
"""

from __future__ import annotations

import logging
import queue
import random
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from django.db import InterfaceError, OperationalError

from judging.domain.asking import NoReply, Reason, Reply
from judging.models import Evaluation
from judging.services.engine import leases
from judging.services.engine.finishing import close_batches, finish
from judging.services.engine.network import Network
from judging.services.engine.purse import Purse
from judging.services.engine.recording import record
from judging.services.engine.work import (
    Ask,
    Desk,
    Done,
    NotReadyError,
    OutgrownError,
    Slot,
    UnbuildableError,
    Work,
)
from judging.services.evaluating import start_anew

logger = logging.getLogger(__name__)

CHUNK = 32
"""Prompts built at a time."""
PATIENCE = 0.05
"""Seconds to wait for replies before looking for other work."""
GROUP = 256
"""Replies written in one transaction at most."""
RENEW = timedelta(seconds=15)
NOT_READY = timedelta(seconds=2)
ATTEMPTS = 8
"""Times an evaluation is put back before what still fails is unscored."""
GRACE = 2.0
"""Seconds for calls that are on their way when the engine has to end."""
FIRST_WAIT, LONGEST_WAIT = 2.0, 600.0


@dataclass
class Tally:
    """What a run of the engine did.

    Attributes:
        evaluations: Evaluations finished.
        calls: Calls sent.
        kept: Verdicts read from kept replies.
        failed: Evaluations that could not be planned.
    """

    evaluations: int = 0
    calls: int = 0
    kept: int = 0
    failed: int = 0


Changed = Callable[[Work, list[Done]], None]


@dataclass
class Engine:
    """Works on evaluations until none is left.

    Attributes:
        desk: Plans calls and reads replies.
        network: Where calls run.
        clock: Time, with zone.
        lease: Name of this holder, unique.
        most: Calls at once.
        changed: Told after verdicts were committed.
    """

    desk: Desk
    network: Network
    clock: Callable[[], datetime]
    lease: str
    most: int = 64
    changed: Changed = lambda work, done: None
    tally: Tally = field(default_factory=Tally)
    _works: dict[int, Work] = field(default_factory=dict)
    _back: queue.SimpleQueue[tuple[Work, Ask, Future[Reply | NoReply]]] = field(
        default_factory=queue.SimpleQueue
    )
    _purse: Purse = field(default_factory=Purse)
    _behind: dict[str, list[tuple[Work, Slot]]] = field(default_factory=dict)
    """What waits for a reply that is on its way to somebody else, by key."""
    _outstanding: int = 0
    _renewed: datetime | None = None

    def run(
        self,
        stop: Callable[[], bool] = lambda: False,
        enough: Callable[[], bool] = lambda: False,
    ) -> Tally:
        """Work until nothing is due, or told to end.

        Args:
            stop: Whether to end now; calls on their way get a moment, and what is
                unfinished is given back at once.
            enough: Whether to begin nothing more and end with the last call.
        """
        try:
            while not stop():
                if not enough():
                    self._claim()
                    self._send()
                elif not self._outstanding:
                    break
                if not self._works:
                    break
                self._collect()
                self._settle()
                self._hold()
        finally:
            self._give_back()
        return self.tally

    def _claim(self) -> None:
        ahead = self._outstanding + sum(len(w.waiting) for w in self._works.values())
        while ahead < self.most:
            taken = leases.claim(lease=self.lease, now=self.clock(), limit=4)
            if not taken:
                return
            for evaluation in taken:
                work = self._planned(evaluation)
                if work is not None:
                    self._works[work.evaluation] = work
                    ahead += max(1, len(work.waiting))

    def _planned(self, evaluation: Evaluation) -> Work | None:
        try:
            return self.desk.plan(evaluation)
        except NotReadyError:
            due = self.clock() + NOT_READY
            leases.put_back(
                lease=self.lease, evaluation=evaluation.pk, due_at=due, tried=False
            )
        except OutgrownError:
            start_anew(evaluation=evaluation, lease=self.lease, now=self.clock())
        except UnbuildableError as error:
            self._fail(evaluation, str(error))
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            logger.exception("evaluation %s can't be planned", evaluation.pk)
            self._fail(evaluation, f"{type(error).__name__}: {error}")
        return None

    def _fail(self, evaluation: Evaluation, reason: str) -> None:
        self.tally.failed += 1
        leases.fail(
            lease=self.lease,
            evaluation=evaluation.pk,
            reason=reason,
            now=self.clock(),
        )
        close_batches(now=self.clock())

    def _send(self) -> None:
        for work in list(self._works.values()):
            while work.waiting and self._outstanding < self.most:
                room = min(CHUNK, self.most - self._outstanding)
                asks, done = self.desk.next_asks(work, room)
                self._write([(work, one) for one in done])
                for ask in asks:
                    self._ask(work, ask)

    def _ask(self, work: Work, ask: Ask) -> None:
        if self._purse.is_empty(work, self.clock()):
            self._write([(work, self.desk.refuse(ask, Reason.BUDGET))])
            return
        if ask.key in self._behind:
            # Somebody asks just this: two calls would be paid for one answer.
            self._behind[ask.key].append((work, ask.slot))
            work.outstanding += 1
            return
        self._behind[ask.key] = []
        call = work.asker(ask.prompt, ask.slot.member)
        self._outstanding += 1
        work.outstanding += 1
        self.tally.calls += 1
        future = self.network.submit(call)
        future.add_done_callback(partial(self._returned, work, ask))

    def _returned(self, work: Work, ask: Ask, future: Future[Reply | NoReply]) -> None:
        self._back.put((work, ask, future))

    def _collect(self) -> None:
        """Take what has come back and write it as one group."""
        if not self._outstanding:
            return
        done: list[tuple[Work, Done]] = []
        came: list[str] = []
        try:
            back = self._back.get(timeout=PATIENCE)
            while True:
                came.append(back[1].key)
                self._take(done, *back)
                if len(came) >= GROUP:
                    break
                back = self._back.get_nowait()
        except queue.Empty:
            pass
        self._write(done)
        for key in came:
            self._follow(key)

    def _follow(self, key: str) -> None:
        """Let those behind a reply look for it, or ask for themselves."""
        for work, slot in self._behind.pop(key):
            work.outstanding -= 1
            work.waiting.append(slot)

    def _take(
        self,
        done: list[tuple[Work, Done]],
        work: Work,
        ask: Ask,
        future: Future[Reply | NoReply],
    ) -> None:
        self._outstanding -= 1
        work.outstanding -= 1
        reply = _result(future)
        if isinstance(reply, Reply):
            work.spent_usd += reply.usage.cost_usd or 0.0
            done.append((work, self.desk.read(ask, reply)))
        elif reply.transient and work.attempts < ATTEMPTS:
            work.put_off += 1
            work.retry_after = max(work.retry_after, reply.retry_after or 0.0)
        else:
            done.append((work, self.desk.read(ask, reply)))

    def _write(self, done: list[tuple[Work, Done]]) -> None:
        if not done:
            return
        record(done, now=self.clock())
        self.tally.kept += sum(one.kept is not None for _, one in done)
        for work in {id(work): work for work, _ in done}.values():
            self.changed(work, [one for other, one in done if other is work])

    def _settle(self) -> None:
        settled = [work for work in self._works.values() if work.settled]
        for work in settled:
            del self._works[work.evaluation]
            if work.put_off:
                self._put_off(work)
            elif finish(work, lease=self.lease, now=self.clock()):
                self.tally.evaluations += 1
                self.changed(work, [])
        if settled:
            close_batches(now=self.clock())

    def _put_off(self, work: Work) -> None:
        wait = max(work.retry_after, waiting_time(work.attempts, random.random()))  # noqa: S311  # spreads retries, keeps no secret
        leases.put_back(
            lease=self.lease,
            evaluation=work.evaluation,
            due_at=self.clock() + timedelta(seconds=wait),
            tried=True,
        )

    def _hold(self) -> None:
        now = self.clock()
        if self._renewed is not None and now - self._renewed < RENEW:
            return
        self._renewed = now
        ours = leases.renew(lease=self.lease, evaluations=self._works.keys(), now=now)
        for lost in self._works.keys() - ours:
            # Paused, cancelled or taken over: what is on its way is still kept.
            del self._works[lost]

    def _give_back(self) -> None:
        ends = time.monotonic() + GRACE
        while self._outstanding and self._works and time.monotonic() < ends:
            self._collect()
        self._settle()
        for evaluation in self._works:
            leases.put_back(
                lease=self.lease,
                evaluation=evaluation,
                due_at=self.clock(),
                tried=False,
            )
        self._works.clear()


def waiting_time(attempts: int, jitter: float) -> float:
    """Seconds before the next attempt: doubling, with jitter from half to all.

    Args:
        attempts: Attempts made before, from 0.
        jitter: 0 to 1.
    """
    longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0**attempts)
    return longest * (0.5 + jitter / 2)


def _result(future: Future[Reply | NoReply]) -> Reply | NoReply:
    error = future.exception()
    if error is None:
        return future.result()
    logger.error("a call to a judge failed unexpectedly", exc_info=error)
    return NoReply(Reason.ENDPOINT_ERROR, type(error).__name__, transient=True)
