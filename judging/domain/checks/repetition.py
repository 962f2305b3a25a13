"""The same again: calls, instructions, words, edits that are taken back."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from judging.domain.checks.failures import failed
from judging.domain.checks.flow import flow
from judging.domain.checks.text import (
    Said,
    absent,
    arguments,
    match,
    output,
    shared,
)
from judging.domain.findings import Check, Match, Run
from judging.domain.text import text_of
from traces.domain.records import Step, StepType

TOOLSEL = frozenset({StepType.TOOLSEL})
MIN_WORDS = 80
"""Shorter texts (thanks, done, continue) are said twice without harm."""
MANY = 3

_WAITS = re.compile(
    r"(?:^|[_\W])(?:sleep|wait|poll|status|screenshot|scroll\w*|next|page|think|refresh|submit"
    r"|ls|pwd|git|py)?(?:test|reproduce|python|bash|shell|exec|clear|list_dir|open|goto|terminal"
    r"|sleep|wait|poll|status|screenshot|scroll\w*|next|page|think|refresh|submit|ls|pwd|git)"
    r"(?![a-z])"
)


@dataclass(frozen=True)
class Again:
    """Earlier places of the same thing, by step key.

    Attributes:
        calls: Earlier choice of the same tool with the same arguments and the
            same result, nothing changed in between.
        tries: Number of calls in a row, of the same tool with the same
            arguments, that failed before this one.
        texts: Earlier step of the same agent that said the same.
    """

    calls: dict[str, Step]
    tries: dict[str, int]
    texts: dict[str, Step]


def again(run: Run) -> Again:
    """What repeats itself in a run, found once."""
    return shared(run, find_repeats)


def find_repeats(run: Run) -> Again:
    """Compare every call and every text with the ones before, by digest."""
    found = Again({}, {}, {})
    _calls(run, found)
    _texts(run, found)
    return found


CHANGES = re.compile(
    r"(?:^|[_\W])(?:cancel|refund|book|update|change|create|delete|remove|send|file|pay|move"
    r"|return|process|register|submit|exchange|modify|transfer|set|add|write|post|put|insert"
    r"|edit|append|upload|issue|schedule|approve|reject|assign|close|open|reserve|order)"
    r"(?![a-z])"
)


READS = re.compile(
    r"\W*(?:get|list|search|find|fetch|read|check|query|look_?up|show|describe|view|calc\w*"
    r"|think|validate|verify|count|select|load|open|tell|ask|transfer_to)(?![a-z])"
)


def changes_something(tool: str) -> bool:
    """Whether a tool's name speaks of a change."""
    name = tool.lower()
    return READS.match(name) is None and CHANGES.search(name) is not None


def _calls(run: Run, found: Again) -> None:
    seen: dict[bytes, tuple[Step, bytes, int]] = {}
    failures: dict[bytes, int] = {}
    changes = 0
    for step in run.graph.steps:
        if step.type != StepType.PARAMGEN:
            continue
        choice = _choice(run, step)
        result = flow(run).results.get(step.key)
        changes += changes_something(step.tool)
        if choice is None or result is None:
            continue
        mark = _mark(step.tool, output(run, step).text)
        given = _mark(output(run, result).text, run.content(result.key).error)
        before = seen.get(mark)
        found.tries[choice.key] = failures.get(mark, 0)
        same = before is not None and before[1:] == (given, changes)
        if before and same and not failed(run, result):
            found.calls[choice.key] = before[0]
        seen[mark] = (choice, given, changes)
        failures[mark] = failures.get(mark, 0) + 1 if failed(run, result) else 0


def _choice(run: Run, step: Step) -> Step | None:
    for edge in run.parents.get(step.key, ()):
        source = run.steps[edge.source]
        if source.type == StepType.TOOLSEL and source.span_id == step.span_id:
            return source
    return None


def _mark(*parts: str) -> bytes:
    text = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=12).digest()


def _texts(run: Run, found: Again) -> None:
    seen: dict[tuple[str, bytes], Step] = {}
    for step in run.graph.steps:
        handoff = step.type == StepType.TOOLSEL and step.part == "handoff"
        if step.type not in {StepType.PLAN, StepType.SYNTH} and not handoff:
            continue
        said = output(run, step)
        words = " ".join(said.low.split())
        if len(words) >= (40 if handoff else MIN_WORDS):
            mark = (step.agent, _mark(words))
            if mark in seen:
                found.texts[step.key] = seen[mark]
            else:
                seen[mark] = step


def repeated_call(run: Run, step: Step) -> Match | None:
    """A call that was made before and gave the same."""
    before = again(run).calls.get(step.key)
    call = run.content(step.key).call
    if before is None or call is None or call.arguments in (None, {}, ""):
        return None
    asked = arguments(run, step)
    if _WAITS.search(step.tool.lower()):
        return None
    what = f"{step.tool} was called with the same arguments before and gave the same."
    return match(what, asked.beginning(), arguments(run, before).beginning())


