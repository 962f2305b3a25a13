"""Checks on what a tool gave: errors, exit codes, time-outs, empty and cut results."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from judging.domain.checks.evidence import (
    absent,
    at,
    content_text,
    executions,
    find,
    whole,
)
from judging.domain.findings import Check, Match, Run
from judging.domain.text import text_of
from traces.domain.records import Step, StepType

Rule = Callable[[Run, Step], Match | None]
EXEC = frozenset({StepType.EXEC.value})
HEAD = 400

_TRACEBACK = re.compile(
    r"Traceback \(most recent call last\)|^\s+at [\w$.<>]+\([\w.]+:\d+\)"
    r"|\b[A-Z]\w{2,40}(?:Error|Exception): ",
    re.MULTILINE,
)
_ERROR_HEAD = re.compile(
    r"^\W{0,3}(?:error|exception|failed|failure|fatal)\b[\s:\-]", re.IGNORECASE
)
_ERROR_FIELD = re.compile(
    r'"(?:error|errors|error_message|errorMessage)"\s*:\s*(?:"[^"]{2,}|\{|\[\s*[^\]\s])'
    r'|"(?:status|state|outcome)"\s*:\s*"(?:error|failed|failure)"'
    r'|"(?:ok|success)"\s*:\s*false',
)
_HTTP = re.compile(
    r"(?:HTTP(?:/\d(?:\.\d)?)?|status(?:[ _]?code)?|code)\W{1,4}([45]\d\d)\b"
    r"|\b(4\d\d|5\d\d) (?:Bad Request|Unauthorized|Forbidden|Not Found|Conflict"
    r"|Too Many Requests|Internal Server Error|Bad Gateway|Service Unavailable"
    r"|Gateway Time-?out)",
    re.IGNORECASE,
)
_EXIT = re.compile(
    r"(?:exit(?:ed)?(?:[ _-]?(?:code|status))?|return ?code)\W{0,3}\s*(?:with\s+)?"
    r"(?:code\s+)?(-?[1-9]\d{0,2})\b",
    re.IGNORECASE,
)
_TIMEOUT = re.compile(
    r"\btimed?[ -]?out\b|\btimeout (?:of|after|exceeded|expired)|TimeoutError"
    r"|deadline exceeded",
    re.IGNORECASE,
)
_RATE = re.compile(r"\brate[ -]?limit|too many requests|quota exceeded", re.IGNORECASE)
_AUTH = re.compile(
    r"\bunauthori[sz]ed\b|\bforbidden\b|permission denied|access denied"
    r"|invalid (?:api[ _-]?key|credentials|token)|authentication (?:failed|required)",
    re.IGNORECASE,
)
_NOT_FOUND = re.compile(
    r"\b(?:not found|does not exist|doesn't exist|no such (?:file|table|column|user"
    r"|order|record|module|command)|unknown (?:column|table|id|user|order)"
    r"|command not found|could not be found)\b",
    re.IGNORECASE,
)
_SYNTAX = re.compile(
    r"\bSyntaxError\b|\bIndentationError\b|syntax error", re.IGNORECASE
)
_TESTS = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?)\b.{0,60}\b(?:passed|in \d)"
)
_HTML = re.compile(r"^\s*(?:<!doctype html|<html[\s>])", re.IGNORECASE)
_CUT = re.compile(
    r"(?:\[(?:output )?truncated[^\]]{0,60}\]|…\[cut: |\.\.\. ?\(truncated|<truncated"
    r"|output (?:was )?truncated)",
    re.IGNORECASE,
)
_MISSING_ARGUMENT = re.compile(
    r"missing (?:\d+ )?required|required (?:argument|parameter|field|property)"
    r"|is a required property|field required",
    re.IGNORECASE,
)
_INVALID_ARGUMENT = re.compile(
    r"invalid (?:argument|parameter|value|type|format|input)|validation error"
    r"|is not of type|unexpected keyword argument|expected .{1,40} but got",
    re.IGNORECASE,
)


def in_result(
    run: Run, step: Step, pattern: re.Pattern[str], message: str
) -> Match | None:
    """A match in the source's own error words, else in the beginning of the result."""
    found = find(run, step, pattern, message, "error")
    if found is not None:
        return found
    text = content_text(run, step, "output")[:HEAD]
    hit = pattern.search(text)
    if hit is None:
        return None
    evidence = at(step.key, "output", text, hit.start(), hit.end() - hit.start() + 80)
    return Match(message.format(hit.group(0).strip()[:120]), (evidence,))


