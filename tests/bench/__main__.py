"""``make bench``: what one span and one step cost, beside what the parts cost alone.

CPU time in this process, the least of several runs; compare ratios within one
run, not figures of different days. Writes bench-results/bench.json.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import tempfile
import time
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)

from judging.domain.diagnosis import diagnose
from judging.domain.findings import Run
from judging.domain.scores import from_findings
from judging.domain.settings import DEFAULT
from judging.judges import offline
from tests.bench import pages, peer, server
from tests.bench.server import Row, cost
from tests.bench.spans import request
from traces.domain.graph.build import build_graph
from traces.importers.otlp import decode_protobuf
from traces.services.rows import prepare

SIZES = (100, 1_000, 10_000)
RUNS = 3


def ingest() -> list[Row]:
    """Microseconds a span on its way in, without HTTP and database."""
    body = request(512, seed=1).SerializeToString()
    packed = gzip.compress(body)
    spans = decode_protobuf(body).spans
    stored = prepare(spans)
    unit = 1e6 / len(spans)
    return [
        ("gunzip", unit * cost(lambda: gzip.decompress(packed)), "µs a span, raw limit"),
        ("protobuf parse alone", unit * cost(lambda: ExportTraceServiceRequest.FromString(body)), "µs a span, raw limit"),
        ("decode to records", unit * cost(lambda: decode_protobuf(body)), "µs a span"),
        ("make rows", unit * cost(lambda: prepare(spans)), "µs a span"),
        ("sent", len(body) / len(spans), "bytes a span"),
        ("sent, gzipped", len(packed) / len(spans), "bytes a span"),
        ("stored payload", stored.size / len(spans), "bytes a span"),
    ]  # fmt: skip


def derive(size: int) -> list[Row]:
    """Microseconds a step for graph, checks and diagnosis."""
    spans = decode_protobuf(request(size, seed=2).SerializeToString()).spans
    built = build_graph(spans)
    run = Run(built.graph, built.contents, built.request, built.policy)
    findings = offline.judge(run)
    scores = from_findings(findings)
    steps = len(built.graph.steps)
    unit = 1e6 / steps
    runs = 1 if size > 1_000 else RUNS

    def judge() -> None:
        offline.judge(Run(built.graph, built.contents, built.request, built.policy))

    name = f"{steps} steps:"
    return [
        (f"{name} graph", unit * cost(lambda: build_graph(spans), runs), "µs a step"),
        (f"{name} checks", unit * cost(judge, runs), "µs a step"),
        (f"{name} diagnosis", unit * cost(lambda: diagnose(built.graph, scores, DEFAULT), runs), "µs a step"),
    ]  # fmt: skip


def served(traces: int, spans: int, sizes: tuple[int, ...], runs: int) -> list[Row]:
    """Everything about a server, on a data folder that goes with it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        rows: list[Row] = []
        with server.serving(home) as one:
            time.sleep(1.0)
            rows += [
                ("start", one.started, "s until ready"),
                ("idle memory", server.memory(one.pid), "MB"),
            ]
            rows += server.ingest(one, traces, spans)
            rows.append(("memory after that", server.memory(one.pid), "MB"))
            rows += server.listing(one, runs, f"{traces:,}")
            rows += server.opening(one, sizes, runs)
            rows += pages.browsing(one, sizes, min(runs, 5))
        with server.serving(home) as one:
            rows.append(("start with these data", one.started, "s until ready"))
        return rows


def main() -> None:
    """Measure, print, write."""
    arguments = argparse.ArgumentParser(prog="make bench", description=__doc__)
    arguments.add_argument("--traces", type=int, default=1_000)
    arguments.add_argument("--spans", type=int, default=20, help="spans a trace")
    arguments.add_argument("--quick", action="store_true", help="tiny sizes")
    given = arguments.parse_args()
    sizes, parts, drawn, runs = (20, 1_000, 5_000), SIZES, (200, 1_000, 20_000), 15
    if given.quick:
        given.traces, sizes, parts, drawn, runs = 10, (20,), (100,), (20,), 3
    rows = ingest() + [row for size in parts for row in derive(size)]
    rows += pages.drawing(drawn)
    rows += served(given.traces, given.spans, sizes, runs)
    # A tenth: it stores two orders of magnitude more slowly.
    rows += peer.measure(max(10, given.traces // 10), given.spans)
    for name, value, what in rows:
        print(f"{name:<38}{value:>12,.2f}  {what}")
    load = os.getloadavg()[0]
    print(f"load average {load:.1f}")
    folder = Path("bench-results")
    folder.mkdir(exist_ok=True)
    result = {"load": load, "rows": [list(row) for row in rows]}
    (folder / "bench.json").write_text(json.dumps(result, indent=1), "utf-8")


if __name__ == "__main__":
    main()
