"""A tool says that it failed: error messages, stack traces, exit codes, tests."""

from __future__ import annotations

import re
from collections.abc import Callable

from judging.domain.checks.failures import (
    EXIT,
    FIELD,
    NOTE,
    STACK,
    TEXT,
    signs,
    words,
)
from judging.domain.checks.flow import After, after, failure_before, flow
from judging.domain.checks.text import (
    absent,
    arguments,
    cue,
    failure_note,
    match,
    output,
    shared,
    short,
)
from judging.domain.findings import Check, Evidence, Match, Run
from traces.domain.records import Step, StepType

EXEC = frozenset({StepType.EXEC})
UNHANDLED, HANDLED = 2.0, 3.0
"""An unhandled tool error caps at 2 (METHOD section 2), a handled one is milder."""

AFTERMATH = {
    After.RECOVERED: "a later try succeeded",
    After.TOLD: "the next step says so",
    After.IGNORED: "the next step goes on as if nothing had happened",
    After.LAST: "nothing follows",
}


def failure(run: Run, step: Step, what: str, evidence: Evidence) -> Match:
    """A failure of a tool: what it is, and what became of it."""
    became = after(run, step)
    cap = HANDLED if became.handled else UNHANDLED
    return match(f"{what}; {AFTERMATH[became]}.", evidence, cap=cap)


def by_sign(kind: str, what: str) -> Callable[[Run, Step], Match | None]:
    """A check that fires on one sign of failure."""

    def run_check(run: Run, step: Step) -> Match | None:
        evidence = signs(run, step).get(kind)
        if evidence is None:
            return None
        return failure(run, step, f"{what}: {short(evidence.text, 120)}", evidence)

    return run_check


def error(run: Run, step: Step) -> Match | None:
    """The tool, or the source of the trace, says that the call failed."""
    found = signs(run, step)
    for kind in (FIELD, TEXT, NOTE):
        if kind in found:
            told = found[kind]
            what = f"The tool failed: {short(told.text, 120) or 'no reason given'}"
            return failure(run, step, what, told)
    return None


_FAILED_TESTS = cue(
    "failed",
    "failures=",
    "errors=",
    "tests failed",
    pattern=r"""
    ^failed\ \([a-z0-9=,\ ]{3,80}\) | ^=+\ [^\n]{0,60}\b\d+\ (?:failed|errors?)\b[^\n]{0,80}=+
    | ^\ *\d+\ failed\b(?:,\ \d+\ \w+){0,4} | ^failed\ \S{1,200}::\S
    | \b\d+\ tests?\ failed\b
    """,
)


def tests_failed(run: Run, step: Step) -> Match | None:
    """A test runner reports failures."""
    said = output(run, step)
    hit = _FAILED_TESTS.find(said, max(0, len(said.low) - 6_000))
    if hit is None:
        return None
    evidence = said.quote(hit.start(), hit.end())
    return match(f"Tests fail: {short(evidence.text)}.", evidence)


MANY_FAILURES = 3
_NUMBER = re.compile(r"\d+")


def same_error_again(run: Run, step: Step) -> Match | None:
    """The same tool fails for the third time, or more, with the same words."""
    earlier = shared(run, _repeats).get(step.key, ())
    if len(earlier) < MANY_FAILURES - 1:
        return None
    now = words(signs(run, step))
    before = [words(signs(run, run.steps[key])) for key in earlier[:2]]
    what = f"{step.tool} fails like this for the {_nth(len(earlier) + 1)} time"
    return match(f"{what}: {short(now.text, 80)}.", now, *before)


def _nth(number: int) -> str:
    return {3: "third", 4: "fourth", 5: "fifth"}.get(number, f"{number}th")


def _repeats(run: Run) -> dict[str, tuple[str, ...]]:
    """Earlier failures of the same tool with the same words, by step key."""
    seen: dict[tuple[str, str], list[str]] = {}
    found: dict[str, tuple[str, ...]] = {}
    for step in run.graph.steps:
        each = signs(run, step) if step.type == StepType.EXEC else {}
        if each:
            told = _NUMBER.sub("0", " ".join(words(each).text.lower().split()))
            same = seen.setdefault((step.tool, told), [])
            found[step.key] = tuple(same[-8:])
            same.append(step.key)
    return found


def ignored_error(run: Run, step: Step) -> Match | None:
    """A step that reads a failed result and doesn't say a word about it."""
    source = failure_before(run, step)
    if source is None or after(run, source) is not After.IGNORED:
        return None
    reader = flow(run).readers.get(source.key)
    if reader is None or reader.key != step.key:
        return None
    said = output(run, step)
    if not said:
        return None
    told = words(signs(run, source))
    what = f"{source.tool or 'The tool'} failed, and this step passes over it"
    return match(f"{what}: {short(told.text, 100)}.", said.beginning(), told)


