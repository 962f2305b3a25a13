"""Statements that are wrong by themselves: sums, weekdays, counts, records mixed up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from judging.domain.checks.text import cue, match, output, short
from judging.domain.findings import Check, Match, Run
from traces.domain.records import Step, StepType

SPOKEN = frozenset({StepType.SYNTH})
MAX_TRIES = 40

_EQUATION = re.compile(
    r"(?<![\w.,/*+×–-])(?<![*+×/–-]\ )[$€£]?(?P<a>\d[\d,]{0,12}(?:\.\d{1,6})?)\ ?"
    r"(?P<op>[+\-−–*×x/÷])\ ?[$€£]?(?P<b>\d[\d,]{0,12}(?:\.\d{1,6})?)\ ?"
    r"(?:=)\ ?[$€£]?(?P<c>-?\d[\d,]{0,14}(?:\.\d{1,6})?)(?P<more>\ ?[+*×/÷%^]|\ ?-\ ?\d)?"
)


def wrong_sum(run: Run, step: Step) -> Match | None:
    """An equation of two numbers that doesn't hold."""
    said = output(run, step)
    if "=" not in said.low:
        return None
    for place, hit in enumerate(_EQUATION.finditer(said.low)):
        if place > MAX_TRIES:
            break
        right = _result(hit["op"], _float(hit["a"]), _float(hit["b"]))
        if hit["more"] or right is None or _close(right, hit["c"]):
            continue
        shown = said.quote(hit.start(), hit.end())
        return match(f"{short(shown.text)} is wrong: it is {right:g}.", shown)
    return None


def _float(text: str) -> float:
    return float(text.replace(",", ""))


def _result(op: str, a: float, b: float) -> float | None:
    if op == "+":
        return a + b
    if op in "-−–":
        return a - b
    if op in "*×x":
        return a * b
    return a / b if b else None


def _close(right: float, stated: str) -> bool:
    """Equal up to rounding at the last place stated."""
    decimals = len(stated.partition(".")[2])
    given = _float(stated)
    slack = 0.51 * 10.0**-decimals if decimals else max(0.51, abs(right) * 0.002)
    return abs(right - given) <= slack


_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS: Mapping[str, int] = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sep"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
_WEEKDAY = cue(
    *_DAYS,
    pattern=rf"""
    \b(?P<day>{"|".join(_DAYS)}),?\ (?:the\ )?(?:
       (?P<month>{"|".join(_MONTHS)})\.?\ (?P<n>\d{{1,2}})(?:st|nd|rd|th)?,?\ (?P<y>(?:19|20)\d\d)
       | (?P<n2>\d{{1,2}})(?:st|nd|rd|th)?\ (?:of\ )?(?P<month2>{"|".join(_MONTHS)})\.?,?\ (?P<y2>(?:19|20)\d\d)
       | (?P<iso>(?:19|20)\d\d-\d\d-\d\d) )\b
    """,
)


def wrong_weekday(run: Run, step: Step) -> Match | None:
    """A date with a weekday that it wasn't."""
    said = output(run, step)
    for hit in _WEEKDAY.all(said):
        day = _date(hit)
        if day is not None and _DAYS[day.weekday()] != hit["day"]:
            shown = said.quote(hit.start(), hit.end())
            what = (
                f"{shown.text} is wrong: that day is a {_DAYS[day.weekday()].title()}."
            )
            return match(what, shown)
    return None


def _date(hit: re.Match[str]) -> date | None:
    try:
        if hit["iso"]:
            return date.fromisoformat(hit["iso"])
        month = _MONTHS[hit["month"] or hit["month2"]]
        return date(int(hit["y"] or hit["y2"]), month, int(hit["n"] or hit["n2"]))
    except ValueError:
        return None


_WORDS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
}
_COUNT = re.compile(
    rf"\b(?:there\ are|these\ are\ the|here\ are(?:\ the)?|the\ following|found|listed|has|have)"
    rf"\ (?P<n>\d{{1,2}}|{'|'.join(_WORDS)})\ (?:\w+\ ){{0,3}}[a-z]{{3,20}}s\b[^\n.:]{{0,60}}:\ *\n+"
    r"(?P<list>(?:(?:\ {0,3}(?:[-*•]|\d{1,2}[.)])\ [^\n]+|\ {3,}[^\n]+)(?:\n{1,2}|\Z)){2,60})"
)
_ITEM = re.compile(r"^(\ {0,3})([-*•]|\d{1,2}[.)])\ ", re.MULTILINE)


def _items(text: str) -> int:
    """Items of the outer list: indented and marked as the first is."""
    marks = [(indent, mark[0].isdigit()) for indent, mark in _ITEM.findall(text)]
    return sum(mark == marks[0] for mark in marks)


def wrong_count(run: Run, step: Step) -> Match | None:
    """A number of things announced, and another number listed."""
    said = output(run, step)
    if ":\n" not in said.low.replace(" \n", "\n"):
        return None
    hit = _COUNT.search(said.low[:30_000])
    if hit is None:
        return None
    listed = _items(hit["list"])
    announced = _WORDS.get(hit["n"]) or int(hit["n"])
    if listed < 2 or listed == announced:
        return None
    shown = said.line(hit.start())
    return match(f"Announces {announced} and lists {listed}.", shown)


CHECKS = (
    Check(
        "synth.wrong_sum",
        "Wrong sum",
        "An equation of two numbers in the text does not hold, rounding allowed for.",
        SPOKEN,
        "faithfulness",
        2.0,
        "fabrication",
        wrong_sum,
    ),
    Check(
        "synth.wrong_weekday",
        "Wrong weekday",
        "A full date in the text stands with a weekday that it is not.",
        SPOKEN,
        "faithfulness",
        2.0,
        "fabrication",
        wrong_weekday,
    ),
    Check(
        "synth.wrong_count",
        "Wrong count",
        "The text announces a number of things and lists another number right after.",
        SPOKEN,
        "coherence",
        3.0,
        "selective-omission",
        wrong_count,
    ),
)
