"""Draws of traces with replacement, repeatable by their seed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from annotation.domain.scale import Array

COUNT = 2_000
CHUNK_BYTES = 64_000_000
KEPT_BYTES = 256_000_000


class Draws:
    """How often each trace stands in each of many draws.

    One object serves a whole report: statistics over the same number of traces
    see the same draws, which makes their differences paired. It remembers
    what it drew last, up to 256 MB, as long as it lives.

    Attributes:
        seed: Decides every draw, together with the number of traces.
        count: Number of draws.
    """

    def __init__(self, seed: int, count: int = COUNT) -> None:
        self.seed = seed
        self.count = count
        self._kept: dict[int, list[Array]] = {}

    def chunks(self, traces: int) -> Iterator[tuple[slice, Array]]:
        """Draws in order, some at a time, each (draws, traces) as floats."""
        start = 0
        for part in self._parts(traces):
            yield slice(start, start + len(part)), part.astype(float)
            start += len(part)

    def _parts(self, traces: int) -> Iterator[Array]:
        if traces in self._kept:
            yield from self._kept[traces]
            return
        small = traces * self.count <= KEPT_BYTES // 2
        kept: list[Array] = []
        for part in self._drawn(traces):
            if small:
                kept.append(part)
            yield part
        if small:
            self._keep(traces, kept)

    def _drawn(self, traces: int) -> Iterator[Array]:
        random = np.random.Generator(np.random.PCG64(self.seed))
        size = max(1, CHUNK_BYTES // (8 * traces))
        for start in range(0, self.count, size):
            draws = min(size, self.count - start)
            # One trace 256 times in a draw has a probability below 1 in 256!.
            times = np.empty((draws, traces), dtype=np.uint8)
            for at in range(draws):
                drawn = random.integers(0, traces, traces)
                times[at] = np.bincount(drawn, minlength=traces)
            yield times

    def _keep(self, traces: int, parts: list[Array]) -> None:
        self._kept[traces] = parts
        while sum(one * self.count for one in self._kept) > KEPT_BYTES:
            del self._kept[next(iter(self._kept))]
