"""``make bench``: what one span and one step cost, beside what the parts cost alone.

CPU time in this process, the least of several runs; compare ratios within one
run, not figures of different days. Writes bench-results/bench.json.
"""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
)

from judging.domain.diagnosis import diagnose
from judging.domain.findings import Run
from judging.domain.scores import from_findings
from judging.domain.settings import DEFAULT
from judging.judges import offline
from tests.bench.spans import request
from traces.domain.graph.build import build_graph
from traces.importers.otlp import decode_protobuf
from traces.services.rows import prepare

SIZES = (100, 1_000, 10_000)
RUNS = 3


def cost(work: Callable[[], Any], runs: int = RUNS) -> float:
    """Least CPU seconds of several runs."""
    least = float("inf")
    for _ in range(runs):
        before = time.process_time()
        work()
        least = min(least, time.process_time() - before)
    return least


def ingest() -> list[tuple[str, float, str]]:
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


def derive(size: int) -> list[tuple[str, float, str]]:
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


def main() -> None:
    """Measure, print, write."""
    rows = ingest() + [row for size in SIZES for row in derive(size)]
    for name, value, what in rows:
        print(f"{name:<32}{value:>10.1f}  {what}")
    load = os.getloadavg()[0]
    print(f"load average {load:.1f}")
    folder = Path("bench-results")
    folder.mkdir(exist_ok=True)
    result = {"load": load, "rows": [list(row) for row in rows]}
    (folder / "bench.json").write_text(json.dumps(result, indent=1), "utf-8")


main()
