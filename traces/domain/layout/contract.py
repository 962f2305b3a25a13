"""Series-parallel reduction of a graph around steps that are kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from traces.domain.layout.model import LayoutNode

REGION = 250
"""Most steps in one folded region, so that opening one stays readable."""


class Contraction:
    """Series-parallel reduction around the kept steps, with a worklist."""

    def __init__(self, nodes: Sequence[LayoutNode], kept: set[int]) -> None:
        """Start with one box a step; ``kept`` ones are never contracted."""
        self.kept = kept
        self.parents = [set(node.parents) for node in nodes]
        self.kids: list[set[int]] = [set() for _ in nodes]
        for i, found in enumerate(self.parents):
            for parent in found:
                self.kids[parent].add(i)
        self.members: list[list[int]] = [[i] for i in range(len(nodes))]
        self._waiting = deque(range(len(nodes)))
        self._queued = [True] * len(nodes)
        self._twins: dict[tuple[int, int], int] = {}

    def run(self) -> None:
        """Contract until nothing changes."""
        while self._waiting:
            i = self._waiting.popleft()
            self._queued[i] = False
            if not self.members[i] or i in self.kept:
                continue
            self._skip_shortcut(i)
            if not self._series(i) and not self._dangling(i):
                self._parallel(i)

    def _push(self, *found: int) -> None:
        for i in found:
            if self.members[i] and not self._queued[i]:
                self._queued[i] = True
                self._waiting.append(i)

    def _skip_shortcut(self, i: int) -> None:
        """Drop u -> w where u -> i -> w says more, unless both are kept."""
        if len(self.parents[i]) != 1 or len(self.kids[i]) != 1:
            return
        (u,), (w,) = self.parents[i], self.kids[i]
        if w in self.kids[u] and not (u in self.kept and w in self.kept):
            self.kids[u].discard(w)
            self.parents[w].discard(u)
            self._push(u, w)

    def _series(self, i: int) -> bool:
        if len(self.kids[i]) != 1:
            return False
        (kid,) = self.kids[i]
        return len(self.parents[kid]) == 1 and self._merge(i, kid)

    def _dangling(self, i: int) -> bool:
        """A step nothing depends on, into the only one it depends on."""
        if self.kids[i] or len(self.parents[i]) != 1:
            return False
        (parent,) = self.parents[i]
        return self._merge(parent, i)

    def _parallel(self, i: int) -> None:
        """A step into another that has the same only parent and only child."""
        if len(self.parents[i]) != 1 or len(self.kids[i]) > 1:
            return
        (u,) = self.parents[i]
        w = next(iter(self.kids[i]), -1)
        twin = self._twins.get((u, w), i)
        same = self.parents[twin] == {u} and self.kids[twin] == self.kids[i]
        if (
            twin != i
            and self.members[twin]
            and same
            and self._merge(min(i, twin), max(i, twin))
        ):
            self._twins[u, w] = min(i, twin)
        else:
            self._twins[u, w] = i

    def _merge(self, into: int, gone: int) -> bool:
        """Contract two boxes if neither is kept and the region stays small."""
        size = len(self.members[into]) + len(self.members[gone])
        if into in self.kept or gone in self.kept or size > REGION:
            return False
        for parent in self.parents[gone] - {into}:
            self.kids[parent].add(into)
            self.parents[into].add(parent)
        for kid in self.kids[gone]:
            self.parents[kid].add(into)
            self.kids[into].add(kid)
        self._detach(gone)
        self.members[into] += self.members[gone]
        self.members[gone] = []
        self._push(into, *self.parents[into], *self.kids[into])
        return True

    def _detach(self, gone: int) -> None:
        for parent in self.parents[gone]:
            self.kids[parent].discard(gone)
        for kid in self.kids[gone]:
            self.parents[kid].discard(gone)
        self.parents[gone], self.kids[gone] = set(), set()

    def boxes(self) -> dict[int, list[int]]:
        """Steps of each box by its number."""
        return {i: sorted(found) for i, found in enumerate(self.members) if found}
