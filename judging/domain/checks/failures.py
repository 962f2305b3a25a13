"""Which tool results are failures, by which signs.

Tools tell a failure in many ways. A sign is one of them with its words. Words
that merely mention an error (a log, a search result, a file that was read) are
no sign: they count where a tool speaks for itself, which is in its error field,
in a short answer, or at the ends of a long one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from judging.domain.checks import failure_words
from judging.domain.checks.failure_words import (
    ABOUT,
    ABSENT,
    AUTH,
    RATE,
    REJECTED,
    TIMEOUT,
)
from judging.domain.checks.text import (
    Said,
    arguments,
    failure_note,
    output,
    shared,
)
from judging.domain.findings import Evidence, Run
from judging.domain.text import Leaf
from traces.domain.records import Step, StepType

MESSAGE, REMARK = 400, 160
"""A failure's message ends within so many characters; a text result up to so
long can be a message without saying that it is one."""

NOTE, FIELD, TEXT = "note", "field", "text"
STACK, HTTP, EXIT = "stack", "http", "exit"
KINDS = (TIMEOUT, RATE, AUTH, REJECTED, ABSENT)
"""What a failure is about, most telling first."""
REMARKS = (TIMEOUT, RATE, AUTH, ABSENT)

Signs = Mapping[str, Evidence]

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
    r"|goto|scroll\w*|diff|awk|nl|read\w*|fetch\w*|browse\w*|get_page)(?![a-z])"
)
HEAD_OF_MESSAGE = 200
TEXT_DEPTH = 3
"""Containers around a field that can speak for the whole result."""


def signs(run: Run, step: Step) -> Signs:
    """Signs of failure in a tool result; empty for other steps."""
    return shared(run, all_signs).get(step.key, {})


def failed(run: Run, step: Step) -> bool:
    """Whether a tool run failed."""
    return bool(signs(run, step))


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
        _name(part, start, end, found, KINDS)
    if not found and said.form.plain and len(said.low) <= REMARK:
        _name(said, 0, len(said.low), found, REMARKS)
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
    if key not in _ERROR_KEYS and value and _inside_error(leaf):
        return FIELD
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


def _inside_error(leaf: Leaf) -> bool:
    return leaf.path.partition(".")[0].lower() in _ERROR_KEYS


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
        if any(
            hint in low for hint in failure_words.MESSAGE.hints
        ) and failure_words.MESSAGE.pattern.match(low):
            line = low.find("\n", 1)
            end = leaf.start + (line if line > 20 else len(low))
            found[TEXT] = said.quote(leaf.start, min(end, leaf.end))
            return


def _texts(said: Said) -> Iterator[Leaf]:
    """Texts that stand for a whole structured result (MCP content and the like)."""
    for leaf in said.form.leaves[:8]:
        if leaf.key in {"text", "content", "output", "message", "result"}:
            yield leaf


def _exit(run: Run, step: Step, said: Said, found: dict[str, Evidence]) -> None:
    """An exit code other than 0 in a text result."""
    del run, step
    hit = failure_words.EXIT.near_ends(said)
    if hit and int(hit["code"]) != 0 and EXIT not in found:
        found[EXIT] = said.quote(hit.start(), hit.end())


def _stack(run: Run, step: Step, said: Said, found: dict[str, Evidence]) -> None:
    """A stack trace, unless the tool was asked to show a file or a page."""
    hit = failure_words.STACK.find(said)
    if hit and not _reads(run, step):
        found[STACK] = _last_line(said, hit.start())


def _last_line(said: Said, start: int) -> Evidence:
    """The line that ends a Python trace, else the line where a trace begins."""
    block = said.low[start : start + 6_000]
    ends = list(_RAISED.finditer(block)) if block.startswith("traceback") else []
    return said.line(start + ends[-1].start() if ends else start)


_RAISED = re.compile(
    r"^[a-z_][\w.]{2,80}(?:error|exception|warning|exit|interrupt)\b", re.MULTILINE
)


def _http(run: Run, step: Step, said: Said, found: dict[str, Evidence]) -> None:
    """A status of 400 or more where the tool speaks for itself."""
    if HTTP in found or _reads(run, step):
        return
    if not said.form.plain and found.keys().isdisjoint({FIELD, TEXT}):
        return
    speaks = TEXT in found or FIELD in found or len(said.low) <= MESSAGE
    hit = (
        failure_words.HTTP.find(said)
        if speaks
        else failure_words.HTTP.find(said, 0, HEAD_OF_MESSAGE)
    )
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
        yield note, 0, MESSAGE * 4
    for kind in (FIELD, TEXT, STACK):
        if kind in found:
            at = found[kind].start
            yield said, at, at + MESSAGE
    if EXIT in found:
        yield said, 0, HEAD_OF_MESSAGE * 2
        yield said, max(0, len(said.low) - MESSAGE), len(said.low)


def _name(
    said: Said, start: int, end: int, found: dict[str, Evidence], kinds: Iterable[str]
) -> None:
    """Note what the failure is about, unless that is known."""
    if found.keys().isdisjoint(KINDS):
        for kind in kinds:
            hit = ABOUT[kind].find(said, start, min(end, len(said.low)))
            if hit:
                found[kind] = said.quote(hit.start(), hit.end())
                return
