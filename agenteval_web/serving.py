"""The whole product in one process: web server, background work, live updates."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import uvicorn
from celery.worker import state
from django.conf import settings

from traces.services.writer import WRITER

REQUEST_SECONDS, WRITE_SECONDS, TASK_SECONDS = 10, 3, 3
"""How long requests, the group being written and the task at hand may take to end."""
QUIET = "ignore::UserWarning:multiprocessing.resource_tracker"


def listening_socket(host: str, port: int) -> socket.socket:
    """Reserve the address; nobody is answered before the server starts.

    Raises:
        OSError: The address is in use or not one of this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
    except OSError:
        found.close()
        raise
    return found


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    return host in {"localhost", "::1"} or host.startswith("127.")


class BackgroundWorker:
    """A Celery worker on a thread of this process, for the in-memory broker."""

    def __init__(self) -> None:
        """Prepare; nothing runs yet."""
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start; with Redis the workers are processes of their own."""
        if settings.REDIS_URL:
            return
        from agenteval_web.celery import app  # noqa: PLC0415  # loaded when needed

        worker = app.WorkController(
            pool_cls="solo",
            concurrency=1,
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
        )
        self._thread = threading.Thread(
            target=worker.start, name="background-work", daemon=True
        )
        self._thread.start()

    def stop(self) -> bool:
        """Let the task at hand end, if it does so soon; whether all has ended."""
        if self._thread is None:
            return True
        # The worker's own stop() would wait for the task however long it takes.
        state.should_stop = 0  # type: ignore[assignment]  # None until told
        self._thread.join(TASK_SECONDS)
        return not self._thread.is_alive()


class Server(uvicorn.Server):
    """uvicorn, telling when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        """Make a server that calls ``ready`` once it listens."""
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()


def serve(at: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until interrupted or told to end.

    Args:
        at: Where to listen.
        ready: Called once the server listens.
    """
    config = uvicorn.Config(
        "agenteval_web.asgi:application",
        log_level="warning",
        access_log=False,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=64 * 1024,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=REQUEST_SECONDS,
        server_header=False,
    )
    worker = BackgroundWorker()
    # Python's own helper would complain if it has to tidy up after ``end_now``.
    os.environ.setdefault("PYTHONWARNINGS", QUIET)
    # uvicorn stops on a signal and then sends it once more to whoever was there
    # before; ending at once would leave the worker behind.
    signal.signal(signal.SIGTERM, _interrupt)
    with suppress(KeyboardInterrupt):
        worker.start()
        Server(config, ready).run(sockets=[at])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Requests whose senders have gone may still wait to be written.
    written = WRITER.stop(WRITE_SECONDS)
    if not (worker.stop() and written):
        end_now()


def end_now() -> None:
    """End the process in the middle of a task or of a group of spans.

    Nothing is lost: what the task has not committed is found again by query at
    the next start, and spans that are not committed were not acknowledged. Its helper processes go first, without a pause in which the
    task could take their end for a failure of its own.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    for child in multiprocessing.active_children():
        child.kill()
    os._exit(0)


def _interrupt(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise KeyboardInterrupt
