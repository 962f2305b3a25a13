"""Arize Phoenix under the same requests, where a virtual environment has it.

``AGENTEVAL_BENCH_PHOENIX=/path/to/venv make bench``. Its requests are answered
before they are stored, so its throughput counts rows in its own database.
"""

from __future__ import annotations

import http.client
import os
import sqlite3
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tests.bench.server import Row, bodies, cpu, free_port, memory

VARIABLE = "AGENTEVAL_BENCH_PHOENIX"
PATIENCE = 600.0


def measure(traces: int, spans: int) -> list[Row]:
    """Start, memory, spans a second until stored, CPU and disk a span."""
    given = os.environ.get(VARIABLE)
    if not given:
        print(f"Phoenix: not measured, {VARIABLE} names no virtual environment")
        return []
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        environment = dict(
            os.environ,
            PHOENIX_WORKING_DIR=folder,
            PHOENIX_HOST="127.0.0.1",
            PHOENIX_PORT=str(port),
            PHOENIX_GRPC_PORT=str(free_port()),
            PHOENIX_TELEMETRY_ENABLED="false",
            PHOENIX_ALLOW_EXTERNAL_RESOURCES="false",
        )
        began = time.perf_counter()
        process = subprocess.Popen(
            [f"{given}/bin/phoenix", "serve"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _until_ready(port)
            rows: list[Row] = [
                ("Phoenix: start", time.perf_counter() - began, "s until ready"),
                ("Phoenix: idle memory", memory(process.pid), "MB"),
            ]
            return rows + _sent(port, process.pid, Path(folder), traces, spans)
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(30)
            process.kill()


def _sent(port: int, pid: int, folder: Path, traces: int, spans: int) -> list[Row]:
    requests, count = bodies(traces, spans), traces * spans
    before, began = cpu(pid), time.perf_counter()
    for body in requests:
        line = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        head = {
            "Content-Type": "application/x-protobuf",
            "Content-Encoding": "gzip",
        }
        line.request("POST", "/v1/traces", body, head)
        line.getresponse().read()
        line.close()
    stored = _until_stored(folder / "phoenix.db", count)
    seconds = time.perf_counter() - began
    disk = sum(path.stat().st_size for path in folder.glob("phoenix.db*"))
    return [
        ("Phoenix: stored", stored / seconds, "spans a second"),
        ("Phoenix: CPU until stored", (cpu(pid) - before) * 1e3 / max(1, stored), "ms a span"),
        ("Phoenix: disk", disk / max(1, stored), "bytes a span"),
    ]  # fmt: skip


def _until_ready(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with suppress(OSError):
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            line.request("GET", "/healthz")
            if line.getresponse().status == 200:
                return
        time.sleep(0.2)
    raise RuntimeError("Phoenix did not start")


def _until_stored(path: Path, count: int) -> int:
    """Rows of spans, once there are all or none has come for a while."""
    stored, changed = 0, time.monotonic()
    while stored < count and time.monotonic() - changed < 60:
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=60) as reading:
            found = reading.execute("select count(*) from spans").fetchone()[0]
        reading.close()
        if found > stored:
            stored, changed = found, time.monotonic()
        time.sleep(0.5)
    return stored