def same_try_again(run: Run, step: Step) -> Match | None:
    """A call that failed at least twice is made again without a change."""
    tries = again(run).tries.get(step.key, 0)
    if tries < MANY - 1:
        return None
    asked = arguments(run, step)
    evidence = asked.beginning() if asked else absent(step, "arguments")
    what = (
        f"The very same call of {step.tool} has failed {tries} times in a row before."
    )
    return match(what, evidence)


def repeated_text(run: Run, step: Step) -> Match | None:
    """The same words by the same agent."""
    before = again(run).texts.get(step.key)
    if before is None:
        return None
    said = output(run, step)
    what = "Says word for word what was said before."
    return match(what, said.beginning(), output(run, before).beginning())


def taken_back(run: Run, step: Step) -> Match | None:
    """An edit that undoes an earlier one."""
    before = shared(run, _undone).get(step.key)
    if before is None:
        return None
    what = "This edit takes an earlier one back, text for text."
    shown = (arguments(run, step).beginning(), arguments(run, before).beginning())
    return match(what, *shown)


_OLD = ("old_str", "old_string", "old_text", "search", "old", "find")
_NEW = ("new_str", "new_string", "new_text", "replace", "new", "replacement")


def _undone(run: Run) -> dict[str, Step]:
    seen: dict[tuple[bytes, bytes], Step] = {}
    found: dict[str, Step] = {}
    for step, old, new in _edits(run):
        if (new, old) in seen:
            found[step.key] = seen[new, old]
        seen[old, new] = step
    return found


def _edits(run: Run) -> Iterator[tuple[Step, bytes, bytes]]:
    for step in run.graph.steps:
        call = run.content(step.key).call
        if step.type != StepType.PARAMGEN or call is None:
            continue
        given = call.arguments if isinstance(call.arguments, dict) else {}
        old = next((given[key] for key in _OLD if given.get(key)), None)
        new = next((given[key] for key in _NEW if given.get(key)), None)
        if isinstance(old, str) and isinstance(new, str) and old != new:
            path = text_of(given.get("path") or given.get("file_path") or "")
            yield step, _mark(path, old), _mark(path, new)


def one_line_over_and_over(run: Run, step: Step) -> Match | None:
    """A text that says the same thing many times over."""
    said = output(run, step)
    if len(said.low) < 600 or not said.form.plain:
        return None
    line, count = _most_frequent(said)
    if count < 6 or len(line) * count < len(said.low) // 2:
        return None
    at = max(said.low.find(line), 0)
    return match(
        f"One line stands in this text {count} times.", said.quote(at, at + len(line))
    )


def _most_frequent(said: Said) -> tuple[str, int]:
    counts: dict[str, int] = {}
    for line in said.low.split("\n"):
        stripped = line.strip()
        if len(stripped) >= 20:
            counts[stripped] = counts.get(stripped, 0) + 1
    if not counts:
        return "", 0
    best = max(counts.values())
    return next(line for line, count in counts.items() if count == best), best


_SAID = (
    "Says word for word, in at least 80 characters, what the same agent said before."
)

CHECKS = (
    Check(
        "toolsel.repeated_call",
        "Same call again",
        "A tool is called again with the same arguments and gives the same result, and "
        "nothing was changed in between (waiting, paging and commands apart).",
        TOOLSEL,
        "relevance",
        2.5,
        "suboptimal-sequence",
        repeated_call,
    ),
    Check(
        "toolsel.same_try_again",
        "Same try again",
        "The very same call has failed at least twice in a row before.",
        TOOLSEL,
        "relevance",
        2.0,
        "loop-exit",
        same_try_again,
    ),
    Check(
        "toolsel.repeated_instruction",
        "Same instruction again",
        "Hands the same instruction, word for word, to another agent again.",
        TOOLSEL,
        "relevance",
        3.0,
        "loop-exit",
        repeated_text,
    ),
    Check(
        "plan.repeated_text",
        "Repeats itself",
        _SAID,
        frozenset({StepType.PLAN}),
        "feasibility",
        2.0,
        "loop-exit",
        repeated_text,
    ),
    Check(
        "synth.repeated_text",
        "Repeats itself",
        _SAID,
        frozenset({StepType.SYNTH}),
        "coherence",
        2.0,
        "loop-exit",
        repeated_text,
    ),
    Check(
        "synth.same_line",
        "One line over and over",
        "One line of at least 20 characters stands six times or more in a text and makes "
        "up half of it.",
        frozenset({StepType.SYNTH}),
        "coherence",
        2.0,
        "loop-exit",
        one_line_over_and_over,
    ),
    Check(
        "paramgen.taken_back",
        "Edit taken back",
        "An edit puts back, text for text, what an earlier edit of the same file replaced.",
        frozenset({StepType.PARAMGEN}),
        "value_correctness",
        3.0,
        "suboptimal-sequence",
        taken_back,
    ),
)
