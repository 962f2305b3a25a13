"""A real server, measured from outside: start, memory, ingest, opening, listing.

Throughput counts spans whose requests were answered 200, which means committed.
CPU is that of the server and its processes, once until the last answer and once
until everything is digested. Raw limits are measured in the same run.
"""

from __future__ import annotations

import gzip
import http.client
import json
import os
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.spans import request

ROOT = Path(__file__).resolve().parents[2]
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
Row = tuple[str, float, str]


@dataclass(frozen=True)
class Server:
    """A server that answers.

    Attributes:
        port: Where it listens.
        pid: Its first process.
        home: Its data folder.
        token: A token that sends.
        reader: A token that reads.
        started: Seconds until it answered.
        environment: What its commands run with.
    """

    port: int
    pid: int
    home: Path
    token: str
    reader: str
    started: float
    environment: dict[str, str]

    def get(self, path: str) -> tuple[bytes, float]:
        """An answer and the milliseconds it took."""
        began = time.perf_counter()
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        line.request("GET", path, headers={"Authorization": f"Bearer {self.reader}"})
        answer = line.getresponse()
        content = answer.read()
        line.close()
        if answer.status != 200:
            raise RuntimeError(f"{path}: {answer.status} {content[:200]!r}")
        return content, (time.perf_counter() - began) * 1e3

    def stats(self) -> dict[str, int]:
        """What is committed and readable now."""
        found: dict[str, int] = json.loads(self.get("/api/v1/projects/bench/stats")[0])
        return found


@contextmanager
def serving(home: Path) -> Iterator[Server]:
    """Start a server on a data folder; ends with the block."""
    environment = dict(os.environ, AGENTEVAL_HOME=str(home), DEMO="0", PORT="")
    manage = [sys.executable, "manage.py"]
    if not (home / "db.sqlite3").exists():
        _prepare(environment)
    tokens = [_token(environment, scope) for scope in ("ingest", "read")]
    port = free_port()
    began = time.perf_counter()
    process = subprocess.Popen(
        [*manage, "serve"],
        cwd=ROOT,
        env=environment | {"PORT": str(port)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _until_ready(port)
        started = time.perf_counter() - began
        yield Server(port, process.pid, home, *tokens, started, environment)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()


def _prepare(environment: dict[str, str]) -> None:
    made = (
        "from traces.services.projects import create_project;"
        "from django.utils import timezone;"
        "create_project(name='Bench', slug='bench', actor=None, now=timezone.now())"
    )
    for arguments in (["migrate", "-v0"], ["shell", "-v0", "-c", made]):
        subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=environment,
            check=True,
        )


def _token(environment: dict[str, str], scope: str) -> str:
    command = ["manage.py", "create_token", "--project", "bench"]
    answer = subprocess.run(
        [sys.executable, *command, "--scope", scope, "--json"],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
    )
    return str(json.loads(answer.stdout)["token"])


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _until_ready(port: int, seconds: float = 120.0) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            line.request("GET", "/readyz")
            if line.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.02)
        finally:
            line.close()
    raise RuntimeError("the server did not start")


