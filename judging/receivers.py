"""What judging does when traces were stored."""

from __future__ import annotations

import threading
import time
from typing import Any

from django.conf import settings
from django.dispatch import receiver

from agenteval_web.lib.tasks import enqueue
from judging.tasks import digest_waiting
from traces.signals import trace_stored

_lock = threading.Lock()
_woken = 0.0


@receiver(trace_stored, dispatch_uid="judging.wake")
def wake_digest(**kwargs: Any) -> None:
    """Wake the digest, once a delay however many requests arrive."""
    del kwargs
    global _woken  # noqa: PLW0603  # one clock a process
    delay = settings.AGENTEVAL_DIGEST_DELAY
    with _lock:
        now = time.monotonic()
        if now < _woken:
            return
        _woken = now + delay
    enqueue(digest_waiting, countdown=delay + 0.05)
