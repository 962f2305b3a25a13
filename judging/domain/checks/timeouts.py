"""Calls that took too long, and calls that never ended."""

from __future__ import annotations

from dataclasses import replace

from judging.domain.checks.failure_words import TIMEOUT
from judging.domain.checks.flow import flow
from judging.domain.checks.text import absent, arguments, match
from judging.domain.checks.tool_errors import EXEC, by_sign
from judging.domain.findings import Check, Match, Run
from traces.domain.records import EdgeKind, Step, StepType

_timed_out = by_sign(TIMEOUT, "The call took too long")


def timeout(run: Run, step: Step) -> Match | None:
    """A time limit ended the call."""
    found = _timed_out(run, step)
    return replace(found, category="timeout") if found else None


def unfinished(run: Run, step: Step) -> Match | None:
    """A tool run that was begun and never ended."""
    if step.finished or run.content(step.key).output not in (None, ""):
        return None
    evidence = arguments(run, step).beginning() if arguments(run, step) else None
    what = f"{step.tool or 'The tool'} was started, and its end was never recorded."
    return match(what, evidence or absent(step, "output"))


def never_run(run: Run, step: Step) -> Match | None:
    """A call without a result, although the run goes on after it."""
    if step.key in flow(run).results or not flow(run).results:
        return None
    called = any(e.kind is EdgeKind.CALL for e in run.children.get(step.key, ()))
    later = run.graph.steps[-1].index > step.index
    reader = any(
        run.steps[edge.target].type in {StepType.PLAN, StepType.SYNTH}
        for edge in run.children.get(step.key, ())
    )
    if called or not later or not reader:
        return None
    asked = arguments(run, step)
    evidence = asked.beginning() if asked else absent(step, "arguments")
    what = f"{step.tool or 'The tool'} was called and no result was recorded; "
    return match(f"{what}the run goes on without it.", evidence)


CHECKS = (
    Check(
        "exec.timeout",
        "Timeout",
        "The tool's error message says that a time limit ended the call. Caps at 3 "
        "where the failure is handled.",
        EXEC,
        "success",
        1.5,
        "timeout",
        timeout,
    ),
    Check(
        "exec.unfinished",
        "Never ended",
        "The span of the tool run was never closed and holds no result.",
        EXEC,
        "success",
        1.5,
        "timeout",
        unfinished,
    ),
    Check(
        "paramgen.never_run",
        "Call without result",
        "Other calls of the run have results, this one has none, and a later step "
        "builds on it.",
        frozenset({StepType.PARAMGEN}),
        "completeness",
        3.0,
        "malformed-response",
        never_run,
    ),
)
