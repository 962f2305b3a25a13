"""Helper processes: they live no longer than the process that started them."""

from __future__ import annotations

import os
import signal
import threading
import time

LOOK_SECONDS = 0.5


def follow_parent() -> None:
    """Make this helper process end with its parent, however that ends.

    Ctrl-C in a terminal reaches the helper too; it is the parent's to act on.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(
        target=_watch, args=(os.getppid(),), name="follow-parent", daemon=True
    ).start()


def _watch(parent: int) -> None:
    """A process whose parent has died gets another one."""
    while os.getppid() == parent:
        time.sleep(LOOK_SECONDS)
    os._exit(1)
