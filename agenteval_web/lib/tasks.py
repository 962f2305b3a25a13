"""Waking background work. The rows say what is to do; a message only wakes."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from celery import Task
from django.db import transaction
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)


def enqueue(task: Task[Any, Any], *args: Any, countdown: float = 0.0) -> bool:
    """Send a task to the queue now.

    A queue that can't be reached costs no request: what waits is found by query
    when a worker starts.

    Args:
        task: What to run; it must be safe to run twice.
        args: Its arguments: ids, never content.
        countdown: Seconds to wait before it runs.

    Returns:
        Whether the queue took it.
    """
    try:
        task.apply_async(args, countdown=countdown, retry=False)
    except OperationalError as error:
        log.warning("The queue can't be reached, %s waits: %s", task.name, error)
        return False
    return True


def enqueue_on_commit(task: Task[Any, Any], *args: Any, countdown: float = 0.0) -> None:
    """Send a task once the transaction has committed, never if it doesn't."""
    transaction.on_commit(partial(enqueue, task, *args, countdown=countdown))