def rejected(run: Run, step: Step) -> Match | None:
    """The tool refused these arguments."""
    result = flow(run).results.get(step.key)
    found = signs(run, result) if result is not None else {}
    if result is None or not found or ABOUT_THE_CALL.isdisjoint(found):
        return None
    cap = 3.0 if after(run, result) is After.RECOVERED else 2.0
    told, asked = words(found), arguments(run, step)
    evidence = asked.beginning() if asked else absent(step, "arguments")
    what = f"The tool did not accept these arguments: {short(told.text, 120)}"
    return match(f"{what}.", told, evidence, cap=cap, category=_fault(told.text))


ABOUT_THE_CALL = frozenset({"absent", "rejected"})


def _fault(text: str) -> str:
    low = text.lower()
    if "missing" in low or "required" in low:
        return "missing-required"
    return "type-mismatch" if "type" in low or "expected" in low else "value-error"


_FIRST = cue(
    "not been",
    "first",
    "before",
    "not yet",
    "prerequisite",
    "must be",
    "not validated",
    "not verified",
    "not approved",
    "not authenticated",
    "requires",
    pattern=r"""
    \b(?:has|have|is|are)\ not\ (?:yet\ )?(?:been\ )?(?:validated|verified|approved|authenticated
       |confirmed|checked|authori[sz]ed|created|opened|started|registered|initiali[sz]ed)\b
    | \bmust\ (?:first\ )?be\ \w+ed\ (?:first|before)\b | \b(?:call|run|use)\ \w+\ (?:first|before)\b
    | \bprerequisite\b | \brequires?\ [^.\n]{3,60}\ first\b | \bnot\ yet\ \w+ed\b
    """,
)


def too_early(run: Run, step: Step) -> Match | None:
    """The tool says that something else had to come first."""
    result = flow(run).results.get(step.key)
    if result is None or not signs(run, result):
        return None
    for said in (failure_note(run, result), output(run, result)):
        hit = _FIRST.find(said, 0, min(len(said.low), 600))
        if hit:
            told = said.line(hit.start())
            return match(f"{step.tool} came too early: {short(told.text, 120)}.", told)
    return None


def _exec(
    name: str,
    title: str,
    rule: str,
    run: Callable[[Run, Step], Match | None],
    metric: str = "success",
    cap: float = UNHANDLED,
    category: str = "error-response",
) -> Check:
    return Check(f"exec.{name}", title, rule, EXEC, metric, cap, category, run)


_IGNORED = (
    "Reads the result of a failed tool run, has no word about a failure, "
    "and no later try succeeds."
)

CHECKS = (
    _exec(
        "error",
        "Tool error",
        "The tool reports a failure: in the span's status, in an error field, or in a "
        "text that begins as an error message does. Caps at 3 where a later try "
        "succeeds or the next step says that it failed.",
        error,
    ),
    _exec(
        "stack_trace",
        "Stack trace",
        "The result holds a stack trace, and the tool was not asked to show a file. "
        "Caps at 3 where the failure is handled.",
        by_sign(STACK, "The run broke off"),
    ),
    _exec(
        "exit_code",
        "Exit code",
        "The result states an exit code other than 0. Caps at 3 where handled.",
        by_sign(EXIT, "The command failed"),
    ),
    _exec(
        "tests_failed",
        "Failing tests",
        "The result ends with a test runner's report of failures.",
        tests_failed,
        metric="result_validity",
        cap=3.0,
    ),
    _exec(
        "same_error_again",
        "Same error again",
        "The same tool fails for the third time or more with the same words.",
        same_error_again,
        category="loop-exit",
    ),
    Check(
        "paramgen.rejected",
        "Arguments refused",
        "The tool's answer says that it does not accept the arguments or finds nothing "
        "under them. Caps at 3 where a later try succeeds.",
        frozenset({StepType.PARAMGEN}),
        "value_correctness",
        2.0,
        "value-error",
        rejected,
    ),
    Check(
        "paramgen.too_early",
        "Called too early",
        "The call fails, and its error says that something else has to come first.",
        frozenset({StepType.PARAMGEN}),
        "completeness",
        2.0,
        "dependency-violation",
        too_early,
    ),
    Check(
        "plan.ignored_error",
        "Error passed over",
        _IGNORED,
        frozenset({StepType.PLAN}),
        "feasibility",
        2.0,
        "error-response",
        ignored_error,
    ),
    Check(
        "synth.ignored_error",
        "Error passed over",
        _IGNORED,
        frozenset({StepType.SYNTH}),
        "faithfulness",
        2.0,
        "error-response",
        ignored_error,
    ),
)
