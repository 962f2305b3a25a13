"""The whole product in one process: web server, background work, live updates."""

from __future__ import annotations

import logging
import socket
import threading
from typing import Any

import uvicorn
from django.conf import settings

log = logging.getLogger(__name__)

STOP_SECONDS = 10


def port_is_free(host: str, port: int) -> bool:
    """Whether a server could listen there."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    return host in {"localhost", "::1"} or host.startswith("127.")


class BackgroundWorker:
    """A Celery worker on a thread of this process, for the in-memory broker."""

    def __init__(self) -> None:
        self._worker: Any = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start; with Redis the workers are processes of their own."""
        if settings.REDIS_URL:
            return
        from agenteval_web.celery import app  # noqa: PLC0415  # loaded when needed

        self._worker = app.WorkController(
            pool="solo",
            concurrency=1,
            loglevel="WARNING",
            without_gossip=True,
            without_mingle=True,
            without_heartbeat=True,
            quiet=True,
        )
        self._thread = threading.Thread(
            target=self._worker.start, name="background-work", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Let the task at hand end, then stop."""
        if self._worker is not None and self._thread is not None:
            self._worker.stop()
            self._thread.join(STOP_SECONDS)


class Server(uvicorn.Server):
    """uvicorn, telling when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Any) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()


def serve(host: str, port: int, ready: Any) -> None:
    """Serve until interrupted.

    Args:
        host: Address to listen on.
        port: Port to listen on.
        ready: Called once the server listens.
    """
    config = uvicorn.Config(
        "agenteval_web.asgi:application",
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=STOP_SECONDS,
        server_header=False,
        date_header=False,
    )
    worker = BackgroundWorker()
    worker.start()
    try:
        Server(config, ready).run()
    finally:
        worker.stop()
