"""Results with nothing in them, where something was to be expected."""

from __future__ import annotations

import re
from collections import Counter

from judging.domain.checks.failures import failed
from judging.domain.checks.flow import author
from judging.domain.checks.text import (
    Said,
    absent,
    arguments,
    cue,
    match,
    output,
    shared,
    short,
)
from judging.domain.checks.tool_errors import EXEC
from judging.domain.findings import Check, Evidence, Match, Run
from judging.domain.text import text_of
from traces.domain.records import Step, StepType

FETCHES = re.compile(
    r"(?:^|[_\W])(?:get|search|find|list|query|read|fetch|look_?up|select|retrieve|sql"
    r"|calculate|compute|extract|load|show|describe|count|scrape|ocr|browse|download)"
)
_PRINTS = re.compile(r"\bprint\s*\(|\bconsole\.log\(")
_SHELL = re.compile(r"bash|shell|terminal|command|exec|cmd|powershell|\.?/")
_WRAPPED = re.compile(
    r"\A\s*(?:exitcode: 0 \(execution succeeded\)\s*)?(?:code output:|<output>"
    r"|<returncode>0</returncode>\s*<output>)\s*(?P<inner>.*?)\s*(?:</output>\s*)?\Z",
    re.DOTALL,
)
_NULLS = frozenset(
    {"none", "null", "nan", "undefined", "[]", "{}", "()", "n/a", '""', "''"}
)
MAX_WRAPPER = 2_000
MOSTLY = 0.7


def payload(said: Said) -> tuple[int, str]:
    """What a result holds without the frame that a terminal puts around it."""
    if len(said.low) > MAX_WRAPPER:
        return 0, said.low
    hit = _WRAPPED.match(said.low)
    if hit:
        return hit.start("inner"), hit["inner"]
    return 0, said.low.strip()


def empty(run: Run, step: Step) -> Match | None:
    """Nothing at all, from a tool that otherwise gives something."""
    value = run.content(step.key).output
    if value is None or failed(run, step) or run.content(step.key).omitted:
        return None
    said = output(run, step)
    _, inner = payload(said)
    if inner or not said.form.plain:
        return None
    if not _expected(run, step):
        return None
    evidence = said.beginning() if said else absent(step, "output")
    return match(f"{step.tool or 'The tool'} gave nothing.", evidence)


def _expected(run: Run, step: Step) -> bool:
    """Whether a tool of this name, or this very code, gives something."""
    if FETCHES.search(step.tool.lower()):
        return True
    if _SHELL.search(step.tool.lower()):
        return False
    asked = arguments(run, step)
    source = author(run, step)
    if source is not None and source.type != StepType.PARAMGEN:
        asked = output(run, source)
    if _PRINTS.search(asked.low):
        return True
    total, full = shared(run, _given).get(step.tool, (0, 0))
    return total >= 4 and full >= MOSTLY * total


def _given(run: Run) -> dict[str, tuple[int, int]]:
    """Runs of each tool, and how many gave something."""
    total: Counter[str] = Counter()
    full: Counter[str] = Counter()
    for step in run.graph.steps:
        if step.type == StepType.EXEC:
            total[step.tool] += 1
            full[step.tool] += run.content(step.key).output not in (None, "", [], {})
    return {tool: (total[tool], full[tool]) for tool in total}


def null_result(run: Run, step: Step) -> Match | None:
    """A result that is only ``None``, ``null``, ``NaN`` or an empty list as text."""
    said = output(run, step)
    if len(said.low) > MAX_WRAPPER or failed(run, step):
        return None
    start, inner = payload(said)
    found = inner.rpartition("\n")[2].strip() if inner.count("\n") < 3 else ""
    found = found.rpartition(":")[2].strip() if len(found) < 200 else found
    if found not in _NULLS or not (said.form.plain and _expected(run, step)):
        return None
    at = said.low.rfind(found, start)
    return match(f"The result is {found}.", said.quote(at, at + len(found)))


_NO_RESULTS = cue(
    "no ",
    "0 ",
    "nothing",
    "empty",
    "zero",
    "did not",
    "didn't",
    pattern=r"""
    \bno\ (?:\w+\ ){0,3}(?:results?|match(?:es)?|records?|entries|documents|data|items|rows
       |hits|orders|flights|files|entry|information|articles)\b
       (?:\ (?:were|was|are|is))?\ ?(?:found|available|match\w*|returned|for|in|$|\.)
    | \b(?:found|returned)\ (?:0|no|zero)\b | \b0\ (?:results?|rows?|records?|matches|hits)\b
    | \bnothing\ (?:was\ )?found\b | \bdid(?:\ not|n['’]t)\ (?:match|return|find)\ any
    | \bempty\ (?:result|response|list|dataframe)\b
    """,
)
_LISTS = frozenset(
    {
        "results",
        "items",
        "records",
        "rows",
        "data",
        "documents",
        "hits",
        "matches",
        "entries",
        "orders",
        "messages",
        "files",
        "events",
        "tables",
        "list",
    }
)
BRIEF = 600


def no_results(run: Run, step: Step) -> Match | None:
    """A search that found nothing."""
    if failed(run, step):
        return None
    said = output(run, step)
    evidence = _nothing_listed(run, step, said) if not said.form.plain else None
    if evidence is None and said.form.plain and len(said.low) <= BRIEF:
        hit = _NO_RESULTS.find(said)
        evidence = said.quote(hit.start(), hit.end()) if hit else None
    if evidence is None:
        return None
    return match(f"The search found nothing: {short(evidence.text)}.", evidence)


def _nothing_listed(run: Run, step: Step, said: Said) -> Evidence | None:
    value = run.content(step.key).output
    if value in ([], {}):
        return said.beginning()
    for key, inner in value.items() if isinstance(value, dict) else ():
        if inner == [] and isinstance(key, str) and key.lower() in _LISTS:
            at = said.text.find(f"{text_of({key: 0})[4:-4]}: []")
            shown = said.quote(at, at + len(key) + 6) if at >= 0 else None
            return shown or said.beginning()
    return None


CHECKS = (
    Check(
        "exec.empty",
        "Empty result",
        "The result is an empty text, and the tool's name, the code that was run or the tool's "
        "other results say that there should be something.",
        EXEC,
        "result_validity",
        2.0,
        "malformed-response",
        empty,
    ),
    Check(
        "exec.null_result",
        "Null result",
        "A result of at most three lines ends in None, null, NaN or an empty list.",
        EXEC,
        "result_validity",
        2.0,
        "malformed-response",
        null_result,
    ),
    Check(
        "exec.no_results",
        "Nothing found",
        "The result says in few words, or by an empty list of hits, that nothing was "
        "found.",
        EXEC,
        "result_validity",
        3.0,
        "malformed-response",
        no_results,
    ),
)
