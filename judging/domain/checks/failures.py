"""Which tool results are failures, by which signs.

Tools tell a failure in many ways. A sign is one of them with its words. Words
that merely mention an error (a log, a search result, a file that was read) are
no sign: they count where a tool speaks for itself, which is in its error field,
in a short answer, or at the ends of a long one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from judging.domain.checks.text import (
    Cue,
    Said,
    arguments,
    cue,
    failure_note,
    output,
    shared,
)
from judging.domain.findings import Evidence, Run
from judging.domain.text import Leaf
from traces.domain.records import Step, StepType

SHORT = 400
"""A text result up to this long can be a message as a whole."""

NOTE, FIELD, TEXT = "note", "field", "text"
STACK, HTTP, EXIT = "stack", "http", "exit"
TIMEOUT, RATE, AUTH, ABSENT, REJECTED = "timeout", "rate", "auth", "absent", "rejected"
HARD = frozenset({NOTE, FIELD, TEXT, STACK, HTTP, EXIT})
KINDS = (TIMEOUT, RATE, AUTH, REJECTED, ABSENT)
"""What a failure is about, most telling first."""

Signs = Mapping[str, Evidence]

_ABOUT: Mapping[str, Cue] = {
    TIMEOUT: cue(
        "time",
        "etimedout",
        "took too long",
        "deadline",
        pattern=r"""
        \btimed[ -]?out\b | \betimedout\b | \btook\ too\ long\b
        | \b(?:read|connect|connection|request|gateway|operation|execution)\ ?time-?out
        | \btime-?out(?:error|expired|exception|\ error|\ exceeded|\ expired|\ after
            |\ of|\ reached|\ waiting|:)
        | \bdeadline\ ?exceeded\b | \b(?:time|execution)\ limit\ (?:was\ )?(?:exceeded|reached)
        | \bexceeded\ (?:the|its|a)?\ ?(?:time\ limit|maximum\ execution\ time)
        """,
    ),
    RATE: cue(
        "rate",
        "too many requests",
        "quota",
        "resource",
        "throttl",
        "overloaded",
        pattern=r"""
        \brate[ _-]?limit | \btoo\ many\ requests\b | \bquota\ (?:exceeded|exhausted)
        | \bexceeded\ (?:your|the)\ (?:current\ )?quota | \bresource[ _]exhausted
        | \bthrottl(?:ed|ing) | \boverloaded_error\b
        """,
    ),
    AUTH: cue(
        "auth",
        "denied",
        "forbidden",
        "api",
        "token",
        "credential",
        "permission",
        "log in",
        "logged in",
        "login",
        pattern=r"""
        \bunauthori[sz]ed\b | \bauthentication\ (?:failed|required|error)
        | \bnot\ (?:authori[sz]ed|authenticated|logged\ in)\b | \bforbidden\b
        | \bapi[ _-]?key\ (?:is\ )?(?:missing|invalid|not|required)
        | \b(?:invalid|missing|incorrect|expired|no)\ (?:api[ _-]?key|token|credentials)
        | \b(?:permission|access)\ (?:is\ |was\ )?denied | \btoken\ (?:has\ |is\ )?expired
        | \blogin\ required | \binsufficient\ (?:permissions?|privileges|scopes?)
        """,
    ),
    REJECTED: cue(
        "invalid",
        "validation",
        "missing",
        "required",
        "unexpected",
        "must be",
        "should be",
        "expected",
        "cannot be",
        "not a valid",
        "not valid",
        "bad request",
        "unsupported",
        "unknown",
        "out of range",
        "unrecognized",
        "malformed",
        "mismatch",
        pattern=r"""
        \binvalid\ (?:\w+\ ){0,2}(?:argument|parameter|value|input|format|date|request
            |type|id|code|number|identifier|query|syntax|json|field|option)
        | \bvalidation\ ?(?:error|failed) | \bmissing\ (?:\d+\ )?(?:a\ )?required
        | \bmissing\ (?:\d+\ )?(?:argument|parameter|field|value)
        | \b(?:is|are)\ (?:a\ )?required\b | \bfield\ required\b
        | \bunexpected\ (?:keyword\ )?argument | \bunrecognized\ arguments?
        | \b(?:must|should)\ be\ (?:a|an|one|greater|less|between|positive|in|either|of)\b
        | \bexpected\ [^\n]{1,60}\ (?:but\ )?(?:got|received) | \bcannot\ be\ (?:empty|null|blank)
        | \bnot\ (?:a\ )?valid\b | \bbad\ request\b | \bout\ of\ range\b
        | \bunsupported\ (?:\w+\ )?(?:value|type|format|option)
        | \bunknown\ (?:argument|parameter|option|field|column|key|flag) | \bmalformed\b
        """,
    ),
    ABSENT: cue(
        "not found",
        "no such",
        "exist",
        "find",
        "unknown",
        "404",
        "notfound",
        "no match",
        pattern=r"""
        \bnot\ found\b | \bnotfound\b | \bno\ such\b | \b(?:does|do|did)(?:\ not|n't)\ exist
        | \b(?:could|can)(?:\ ?not|n't|n’t)\ (?:be\ )?f(?:ind|ound)\b
        | \bunable\ to\ (?:find|locate) | \bunknown\ (?:\w+\ )?(?:id|user|order|record)\b
        | \bno\ match(?:es|ing)?\b
        """,
    ),
}

_MESSAGE = cue(
    "error",
    "exception",
    "fail",
    "fatal",
    "unable",
    "could not",
    "couldn't",
    "cannot",
    "can't",
    "denied",
    "abort",
    "panic",
    "not permitted",
    "refused",
    pattern=r"""
    \A\W{0,8}(?:
      (?:[\w.]{0,60}(?:error|exception)|failed|failure|fatal|panic|aborted)\b
          (?=\W{0,3}(?::|-|–|!|\(|\[|$|in\b|at\b|to\b|while|when|executing|calling|occurred
             |with\b|during|code\b|from\b|running|getting|loading|parsing|invoking))
      | (?:an?\ |the\ )?(?:\w+\ ){0,3}(?:error|exception)\ (?:occurred|happened|was\ raised)
      | (?:tool|function|command|request|query|call)\ (?:call\ |execution\ )?failed\b
      | (?:i\ (?:was|am)\ )?unable\ to\b | (?:could|can)(?:\ ?not|n't|n’t)\b
      | (?:permission|access|request)\ (?:was\ )?(?:denied|refused)
      | (?:the\ )?(?:operation|action|request)\ (?:is|was)\ not\ (?:permitted|allowed)
    )
    """,
)
_STACK = cue(
    "traceback (most recent",
    "exception in thread",
    "uncaught",
    "stack trace",
    "goroutine ",
    "panicked at",
    "    at ",
    pattern=r"""
    \btraceback\ \(most\ recent\ call\ last\) | \bexception\ in\ thread\ "
    | \bunhandled\ exception\b | \buncaught\ \w*error | \bpanicked\ at\b
    | ^\ {4}at\ [\w.$<>]+\ ?\([^)\n]{1,200}:\d+(?::\d+)?\)
    """,
)
_EXIT = cue(
    "exit",
    "return code",
    "returncode",
    pattern=r"""
    (?:\bexit[ -]?code|\breturn[ -]?code|<returncode>|\bexit\ status|\bexited\ with
      (?:\ code|\ status)?|\bnon-zero\ exit\ status)
    (?:\W|\ was|\ is){0,8}?(?P<code>-?\d{1,10})
    """,
)
_HTTP = cue(
    "http",
    "status",
    "client error",
    "server error",
    "not found",
    "forbidden",
    "unauthorized",
    "bad gateway",
    "unavailable",
    "bad request",
    "too many requests",
    pattern=r"""
    \b(?:http(?:/\d(?:\.\d)?)?|status(?:[ _]?code)?|error\ code|response\ code)\b
       (?:\W|\ is|\ was|\ error|\ status){0,6}?(?P<a>[45]\d\d)\b
    | \b(?P<b>[45]\d\d)\ (?:client|server)\ error\b
    | \b(?P<c>4\d\d|5\d\d)\W{1,3}(?:bad\ request|unauthori[sz]ed|forbidden|not\ found
       |internal\ server\ error|bad\ gateway|service\ (?:temporarily\ )?unavailable
       |gateway\ time-?out|too\ many\ requests)
    """,
)
_ERROR_KEYS = frozenset(
    {
        "error",
        "errors",
        "error_message",
        "errormessage",
        "error_msg",
        "exception",
        "error_code",
        "errorcode",
        "error_description",
        "error_type",
        "failure_reason",
    }
)
_TRUE_MEANS_FAILED = frozenset({"iserror", "is_error", "failed", "has_error"})
_FALSE_MEANS_FAILED = frozenset({"success", "ok", "succeeded", "successful"})
_STATUS_KEYS = frozenset(
    {"status", "response_status", "state", "result", "outcome", "type"}
)
_FAILED_STATUS = frozenset({"error", "failure", "fail", "errored", "exception"})
_CODE_KEYS = frozenset(
    {"status_code", "statuscode", "http_status", "http_code", "status", "code"}
)
_EXIT_KEYS = frozenset(
    {"exit_code", "exitcode", "returncode", "return_code", "exit_status"}
)
_NOTHING = frozenset(
    {"", "none", "null", "false", "0", "[]", "{}", "no", "no error", "ok"}
)
_READING = re.compile(
    r"\W*(?:cat|sed|grep|egrep|rg|head|tail|less|more|view|open|find|git|ls|search\w*"
    r"|goto|scroll\w*|diff|awk|nl|read\w*|fetch\w*|browse\w*|get_page)\b"
)
TEXT_DEPTH = 3
"""Containers around a field that can speak for the whole result."""


def signs(run: Run, step: Step) -> Signs:
    """Signs of failure in a tool result; empty for other steps."""
    return shared(run, all_signs).get(step.key, {})


def failed(run: Run, step: Step) -> bool:
    """Whether a tool run failed."""
    return not HARD.isdisjoint(signs(run, step))


def words(found: Signs) -> Evidence:
    """The most telling words of a failure."""
    for kind in (*KINDS, FIELD, TEXT, NOTE, STACK, HTTP, EXIT):
        if kind in found:
            return found[kind]
    return next(iter(found.values()))


def all_signs(run: Run) -> Mapping[str, Signs]:
    """Signs of every tool result that shows any, by step key."""
    found: dict[str, Signs] = {}
    for step in run.graph.steps:
        if step.type == StepType.EXEC:
            each = _signs(run, step)
            if each:
                found[step.key] = each
    return found


def _signs(run: Run, step: Step) -> Signs:
    note, said = failure_note(run, step), output(run, step)
    found: dict[str, Evidence] = {}
    if note:
        found[NOTE] = note.beginning()
    elif step.error:
        found[NOTE] = said.beginning() if said else Evidence(step.key, "output", "")
    for look in (_field, _message, _exit, _stack, _http):
        look(run, step, said, found)
    for part, start, end in _speech(note, said, found):
        _name(part, start, end, found)
    return found


def _field(run: Run, step: Step, said: Said, found: dict[str, Evidence]) -> None:
    """A field of a structured result that says it failed."""
    del run, step
    for leaf in said.form.leaves if not said.form.plain else ():
        if leaf.path.count(".") < TEXT_DEPTH and not _in_list(leaf):
            kind = _field_kind(leaf)
            if kind and kind not in found:
                found[kind] = said.quote(leaf.start, leaf.end)


def _in_list(leaf: Leaf) -> bool:
    return any(part.isdigit() for part in leaf.path.split(".")[:-1])


def _field_kind(leaf: Leaf) -> str:
    key, value = leaf.key.lower(), leaf.value
    shown = str(value).strip().lower() if not isinstance(value, int) else ""
    if key in _ERROR_KEYS:
        told = value if isinstance(value, bool) else shown not in _NOTHING
        return FIELD if told or (isinstance(value, int) and value != 0) else ""
    if key in _TRUE_MEANS_FAILED and value is True:
        return FIELD
    if key in _FALSE_MEANS_FAILED and value is False:
        return FIELD
    if key in _STATUS_KEYS and shown in _FAILED_STATUS:
        return FIELD
    return _code_kind(key, value)


def _code_kind(key: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        return ""
    number = value if isinstance(value, int) else _number(value)
    if key in _CODE_KEYS and 400 <= number < 600:
        return HTTP
    return EXIT if key in _EXIT_KEYS and number != 0 else ""


def _number(value: str) -> int:
    return int(value) if len(value) < 12 and value.isascii() and value.isdigit() else 0


def _message(run: Run, step: Step, said: Said, found: dict[str, Evidence]) -> None:
    """A text result that begins as an error message does."""
    del run, step
    if FIELD in found:
        return
    for leaf in said.form.leaves[:1] if said.form.plain else _texts(said):
        low = said.low[leaf.start : leaf.start + HEAD_OF_MESSAGE]
        if any(hint in low for hint in _MESSAGE.hints) and _MESSAGE.pattern.match(low):
            line = low.find("\n", 1)
            end = leaf.start + (line if line > 20 else len(low))
            found[TEXT] = said.quote(leaf.start, min(end, leaf.end))
            return


HEAD_OF_MESSAGE = 200


def _texts(said: Said) -> Iterator[Leaf]:
    """Texts that stand for a whole structured result (MCP content and the like)."""
    for leaf in said.form.leaves[:8]:
        if leaf.key in {"text", "content", "output", "message", "result"}:
            yield leaf


def _exit(run: Run, step: Step, said: Said, found: dict[str, Evidence]) -> None:
    """An exit code other than 0 in a text result."""
    del run, step
    hit = _EXIT.near_ends(said)
    if hit and int(hit["code"]) != 0 and EXIT not in found:
        found[EXIT] = said.quote(hit.start(), hit.end())


def _stack(run: Run, step: Step, said: Said, found: dict[str, Evidence]) -> None:
    """A stack trace, unless the tool was asked to show a file or a page."""
    hit = _STACK.find(said)
    if hit and not _reads(run, step):
        found[STACK] = _last_line(said, hit.start())


def _last_line(said: Said, start: int) -> Evidence:
    """The line that ends a Python trace, else the line where a trace begins."""
    block = said.low[start : start + 6_000]
    ends = list(_RAISED.finditer(block)) if block.startswith("traceback") else []
    return said.line(start + ends[0].start() if ends else start)


_RAISED = re.compile(
    r"^[a-z_][\w.]{2,80}(?:error|exception|warning|exit|interrupt)\b", re.MULTILINE
)


def _http(run: Run, step: Step, said: Said, found: dict[str, Evidence]) -> None:
    """A status of 400 or more where the tool speaks for itself."""
    if HTTP in found or _reads(run, step):
        return
    speaks = TEXT in found or FIELD in found or len(said.low) <= SHORT
    hit = _HTTP.find(said) if speaks else _HTTP.find(said, 0, HEAD_OF_MESSAGE)
    if hit:
        found[HTTP] = said.quote(hit.start(), hit.end())


def _reads(run: Run, step: Step) -> bool:
    """Whether a run only shows what stands elsewhere."""
    if _READING.match(step.tool.lower()):
        return True
    asked = arguments(run, step)
    first = asked.form.leaves[0] if asked.form.leaves else None
    return bool(
        first
        and isinstance(first.value, str)
        and _READING.match(first.value[:40].lower().rpartition("&&")[2].strip())
    )


Speech = Iterator[tuple[Said, int, int]]


def _speech(note: Said, said: Said, found: Signs) -> Speech:
    """Where a tool speaks for itself: note, error field, message, ends."""
    if note:
        yield note, 0, SHORT * 4
    for kind in (FIELD, TEXT, STACK):
        if kind in found:
            at = found[kind].start
            yield said, at, at + SHORT
    if EXIT in found:
        yield said, 0, HEAD_OF_MESSAGE * 2
        yield said, max(0, len(said.low) - SHORT), len(said.low)
    elif said.form.plain and len(said.low) <= SHORT:
        yield said, 0, len(said.low)


def _name(said: Said, start: int, end: int, found: dict[str, Evidence]) -> None:
    """Note what the failure is about, unless that is known."""
    if not any(kind in found for kind in KINDS):
        for kind in KINDS:
            hit = _ABOUT[kind].find(said, start, min(end, len(said.low)))
            if hit:
                found[kind] = said.quote(hit.start(), hit.end())
                return


Look = Callable[[Run, Step, Said, dict[str, Evidence]], None]
