"""Turns in the logs that ChatDev and MetaGPT write as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from traces.domain.records import SpanRecord
from traces.importers.times import nanoseconds

MAX_TURNS = 100_000
_ENTRY = re.compile(
    r"^\[([0-9]{4})-([0-9]{2})-([0-9]{2}) ([0-9:]{8})( INFO)?\] ?", re.MULTILINE
)
_LOGURU = re.compile(
    r"^([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}(?:\.[0-9]{1,6})?) \| [A-Z]{3,9} {0,8}\| "
    r"[^\n]{1,200}? - ([\w. ]{1,80})\(([\w. ]{1,80})\): to do [^\n]{0,200}$",
    re.MULTILINE,
)
_PAIR = re.compile(
    r"([^:\n]{1,80}): \*\*([^<\n]{1,80})<->([^\n]{1,80}?) on : ([^\n]{1,100}?),"
    r" turn [0-9]{1,5}\*\*"
)
_START = re.compile(r"([^:\n]{1,80}): \*\*\[Start Chat\]\*\*")
_ADDRESSED = re.compile(r"FROM: ([^\n]{1,80}?) TO: \{?'?([^\n'}]{0,80})'?\}?")
_SPEAKER = re.compile(r"([\w. -]{1,80}): ?\n")
_TASK = re.compile(r"^\*\*task_prompt\*\*: ([^\n]{1,4000})", re.MULTILINE)
_NEW = "NEW MESSAGES:"
_REPORTS = "**[Test Reports]**"
_RULE = re.compile(r"\n-{20,}\s*\Z")
_ALL = {"<all>", "all", ""}
_PEOPLE = {"Human", "User"}


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that was said.

    Attributes:
        speaker: Who said it.
        text: What.
        position: 0-based place among the turns.
        to: Whom alone it was said to, "" for everyone.
        system: What the speaker had been told it is, "" if unknown.
        phase: Part of the work that it belongs to.
        outside: Kind of boundary, if no agent said it.
        time_ns: Unix nanoseconds, None if unknown.
    """

    speaker: str
    text: str
    position: int
    to: str = ""
    system: str = ""
    phase: str = ""
    outside: str = ""
    time_ns: int | None = None

    def timed(self, span: SpanRecord) -> SpanRecord:
        """A span with the time at which this was logged."""
        return replace(span, start_ns=self.time_ns, end_ns=self.time_ns)


def task_of(log: str) -> str:
    """The task that ChatDev was given, "" if the log doesn't say."""
    found = _TASK.search(log)
    return found[1].strip() if found else ""


def turns_of(log: str) -> list[Turn]:
    """The turns of a log, empty if it is of no kind that is known."""
    found = list(_loguru(log)) or list(_entries(log))
    return [replace(t, position=n) for n, t in enumerate(found[:MAX_TURNS])]


def _cut(log: str, pattern: re.Pattern[str]) -> Iterator[tuple[re.Match[str], str]]:
    """Marks, each with the text up to the next."""
    last: re.Match[str] | None = None
    for mark in pattern.finditer(log):
        if last:
            yield last, log[last.end() : mark.start()]
        last = mark
    if last:
        yield last, log[last.end() :]


def _loguru(log: str) -> Iterator[Turn]:
    """``… - Alice(Coder): to do Write(…)`` and what Alice wrote below."""
    for mark, body in _cut(log, _LOGURU):
        yield Turn(mark[2], body.strip(), 0, time_ns=nanoseconds(mark[1]))


def _entries(log: str) -> Iterator[Turn]:
    """Entries that begin with a time in square brackets."""
    for mark, body in _cut(log, _ENTRY):
        year, second, third, clock, info = mark.groups()
        # ChatDev writes the day before the month.
        day = f"{year}-{third}-{second}" if info else f"{year}-{second}-{third}"
        yield from _entry(body, nanoseconds(f"{day} {clock}"))


def _entry(body: str, time: int | None) -> Iterator[Turn]:
    if pair := _PAIR.match(body):
        system, words = _parted(body[pair.end() :])
        to = pair[3] if pair[1] == pair[2] else pair[2]
        yield Turn(pair[1], words, 0, to, system, pair[4], time_ns=time)
    elif start := _START.match(body):
        _, words = _parted(body[start.end() :])
        yield Turn(start[1], words, 0, outside="environment", time_ns=time)
    elif body.startswith(_REPORTS):
        words = body.removeprefix(_REPORTS).strip(": \n")
        yield Turn("", words, 0, outside="environment", time_ns=time)
    elif addressed := _ADDRESSED.match(body):
        yield _message(addressed, body, time)
    elif body.startswith(_NEW):
        words = _RULE.sub("", body.removeprefix(_NEW).strip())
        spoken = _SPEAKER.match(words)
        if spoken:
            said = words[spoken.end() :].strip()
            yield Turn(spoken[1], said, 0, time_ns=time)


def _parted(body: str) -> tuple[str, str]:
    """What an agent of ChatDev was told it is, and what was said."""
    words = body.strip()
    if words.startswith("["):
        system, end, rest = words[1:].partition("]\n\n")
        if end:
            return system.strip(), rest.strip()
    return "", words


def _message(mark: re.Match[str], body: str, time: int | None) -> Turn:
    _, _, content = body.partition("CONTENT:\n")
    words = _RULE.sub("", content or body[mark.end() :]).strip()
    to = "" if mark[2] in _ALL else mark[2]
    outside = "user" if mark[1] in _PEOPLE else ""
    return Turn(mark[1], words, 0, to, outside=outside, time_ns=time)
