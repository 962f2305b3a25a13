"""Read what the judging of one trace needs."""

from __future__ import annotations

from dataclasses import dataclass

from judging.domain.findings import Finding, Run
from judging.judges import offline
from judging.services.engine.work import NotReadyError, UnbuildableError
from traces.domain.graph.build import build_graph
from traces.models import Trace
from traces.services.stored import stored_spans


@dataclass(frozen=True)
class Loaded:
    """A trace, ready to be judged.

    Attributes:
        revision: State of the trace that was read.
        run: Graph and contents.
        findings: What the checks found.
    """

    revision: int
    run: Run
    findings: tuple[Finding, ...]


def load(trace: Trace) -> Loaded:
    """Build the graph of a trace from its spans and run the checks.

    Building anew costs less than keeping every step's content a second time.

    Raises:
        NotReadyError: The trace still receives spans, or its digest is due.
        UnbuildableError: Its graph can't be built.
    """
    trace.refresh_from_db()
    if trace.digested_revision < trace.revision:
        raise NotReadyError
    if trace.digest_state == Trace.DigestState.FAILED:
        raise UnbuildableError(trace.digest_error)
    built = build_graph(stored_spans(trace))
    run = Run(built.graph, built.contents, built.request, built.policy)
    return Loaded(trace.revision, run, offline.judge(run))
