"""Contents as checks read them: text with offsets, lower case, words, lines.

A check searches ``low``, which has the length of ``text``: what it finds there
stands at the same offsets in the text form that the pages show.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeVar, cast

from judging.domain.findings import Evidence, Match, Run
from judging.domain.text import EMPTY, Form, form_of
from traces.domain.records import Json, Step

T = TypeVar("T")
MAX_QUOTE = 300
MAX_EVIDENCE = 5
HEAD, TAIL = 500, 1_500
"""Of a long tool result only the beginning and the end can be its own message."""

_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_ESCAPED = (("\\n", " \n"), ("\\t", " \t"), ("\\r", " \r"), ('\\"', ' "'))


@dataclass(frozen=True, slots=True)
class Said:
    """One content of one step.

    Attributes:
        step: Key of the step.
        where: ``input``, ``output``, ``arguments`` or ``error``.
        form: Text form with scalars.
        low: The text form in lower case; line breaks that JSON escapes are
            line breaks here.
    """

    step: str
    where: str
    form: Form
    low: str

    @property
    def text(self) -> str:
        """The text form."""
        return self.form.text

    def __bool__(self) -> bool:
        """Whether there is anything but white space."""
        return bool(self.low.strip())

    def quote(self, start: int, end: int) -> Evidence:
        """The words from ``start`` to ``end`` as evidence."""
        end = min(end, start + MAX_QUOTE)
        return Evidence(self.step, self.where, self.form.text[start:end], start)

    def line(self, at: int) -> Evidence:
        """The line around a place as evidence, from that place's line start."""
        start = max(self.low.rfind("\n", 0, at) + 1, at - MAX_QUOTE // 2)
        end = self.low.find("\n", at)
        return self.quote(start, len(self.low) if end < 0 else end)

    def beginning(self, size: int = 160) -> Evidence:
        """The first words as evidence."""
        start = len(self.low) - len(self.low.lstrip())
        return self.quote(start, start + size)

    def ending(self, size: int = 160) -> Evidence:
        """The last words as evidence."""
        end = len(self.low.rstrip())
        return self.quote(max(0, end - size), end)


@dataclass(frozen=True, slots=True)
class Cue:
    """A pattern that is only tried where one of its literals stands.

    Attributes:
        hints: Lower-case literals, one of which is in every match.
        pattern: Matches lower-case text.
    """

    hints: tuple[str, ...]
    pattern: re.Pattern[str]

    def find(self, said: Said, start: int = 0, end: int = -1) -> re.Match[str] | None:
        """First match between two places."""
        low = said.low
        if not any(hint in low for hint in self.hints):
            return None
        return self.pattern.search(low, start, len(low) if end < 0 else end)

    def all(self, said: Said) -> Iterator[re.Match[str]]:
        """Every match, in order."""
        if any(hint in said.low for hint in self.hints):
            yield from self.pattern.finditer(said.low)

    def near_ends(self, said: Said) -> re.Match[str] | None:
        """First match in the beginning or the end of a long text."""
        size = len(said.low)
        if size <= HEAD + TAIL:
            return self.find(said)
        return self.find(said, 0, HEAD) or self.find(said, size - TAIL, size)


def cue(*hints: str, pattern: str) -> Cue:
    """A cue from its literals and a pattern (verbose, ``^`` at line starts)."""
    return Cue(hints, re.compile(pattern, re.VERBOSE | re.MULTILINE))


def shared(run: Run, build: Callable[[Run], T]) -> T:
    """What ``build`` makes of a run, made once."""
    name = _name(build)
    if name not in run.shared:
        run.shared[name] = build(run)
    return cast("T", run.shared[name])


@cache
def _name(build: Callable[[Run], object]) -> str:
    return f"{build.__module__}.{build.__qualname__}"


def output(run: Run, step: Step) -> Said:
    """What a step gave."""
    found = _cache(run).get((step.key, "output"))
    if found is not None:
        return found
    return _said(run, step.key, "output", run.content(step.key).output)


def given(run: Run, step: Step) -> Said:
    """What a step worked on."""
    return _said(run, step.key, "input", run.content(step.key).input)


def failure_note(run: Run, step: Step) -> Said:
    """The source's own words for a failure."""
    return _said(run, step.key, "error", run.content(step.key).error)


def arguments(run: Run, step: Step) -> Said:
    """Arguments of the call a step is about; empty if there are none.

    Where they are the step's output as well, they are quoted as output, as
    the page shows them only once.
    """
    content, cache = run.content(step.key), _cache(run)
    if content.call is None or content.call.arguments is None:
        return _said(run, step.key, "arguments", None)
    if (step.key, "arguments") in cache:
        return cache[step.key, "arguments"]
    same = content.output == content.call.arguments
    where = "output" if same else "arguments"
    found = _said(run, step.key, where, content.call.arguments)
    cache[step.key, "arguments"] = found
    return found


def _said(run: Run, key: str, where: str, value: Json) -> Said:
    cache = _cache(run)
    found = cache.get((key, where))
    if found is None:
        form = EMPTY if value is None else form_of(value)
        found = cache[key, where] = Said(key, where, form, lower(form))
    return found


def _cache(run: Run) -> dict[tuple[str, str], Said]:
    return cast("dict[tuple[str, str], Said]", run.shared.setdefault("said", {}))


def lower(form: Form) -> str:
    """Lower case of the same length, JSON's escapes opened up."""
    low = form.text.lower()
    if len(low) != len(form.text):
        low = form.text.translate(_ASCII_LOWER)
    if not form.plain and "\\" in low:
        for escaped, plain in _ESCAPED:
            low = low.replace(escaped, plain)
    return low


def absent(step: Step, where: str, words: str = "") -> Evidence:
    """Evidence of something that isn't there."""
    return Evidence(step.key, where, words[:MAX_QUOTE])


def match(
    message: str, *evidence: Evidence, cap: float | None = None, category: str = ""
) -> Match:
    """A match with at most ``MAX_EVIDENCE`` pieces of evidence."""
    return Match(message, evidence[:MAX_EVIDENCE], cap, category)


def short(text: str, size: int = 60) -> str:
    """A text on one line for a message, cut with an ellipsis."""
    line = " ".join(text[: size * 4].split())
    return line if len(line) <= size else line[: size - 1] + "…"