def stated_error(run: Run, step: Step) -> Match | None:
    """The span itself says that the call failed."""
    error = run.content(step.key).error
    if not step.error or not error:
        return None
    return Match(f"The call failed: {error[:200]}", (whole(run, step, "error"),))


def traceback(run: Run, step: Step) -> Match | None:
    """A stack trace or an exception's name stands in the result."""
    return in_result(run, step, _TRACEBACK, "The result is an exception: {}")


def error_text(run: Run, step: Step) -> Match | None:
    """The result begins with an error or carries one in a field."""
    text = content_text(run, step, "output")[:HEAD]
    hit = _ERROR_HEAD.search(text) or _ERROR_FIELD.search(text)
    if hit is None:
        return None
    evidence = at(step.key, "output", text, hit.start(), 160)
    return Match(
        f"The tool reports an error: {text[hit.start() : hit.start() + 120]}",
        (evidence,),
    )


def http_status(run: Run, step: Step) -> Match | None:
    """An HTTP status from 400 to 599 stands at the beginning of the result."""
    return in_result(run, step, _HTTP, "The service answered with {}")


def exit_code(run: Run, step: Step) -> Match | None:
    """A process ended with another exit code than 0."""
    return in_result(run, step, _EXIT, "The process failed: {}")


def timeout(run: Run, step: Step) -> Match | None:
    """The call ran into a time limit."""
    return in_result(run, step, _TIMEOUT, "The call ran into its time limit: {}")


def rate_limit(run: Run, step: Step) -> Match | None:
    """The service refused for too many requests."""
    return in_result(run, step, _RATE, "The service refused for its rate limit: {}")


def no_access(run: Run, step: Step) -> Match | None:
    """The service refused access."""
    return in_result(run, step, _AUTH, "The service refused access: {}")


def not_found(run: Run, step: Step) -> Match | None:
    """What the call named does not exist."""
    text = content_text(run, step, "output")
    if len(text) > HEAD and not step.error:
        return None
    return in_result(run, step, _NOT_FOUND, "What was asked for does not exist: {}")


def code_syntax(run: Run, step: Step) -> Match | None:
    """Code that was run is not valid."""
    return in_result(run, step, _SYNTAX, "The code is not valid: {}")


def failing_tests(run: Run, step: Step) -> Match | None:
    """A test run reports failures."""
    text = content_text(run, step, "output")
    hit = _TESTS.search(text)
    if hit is None:
        return None
    evidence = at(step.key, "output", text, hit.start(), hit.end() - hit.start())
    return Match(f"Tests fail: {hit.group(0)[:120]}", (evidence,))


def empty_result(run: Run, step: Step) -> Match | None:
    """The result is recorded and empty: no text, an empty list or object, null."""
    content = run.content(step.key)
    if content.output is None or content.error:
        return None
    text = text_of(content.output).strip()
    if text in {
        "",
        "[]",
        "{}",
        "null",
        "None",
        '""',
        "No results",
        "No results found.",
    }:
        return Match("The tool gave nothing back.", (absent(step, text or "(empty)"),))
    return None


def markup(run: Run, step: Step) -> Match | None:
    """A whole web page came where data was expected."""
    return in_result(run, step, _HTML, "The result is a page of markup: {}")


def cut_result(run: Run, step: Step) -> Match | None:
    """The result says that it was cut."""
    text = content_text(run, step, "output")
    hit = _CUT.search(text)
    if hit is None:
        return None
    evidence = at(step.key, "output", text, hit.start(), hit.end() - hit.start())
    return Match("The result was cut before the agent saw it.", (evidence,))


