"""Print what drawing costs here: ``python -m tests.traces.layout.measure``.

CPU milliseconds, the best of three, on graphs shaped like agent runs.
"""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable

from tests.traces.layout.shapes import drawn, edges_of, run_of
from traces.domain.layout.columnar import columnar
from traces.domain.layout.drawing import WHOLE, draw
from traces.domain.layout.fold import fold_regions
from traces.domain.layout.lanes import layout
from traces.domain.layout.route import route
from traces.domain.layout.svg import svg

SIZES = (20, 200, 1_000, 5_000, 20_000)


def cost(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return 1_000 * best


def packed(text: str) -> float:
    return len(zlib.compress(text.encode(), 6)) / 1_000


def row(size: int) -> str:
    nodes = run_of(size)
    steps, edges = drawn(nodes)
    keep = {step.index for step in steps if step.failed or step.on_path}
    placed = layout(nodes)
    drawing = draw(steps, edges)
    whole = len(drawing.nodes) <= WHOLE
    sent = packed(svg(drawing) if whole else json.dumps(columnar(drawing)))
    costs = (
        cost(lambda: layout(nodes)),
        cost(lambda: layout(nodes, {})),
        cost(lambda: route(placed, edges_of(nodes))),
        cost(lambda: fold_regions(nodes, keep)),
        cost(lambda: draw(steps, edges)),
    )
    told = " | ".join(f"{ms:.1f}" for ms in costs)
    kind = "SVG" if whole else "columns"
    return f"{size:,} | {told} | {len(drawing.nodes):,} | {sent:.0f} {kind}"


def main() -> None:
    print("steps | layout | live | route | fold | draw | boxes | sent, kB gzipped")
    for size in SIZES:
        print(row(size))


if __name__ == "__main__":
    main()
