"""Edges that the sender declared: ``agenteval.depends_on`` and span links."""

from __future__ import annotations

from traces.domain.graph.draft import Build
from traces.domain.graph.tree import MAX_NAMED
from traces.domain.records import CONFIDENCE, EdgeKind, Repair


def link_declared(build: Build) -> None:
    """Add an edge for every declared dependency inside the trace.

    Links to a span itself and to its own container are references back, not
    dependencies; they are recorded, not drawn.
    """
    itself: list[str] = []
    backward: list[str] = []
    for span_id in build.tree.walk():
        for source in _sources(build, span_id):
            if source == span_id:
                itself.append(span_id)
            elif build.tree.contains(source, span_id):
                backward.append(span_id)
            else:
                _connect(build, source, span_id)
    _record(build, itself, "self_link_removed", "A span linked to itself; removed.")
    why = "A span linked to its own container; kept as a reference, not a dependency."
    _record(build, backward, "back_reference", why)


def _sources(build: Build, span_id: str) -> list[str]:
    span = build.tree.nodes[span_id].span
    named = [*build.views[span_id].declared.depends_on]
    named += [link.span_id for link in span.links if link.trace_id == span.trace_id]
    return [source for source in dict.fromkeys(named) if source in build.tree.nodes]


def _connect(build: Build, source: str, target: str) -> None:
    name = build.tree.nodes[source].span.name or source
    why = f"declared: depends on span {name}"
    for tail in _ends(build, source, last=True):
        for head in _ends(build, target, last=False):
            build.add_edge(tail, head, EdgeKind.DECLARED, _SURE, why)


_SURE = CONFIDENCE[EdgeKind.DECLARED]


def _ends(build: Build, span_id: str, *, last: bool) -> list[str]:
    """Steps at the end (or start) of a span; of the last (first) one inside."""
    while span_id not in build.bundles:
        children = build.tree.nodes[span_id].children
        inside = [child for child in children if _holds_steps(build, child)]
        if not inside:
            return []
        span_id = inside[-1 if last else 0]
    bundle = build.bundles[span_id]
    return bundle.tails if last else bundle.heads


def _holds_steps(build: Build, span_id: str) -> bool:
    return span_id in build.bundles or span_id in build.groups


def _record(build: Build, spans: list[str], kind: str, why: str) -> None:
    if spans:
        named = tuple(sorted(spans)[:MAX_NAMED])
        build.repairs.append(Repair(kind, (), why, named))