def broken_json(run: Run, step: Step) -> Match | None:
    """The result begins as JSON and ends in the middle."""
    output = run.content(step.key).output
    if not isinstance(output, str):
        return None
    text = output.strip()
    if len(text) < 20 or text[:1] not in "{[" or text[:2] in {"[ERROR", "[("}:
        return None
    if text[:2] not in {'{"', "[{", '["'} or text[-1] in "}]":
        return None
    evidence = at(step.key, "output", output, max(0, len(output) - 120), 120)
    return Match("The result is JSON that ends in the middle.", (evidence,))


def missing_argument(run: Run, step: Step) -> Match | None:
    """The tool says that an argument is missing."""
    return in_result(run, step, _MISSING_ARGUMENT, "The tool lacks an argument: {}")


def invalid_argument(run: Run, step: Step) -> Match | None:
    """The tool says that an argument is not valid."""
    return in_result(run, step, _INVALID_ARGUMENT, "The tool refuses an argument: {}")


HANDLED = 3.0
"""Cap of an error that a later call of the same tool made good."""


def unless_handled(run: Run, step: Step, match: Match | None) -> Match | None:
    """A milder match where the same tool succeeded later for the same agent."""
    if match is None or step.key not in made_good(run):
        return match
    return Match(f"{match.message} A later call succeeded.", match.evidence, HANDLED)


def made_good(run: Run) -> set[str]:
    """EXEC steps after which the same tool gave a result without an error."""
    known = run.shared.get("made_good")
    if isinstance(known, set):
        return known
    found: set[str] = set()
    good: set[tuple[str, str]] = set()
    for step in reversed(executions(run)):
        who = (step.tool, step.agent)
        if who in good:
            found.add(step.key)
        if not step.error and not _errs(run, step):
            good.add(who)
    run.shared["made_good"] = found
    return found


def _errs(run: Run, step: Step) -> bool:
    head = content_text(run, step, "output")[:HEAD]
    return bool(_ERROR_HEAD.search(head) or _ERROR_FIELD.search(head))


def _check(
    name: str, title: str, cap: float, category: str, run: Rule, metric: str = "success"
) -> Check:
    if metric == "success":
        rule = f"{run.__doc__} Milder where a later call of the tool succeeded."
        handled = partial(_handled, run)
        return Check(f"exec.{name}", title, rule, EXEC, metric, cap, category, handled)
    return Check(
        f"exec.{name}", title, run.__doc__ or "", EXEC, metric, cap, category, run
    )


def _handled(rule: Rule, run: Run, step: Step) -> Match | None:
    return unless_handled(run, step, rule(run, step))


CHECKS: tuple[Check, ...] = (
    _check("stated_error", "The call failed", 2.0, "error-response", stated_error),
    _check("traceback", "Exception in the result", 2.0, "error-response", traceback),
    _check("error_text", "Error in the result", 2.0, "error-response", error_text),
    _check("http_status", "HTTP error", 1.9, "error-response", http_status),
    _check("exit_code", "Process failed", 1.8, "error-response", exit_code),
    _check("timeout", "Time limit", 1.0, "timeout", timeout),
    _check("rate_limit", "Rate limit", 1.5, "error-response", rate_limit),
    _check("no_access", "Access refused", 1.5, "error-response", no_access),
    _check("not_found", "Not found", 1.9, "error-response", not_found),
    _check("code_syntax", "Invalid code", 1.5, "error-response", code_syntax),
    _check("failing_tests", "Failing tests", 2.5, "error-response", failing_tests),
    _check(
        "missing_argument",
        "Tool lacks an argument",
        1.8,
        "missing-required",
        missing_argument,
    ),
    _check(
        "invalid_argument",
        "Tool refuses an argument",
        1.8,
        "type-mismatch",
        invalid_argument,
    ),
    _check(
        "empty_result",
        "Empty result",
        3.0,
        "malformed-response",
        empty_result,
        "result_validity",
    ),
    _check(
        "markup",
        "Markup for data",
        2.5,
        "malformed-response",
        markup,
        "result_validity",
    ),
    _check(
        "cut_result", "Result was cut", 2.5, "truncation", cut_result, "result_validity"
    ),
    _check(
        "broken_json",
        "JSON ends in the middle",
        1.5,
        "malformed-response",
        broken_json,
        "result_validity",
    ),
)