def tree(pid: int) -> list[int]:
    """A process and all below it."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def cpu(pid: int) -> float:
    """CPU seconds of a tree of processes, those that have ended included."""
    total = 0
    for one in tree(pid):
        try:
            fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))
    return total / TICKS


def memory(pid: int) -> float:
    """Resident megabytes of a tree of processes."""
    pages = 0
    for one in tree(pid):
        try:
            pages += int(Path(f"/proc/{one}/statm").read_text().split()[1])
        except OSError:
            continue
    return pages * PAGE / 1024**2


def bodies(traces: int, spans: int, first: int = 0) -> list[bytes]:
    """Requests of at most 512 spans, gzipped."""
    each = max(1, 512 // spans)
    found = []
    for begin in range(first, first + traces, each):
        whole = request(0, seed=0)
        for number in range(begin, min(begin + each, first + traces)):
            whole.MergeFrom(request(spans, seed=number, trace=number))
        found.append(gzip.compress(whole.SerializeToString(), 6))
    return found


def send(server: Server, requests: list[bytes], connections: int) -> float:
    """Send all; the seconds until the last 200."""
    waiting = list(reversed(requests))

    def work() -> None:
        line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
        head = {
            "Authorization": f"Bearer {server.token}",
            "Content-Type": "application/x-protobuf",
            "Content-Encoding": "gzip",
        }
        while waiting:
            try:
                body = waiting.pop()
            except IndexError:
                break
            while True:
                line.request("POST", "/v1/traces", body, head)
                answer = line.getresponse()
                answer.read()
                if answer.status == 200:
                    break
                if answer.status not in (429, 503):
                    raise RuntimeError(f"refused: {answer.status}")
                time.sleep(float(answer.headers.get("Retry-After", 1)))
        line.close()

    began = time.perf_counter()
    with ThreadPoolExecutor(connections) as senders:
        for done in [senders.submit(work) for _ in range(connections)]:
            done.result()
    return time.perf_counter() - began


def until_digested(server: Server, steps: int = 1, seconds: float = 600.0) -> None:
    """Wait until the counts stand still and there are steps."""
    until, before = time.monotonic() + seconds, -1
    while time.monotonic() < until:
        found = server.stats()["steps"]
        if found == before and found >= steps:
            return
        before = found
        time.sleep(3.0)


def ingest(server: Server, traces: int, spans: int, connections: int = 4) -> list[Row]:
    """Throughput, CPU and disk of sending, digest running beside it."""
    requests = bodies(traces, spans)
    count = traces * spans
    unit = 1e3 / count
    disk, before = _disk(server.home), cpu(server.pid)
    seconds = send(server, requests, connections)
    answered = cpu(server.pid) - before
    until_digested(server, steps=traces)
    digested = cpu(server.pid) - before
    return [
        ("ingest: committed", count / seconds, "spans a second"),
        ("ingest: CPU until the last 200", answered * unit, "ms a span"),
        ("ingest: CPU until digested", digested * unit, "ms a span"),
        ("ingest: disk, digest included", (_disk(server.home) - disk) / count, "bytes a span"),
        ("ingest: raw SQLite insert", _raw_insert(requests, count), "spans a second, raw limit"),
    ]  # fmt: skip


def cost(work: Callable[[], Any], runs: int = 3) -> float:
    """Least CPU seconds of several runs."""
    least = float("inf")
    for _ in range(runs):
        before = time.process_time()
        work()
        least = min(least, time.process_time() - before)
    return least


def _disk(home: Path) -> int:
    return sum(path.stat().st_size for path in home.glob("db.sqlite3*"))


def _raw_insert(requests: list[bytes], count: int) -> float:
    """Rows of the same size, committed in groups as large as the requests."""
    each = max(1, count // len(requests))
    size = sum(map(len, requests)) // count
    rows = [(f"{n:032x}", f"{n:016x}", n, os.urandom(size)) for n in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        with sqlite3.connect(f"{folder}/raw.sqlite3", isolation_level=None) as raw:
            raw.executescript(
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                "CREATE TABLE s (t TEXT, i TEXT, n INTEGER, p BLOB, UNIQUE (t, i));"
                "CREATE INDEX by_n ON s (n);"
            )
            began = time.perf_counter()
            for begin in range(0, count, each):
                raw.execute("BEGIN IMMEDIATE")
                raw.executemany(
                    "INSERT INTO s VALUES (?,?,?,?)", rows[begin : begin + each]
                )
                raw.execute("COMMIT")
            seconds = time.perf_counter() - began
        raw.close()
    return count / seconds


def opening(server: Server, sizes: tuple[int, ...], runs: int) -> list[Row]:
    """Median time of the structure of a trace over the API."""
    found: list[Row] = []
    for place, size in enumerate(sizes):
        number = 900_000 + place
        send(server, bodies(1, size, first=number), 1)
        path = f"/api/v1/traces/{number + 1:032x}/graph"
        until_built(server, path)
        times = [server.get(path)[1] for _ in range(runs)]
        found.append(
            (f"open {size} spans (API)", statistics.median(times), "ms, median")
        )
    return found


def until_built(server: Server, path: str, seconds: float = 300.0) -> None:
    """Wait until the graph at an address is there."""
    until = time.monotonic() + seconds
    while True:
        try:
            server.get(path)
        except RuntimeError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
        else:
            return


def listing(server: Server, runs: int, name: str) -> list[Row]:
    """Median time of the newest hundred traces over the API."""
    times = [server.get("/api/v1/traces?limit=100")[1] for _ in range(runs)]
    return [(f"list 100 newest of {name}", statistics.median(times), "ms, median")]
