"""Background work of judging: ids in, one service, safe to run twice."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from agenteval_web.lib.tasks import enqueue
from judging.services.digesting import count_waiting, digest_batch
from judging.services.packing import work
from judging.services.pool import digest_process
from traces.services.writer import WRITER

BATCHES = 20
"""Batches of one run; the rest comes with the next, so that workers share."""
LONGEST_PAUSE = 60
"""Seconds between tries at most while they fail."""
GIVES_WAY, LOOKS = 10.0, 0.1
"""Seconds that a batch waits for busy senders at most, and between looks."""


@shared_task(
    autoretry_for=(Exception,),
    max_retries=None,
    retry_backoff=1,
    retry_backoff_max=LONGEST_PAUSE,
)
def digest_waiting() -> None:
    """Digest what has been quiet for long enough; come back for the rest.

    A database that is away or a project deleted meanwhile ends a run, not the
    work: what waits would otherwise wait for the next span that arrives.
    """
    delay = timedelta(seconds=settings.AGENTEVAL_DIGEST_DELAY)
    worker = work if settings.REDIS_URL else digest_process
    for _ in range(BATCHES):
        give_way()
        now = timezone.now()
        progress = digest_batch(now=now, quiet_before=now - delay, worker=worker)
        if not progress.done + progress.failed:
            break
    if count_waiting(quiet_before=timezone.now()):
        enqueue(digest_waiting, countdown=max(0.2, delay.total_seconds()))


def give_way(busy: Callable[[], bool] = WRITER.is_busy) -> float:
    """Let senders go first: wait while they are busy, but not for ever.

    Both write to one database and share the cores; a digest that waits costs a
    reader seconds, a sender that waits costs an agent its time.

    Args:
        busy: Whether they are.

    Returns:
        Seconds waited.
    """
    waited = 0.0
    while waited < GIVES_WAY and busy():
        time.sleep(LOOKS)
        waited += LOOKS
    return waited
