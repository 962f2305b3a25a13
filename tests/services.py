"""A PostgreSQL and a Redis for the tests, where their programs are installed.

Both listen on free ports of the loopback, keep their data in a folder that goes
with them, and end with the ``with`` block.
"""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

READY_SECONDS = 60.0
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


@contextlib.contextmanager
def services() -> Iterator[dict[str, str]]:
    """Environment variables that name the servers; those given are kept."""
    with contextlib.ExitStack() as stack:
        found = {}
        for name, start in (("TEST_DATABASE_URL", postgres), ("TEST_REDIS_URL", redis)):
            url = os.environ.get(name) or stack.enter_context(start())
            if url:
                found[name] = url
        yield found


@contextlib.contextmanager
def postgres() -> Iterator[str]:
    """URL of a new PostgreSQL server; "" where there is no program for it."""
    programs, user = _postgres_programs(), _user()
    if programs is None or user is None:
        yield ""
        return
    port = _free_port()
    with _folder(user) as folder:
        data = str(folder / "data")
        initdb = [programs / "initdb", "-D", data, "-A", "trust", "-U", "postgres"]
        initdb += ["-E", "UTF8", "--locale", "C.UTF-8", "--no-sync"]
        subprocess.run(
            initdb, check=True, user=user, cwd=folder, stdout=subprocess.DEVNULL
        )
        options = [f"port={port}", "listen_addresses=127.0.0.1", "max_connections=200"]
        options += [f"unix_socket_directories={folder}", *FAST]
        command = [programs / "postgres", "-D", data]
        command += [part for option in options for part in ("-c", option)]
        ready = [programs / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
        with _running(
            command,
            ready=lambda: subprocess.run(ready, check=False).returncode == 0,
            stop=signal.SIGINT,
            user=user,
            folder=folder,
        ):
            yield f"postgres://postgres@127.0.0.1:{port}/postgres"


@contextlib.contextmanager
def redis() -> Iterator[str]:
    """URL of a new Redis server; "" where there is no program for it."""
    program = shutil.which("redis-server")
    if program is None:
        yield ""
        return
    port = _free_port()
    with _folder(None) as folder:
        command = [program, "--port", str(port), "--bind", "127.0.0.1"]
        command += ["--save", "", "--appendonly", "no"]
        with _running(
            command,
            ready=lambda: _answers(port),
            stop=signal.SIGTERM,
            user=None,
            folder=folder,
        ):
            yield f"redis://127.0.0.1:{port}/0"


def _postgres_programs() -> Path | None:
    """Folder of the newest PostgreSQL's programs."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"),
        key=lambda path: float(path.parts[-3]),
    )
    elsewhere = shutil.which("initdb")
    if not found and elsewhere:
        found = [Path(elsewhere).resolve()]
    return found[-1].parent if found else None


def _user() -> str | int | None:
    """Who may run PostgreSQL: it refuses root. None if there is nobody."""
    if os.geteuid():
        return os.geteuid()
    with contextlib.suppress(KeyError):
        return pwd.getpwnam("postgres").pw_name
    return None


@contextlib.contextmanager
def _folder(user: str | int | None) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="agenteval-service-") as name:
        if isinstance(user, str):
            shutil.chown(name, user)
        yield Path(name)


@contextlib.contextmanager
def _running(
    command: list[str | Path],
    *,
    ready: Callable[[], bool],
    stop: signal.Signals,
    user: str | int | None,
    folder: Path,
) -> Iterator[None]:
    log = folder / "log"
    with log.open("wb") as output:
        # A session of its own, so that Ctrl-C in a terminal ends the tests first.
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=output,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            user=user,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + READY_SECONDS
        while not ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"{command[0]} didn't start: {log.read_text()}")
            time.sleep(0.05)
        yield
    finally:
        process.send_signal(stop)
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as probe:
            probe.sendall(b"PING\r\n")
            return probe.recv(16).startswith(b"+PONG")
    except OSError:
        return False
