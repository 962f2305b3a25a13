"""Argument values that nothing upstream gave, or that changed on their way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from judging.domain.checks.knowledge import Knowledge, knowledge, where_known, words_of
from judging.domain.checks.text import Said, arguments, match, shared, short
from judging.domain.findings import Check, Evidence, Match, Run
from judging.domain.text import Leaf
from traces.domain.records import Step, StepType

PARAMGEN = frozenset({StepType.PARAMGEN})
MAX_LEAVES = 100

_FREE_TOOLS = re.compile(
    r"bash|shell|python|exec|code|terminal|edit|write|create_file|str_replace|think|note"
    r"|plan|sql|browser|click|goto|calculat|final|answer|respond|handoff|repl|notebook|run_"
)
_FREE_KEYS = frozenset(
    {
        "query",
        "q",
        "search",
        "keyword",
        "keywords",
        "term",
        "thought",
        "code",
        "command",
        "content",
        "text",
        "message",
        "body",
        "prompt",
        "sql",
        "summary",
        "reason",
        "args",
        "input",
        "expression",
        "title",
        "description",
        "comment",
        "note",
        "notes",
        "path",
        "file",
        "filename",
        "file_path",
        "filepath",
        "url",
        "model",
        "version",
        "request_id",
        "idempotency_key",
        "trace_id",
        "correlation_id",
        "call_id",
        "uuid",
        "format",
        "language",
        "locale",
        "timezone",
        "color",
        "limit",
        "top_k",
        "page",
        "size",
        "offset",
        "subject",
        "label",
        "tag",
        "tags",
        "branch",
        "commit",
        "selector",
        "xpath",
        "regex",
        "pattern",
        "start",
        "end",
        "from",
        "to",
        "since",
        "until",
        "time",
        "duration",
    }
)
_IDENTIFIER = re.compile(r"(?=[^\d]*\d)#?[a-z0-9][\w.@#+:-]{3,63}")
_DATE = re.compile(
    r"(?P<y>(?:19|20)\d\d)-(?P<m>\d\d)-(?P<d>\d\d)(?:[t ][\d:.z+-]{4,})?"
)
_TIME = re.compile(r"\d{1,2}:\d\d(?::\d\d)?(?:\ ?[ap]m)?")
_ID_KEY = re.compile(
    r"(?:^|[_\W])(?:ids?|no|nr|number|ref|reference|sku|isbn|iban|email|phone|zip|account"
    r"|order|invoice|ticket|customer|user|tracking|booking|reservation|flight)s?\Z"
)
_UNIT = re.compile(r"[-+]?[\d.,]+(?:%|[a-z]{1,4})?")
_PUNCTUATED = re.compile(r"[\d:.\s–-]*[:.–-][\d:.\s–-]*")
_RELATIVE = frozenset(
    {
        "today",
        "tomorrow",
        "yesterday",
        "tonight",
        "week",
        "weeks",
        "weekend",
        "weekends",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "month",
        "months",
        "quarter",
        "year",
        "later",
        "earlier",
        "earliest",
        "latest",
        "ago",
        "days",
        "day",
        "nightly",
        "daily",
        "monthly",
        "weekly",
        "following",
        "annual",
    }
)
_EDGES = frozenset({1, 28, 29, 30, 31})
"""Days at the ends of a month come from reckoning, not from a text."""


@dataclass(frozen=True, slots=True)
class Stray:
    """An argument that nothing upstream gave.

    Attributes:
        leaf: The argument.
        word: The part that is unknown.
        near: A known identifier one slip away, "" if there is none.
    """

    leaf: Leaf
    word: str
    near: str = ""


def strays(run: Run, step: Step) -> tuple[Stray, ...]:
    """Identifiers in a call's arguments that nothing upstream gave."""
    cache = shared(run, _no_strays)
    if step.key not in cache:
        cache[step.key] = tuple(_strays(run, step))
    return cache[step.key]


def _no_strays(run: Run) -> dict[str, tuple[Stray, ...]]:
    del run
    return {}


def _strays(run: Run, step: Step) -> Iterator[Stray]:
    known = knowledge(run)
    if known.outside is None or known.outside > step.index:
        return
    if _FREE_TOOLS.search(step.tool.lower()):
        return
    for leaf in arguments(run, step).form.leaves[:MAX_LEAVES]:
        text = _identifier(leaf)
        if text and not known.value(text, step.index):
            yield _stray(known, step, leaf, text)


