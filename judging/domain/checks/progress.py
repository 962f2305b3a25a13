"""Loops without progress and runs that stop at a limit."""

from __future__ import annotations

import re

from judging.domain.checks.text import arguments, cue, match, output, shared
from judging.domain.findings import Check, Match, Run
from traces.domain.records import Step, StepType

_STUCK = cue(
    "in_loop",
    "is_progress",
    "in a loop",
    "stuck",
    "in circles",
    "no progress",
    pattern=r"""
    "is_in_loop":\s{0,8}\{[^{}]{0,900}?"answer":\s{0,8}true
    | "is_progress_being_made":\s{0,8}\{[^{}]{0,900}?"answer":\s{0,8}false
    | \b(?:we|i)(?:\ are|['’]re|\ am|['’]m|\ seem\ to\ be|\ appear\ to\ be)\ (?:now\ )?
      (?:stuck|in\ a\ loop|going\ (?:around\ )?in\ circles|not\ making\ progress)\b
    | \bno\ progress\ (?:is|has\ been|was|being)\b
    """,
)


def admits_loop(run: Run, step: Step) -> Match | None:
    """The agent itself says that it goes in circles."""
    said = output(run, step)
    hit = _STUCK.find(said)
    if hit is None:
        return None
    evidence = said.quote(max(hit.start(), hit.end() - 300), hit.end())
    return match(
        "By its own words the run is in a loop or makes no progress.", evidence
    )


_LIMIT = cue(
    "max",
    "limit",
    "iterations",
    "recursion",
    pattern=r"""
    \b(?:maximum|max)(?:imum)?[ _](?:number\ of\ )?(?:iterations?|steps|turns|rounds|retries
       |attempts|messages|tool\ calls)\ ?(?:was\ |were\ |has\ been\ |have\ been\ )?
       (?:reached|exceeded|hit|exhausted)
    | \b(?:reached|exceeded|hit|after)\ (?:the\ )?(?:maximum|max)(?:imum)?\ (?:number\ of\ )?
       (?:iterations?|steps|turns|rounds|retries|attempts|messages)
    | \bstopped\ due\ to\ (?:iteration|time|step|max)
    | \b(?:iteration|step|turn|recursion|round)\ limit\ (?:of\ \d+\ )?(?:was\ )?(?:reached|exceeded)
    | \bexit_(?:cost|context|format)\b | \bmax\ (?:time|rounds?)\ (?:was\ |is\ )?(?:reached|exceeded)
    """,
)


def at_limit(run: Run, step: Step) -> Match | None:
    """The run was ended by a limit."""
    said = output(run, step)
    hit = _LIMIT.find(said)
    if hit is None or step.index < run.graph.steps[-1].index - 3:
        return None
    return match("The run was stopped by a limit.", said.line(hit.start()))


MIN_LOOP = 6
_DIGITS = re.compile(r"\d+")


def alternates(run: Run, step: Step) -> Match | None:
    """The last six calls are two that take turns."""
    before = shared(run, _alternations).get(step.key)
    if before is None:
        return None
    what = "Two calls take turns for the third time, with the same arguments."
    return match(
        what, arguments(run, step).beginning(), arguments(run, before).beginning()
    )


def _alternations(run: Run) -> dict[str, Step]:
    found: dict[str, Step] = {}
    latest: dict[str, list[tuple[Step, tuple[str, str]]]] = {}
    for step in run.graph.steps:
        if step.type != StepType.TOOLSEL or step.part == "handoff":
            continue
        calls = latest.setdefault(step.agent, [])
        calls.append((step, (step.tool, arguments(run, step).text[:2_000])))
        del calls[:-MIN_LOOP]
        marks = [mark for _, mark in calls]
        turns = len(calls) == MIN_LOOP and marks[:2] == marks[2:4] == marks[4:]
        if turns and marks[0] != marks[1]:
            found[step.key] = calls[-2][0]
    return found


def many_of_one(run: Run, step: Step) -> Match | None:
    """A long row of calls that differ in numbers only."""
    count = shared(run, _rows).get(step.key, 0)
    if count != LONG_ROW:
        return None
    what = f"{count} calls of {step.tool} in a row differ in numbers only."
    return match(what, arguments(run, step).beginning())


LONG_ROW = 12


def _rows(run: Run) -> dict[str, int]:
    found: dict[str, int] = {}
    last: dict[str, tuple[tuple[str, str], int]] = {}
    for step in run.graph.steps:
        if step.type == StepType.TOOLSEL and step.part != "handoff":
            text = _DIGITS.sub("0", arguments(run, step).low[:2_000])
            mark = (step.tool, text)
            before, count = last.get(step.agent, (("", ""), 0))
            count = count + 1 if before == mark else 1
            last[step.agent] = (mark, count)
            found[step.key] = count
    return found


def ends_on_call(run: Run, step: Step) -> Match | None:
    """The run ends with a tool result that nobody read."""
    if step.index != run.graph.steps[-1].index or not shared(run, _answers):
        return None
    said = output(run, step)
    if re.search(
        r"transfer|final|submit|done|finish|end|terminate|exit|answer",
        step.tool.lower(),
    ):
        return None
    if not said:
        return None
    return match("The run ends here: nobody reads this result.", said.beginning())


def _answers(run: Run) -> bool:
    return any(step.type == StepType.SYNTH for step in run.graph.steps)


CHECKS = (
    Check(
        "plan.admits_loop",
        "In a loop by its own words",
        "The text says that the run is stuck, in a loop or makes no progress.",
        frozenset({StepType.PLAN}),
        "feasibility",
        3.0,
        "loop-exit",
        admits_loop,
    ),
    Check(
        "synth.at_limit",
        "Stopped by a limit",
        "Near the end of the run a text says that a limit of steps, turns or time was "
        "reached.",
        frozenset({StepType.SYNTH}),
        "completeness",
        2.0,
        "loop-exit",
        at_limit,
    ),
    Check(
        "toolsel.alternates",
        "Two calls take turns",
        "The last six calls of an agent are the same two, with the same arguments, by "
        "turns.",
        frozenset({StepType.TOOLSEL}),
        "relevance",
        2.0,
        "loop-exit",
        alternates,
    ),
    Check(
        "toolsel.long_row",
        "Long row of like calls",
        "The twelfth call of a tool in a row that differs from the one before in numbers "
        "only.",
        frozenset({StepType.TOOLSEL}),
        "relevance",
        3.0,
        "granularity-mismatch",
        many_of_one,
    ),
    Check(
        "exec.nobody_reads",
        "Nobody reads the result",
        "The run ends with the result of a tool, and otherwise holds answers.",
        frozenset({StepType.EXEC}),
        "result_validity",
        3.0,
        "partial-completion",
        ends_on_call,
    ),
)