def _stray(known: Knowledge, step: Step, leaf: Leaf, text: str) -> Stray:
    for word in words_of(text):
        if not known.word(word, step.index):
            return Stray(leaf, word, known.near(word, step.index))
    return Stray(leaf, text)


def _identifier(leaf: Leaf) -> str:
    """A leaf's text if it is an identifier, else ""."""
    key = leaf.key.lower()
    if key in _FREE_KEYS:
        return ""
    if isinstance(leaf.value, int) and not isinstance(leaf.value, bool):
        return str(leaf.value) if leaf.value > 9_999 and _ID_KEY.search(key) else ""
    if not isinstance(leaf.value, str):
        return ""
    text = leaf.value.strip().lower()
    if not _IDENTIFIER.fullmatch(text) or _is_measure(text, key):
        return ""
    digits = sum(char.isdigit() for char in text)
    return text if digits >= 2 and (digits >= 3 or len(text) >= 5) else ""


def _is_measure(text: str, key: str) -> bool:
    """Whether a text is a date, a time, a range or a number with a unit."""
    if any(each.fullmatch(text) for each in (_DATE, _TIME, _PUNCTUATED)):
        return True
    named = _ID_KEY.search(key) and len(text) >= 5
    return _UNIT.fullmatch(text) is not None and not named


def altered(run: Run, step: Step) -> Match | None:
    """An identifier that is one slip away from a known one."""
    for stray in strays(run, step):
        if stray.near:
            said = arguments(run, step)
            source = where_known(run, stray.near)
            what = (
                f"{stray.leaf.key or 'The argument'} is {short(str(stray.leaf.value))!r}; "
                f"known was {short(stray.near)!r}, one slip away"
            )
            proof = (source,) if source else ()
            return match(f"{what}.", _quoted(said, stray.leaf), *proof)
    return None


def ungrounded(run: Run, step: Step) -> Match | None:
    """An identifier that nothing upstream gave."""
    for stray in strays(run, step):
        if not stray.near:
            said = arguments(run, step)
            what = (
                f"{stray.leaf.key or 'The argument'} is {short(str(stray.leaf.value))!r}, "
                "which stands in no earlier result and not in the request"
            )
            return match(f"{what}.", _quoted(said, stray.leaf))
    return None


def _quoted(said: Said, leaf: Leaf) -> Evidence:
    return said.quote(leaf.start, leaf.end)


def ungrounded_date(run: Run, step: Step) -> Match | None:
    """A date whose day nobody named."""
    known = knowledge(run)
    if known.outside is None or _FREE_TOOLS.search(step.tool.lower()):
        return None
    said = arguments(run, step)
    for leaf in said.form.leaves[:MAX_LEAVES]:
        hit = (
            _DATE.fullmatch(leaf.value.lower()) if isinstance(leaf.value, str) else None
        )
        if hit is None or _day_known(known, step, hit):
            continue
        what = f"{leaf.key or 'The argument'} is {leaf.value}; nothing upstream names that day"
        return match(f"{what}.", _quoted(said, leaf))
    return None


def _day_known(known: Knowledge, step: Step, hit: re.Match[str]) -> bool:
    day = int(hit["d"])
    if day in _EDGES or any(known.word(word, step.index) for word in _RELATIVE):
        return True
    spelled = (str(day), hit["d"], hit[0], hit[0][:10])
    return any(known.word(word, step.index) for word in spelled)


CHECKS = (
    Check(
        "paramgen.altered",
        "Value altered on its way",
        "An identifier stands nowhere upstream, but one that differs in a single "
        "character, or in two that changed places, does.",
        PARAMGEN,
        "value_correctness",
        1.0,
        "value-error",
        altered,
    ),
    Check(
        "paramgen.ungrounded",
        "Value from nowhere",
        "An identifier (not code, free text, names of files or the like) stands in no "
        "earlier result, message, tool description or request.",
        PARAMGEN,
        "value_correctness",
        1.0,
        "value-error",
        ungrounded,
    ),
    Check(
        "paramgen.ungrounded_date",
        "Date from nowhere",
        "Nothing upstream names the day of a date, and nothing speaks of days relative "
        "to another.",
        PARAMGEN,
        "value_correctness",
        2.0,
        "value-error",
        ungrounded_date,
    ),
)
