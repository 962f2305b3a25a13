"""Values in answers that no result and no message supports."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from judging.domain.checks.failures import failed
from judging.domain.checks.flow import flow
from judging.domain.checks.http import shows_page
from judging.domain.checks.knowledge import Knowledge, knowledge, where_known, words_of
from judging.domain.checks.text import Said, match, output, shared, short
from judging.domain.findings import Check, Match, Run
from traces.domain.records import Step, StepType

SYNTH = frozenset({StepType.SYNTH})
MAX_VALUES = 60
MAX_NUMBERS = 80

_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_ID = re.compile(r"(?<![\w./@-])#?(?=[a-z_-]*\d)[a-z0-9][\w-]{3,40}(?![\w@])")
_MAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,60}\.[a-z]{2,10}\b")
_URL = re.compile(r"\bhttps?://[^\s<>()\[\]\"'`]{6,300}")
_AMOUNT = re.compile(
    r"(?:[$€£]\ ?\d[\d,]{0,20}(?:\.\d{1,8})?|\b\d[\d,]{0,20}(?:\.\d{1,8})?\ ?(?:usd|eur|gbp|dollars?|euros?)\b)"
)
_NUMBER = re.compile(r"\d[\d,]{0,20}(?:\.\d{1,8})?")
_STANDARD = re.compile(
    r"(?:iso|rfc|utf|sha|md|ascii|covid|gpt|python|http|base|int|float)-?\d.*"
)
_PLAIN = re.compile(
    r"\d{1,4}(?:st|nd|rd|th|s|am|pm|h|m|d|k|x|kg|km|cm|mm|gb|mb|ml|min)?|v\d+"
)


def _prose(said: Said) -> str:
    """Lower-case text with code blanked out, offsets kept."""
    if "```" not in said.low:
        return said.low
    return _FENCE.sub(lambda hit: " " * len(hit[0]), said.low)


def looks_things_up(run: Run) -> bool:
    """Whether a run has tools, so that its answers can be held against results."""
    return shared(run, _has_results)


def _has_results(run: Run) -> bool:
    return any(
        step.type == StepType.EXEC and output(run, step) for step in run.graph.steps
    )


def unsupported_id(run: Run, step: Step) -> Match | None:
    """An identifier in the answer that nothing gave."""
    known = knowledge(run)
    if not looks_things_up(run) or known.outside is None:
        return None
    said = output(run, step)
    for place, hit in enumerate(_ID.finditer(_prose(said))):
        if place > MAX_VALUES:
            break
        if _telling(hit[0]) and not known.value(hit[0], step.index):
            return _unsupported(run, known, said, hit, step.index)
    return None


def _telling(word: str) -> bool:
    """Whether a word is an identifier rather than a number or a unit."""
    bare = word.strip("#-_")
    digits = sum(char.isdigit() for char in bare)
    if _PLAIN.fullmatch(bare) or digits < 2 or len(bare) < 5:
        return False
    letters = any(char.isalpha() for char in bare)
    return letters and digits >= 3 and not _STANDARD.fullmatch(bare)


def _unsupported(
    run: Run, known: Knowledge, said: Said, hit: re.Match[str], index: int
) -> Match:
    word = next((w for w in words_of(hit[0]) if not known.word(w, index)), hit[0])
    near = known.near(word, index)
    source = where_known(run, near) if near else None
    shown = short(said.text[hit.start() : hit.end()])
    what = f"{shown!r} stands in no earlier result or message"
    if near:
        what += f"; {short(near)!r} does, one slip away"
    proof = (source,) if source else ()
    return match(f"{what}.", said.quote(hit.start(), hit.end()), *proof)


def unsupported_address(run: Run, step: Step) -> Match | None:
    """A web or mail address in the answer that nothing gave."""
    known = knowledge(run)
    if not looks_things_up(run) or known.outside is None:
        return None
    said = output(run, step)
    prose = _prose(said)
    for pattern in (_MAIL, _URL) if "@" in prose or "http" in prose else ():
        for place, hit in enumerate(pattern.finditer(prose)):
            text = hit[0].rstrip(".,;:!?*_/")
            if place > MAX_VALUES or _address_known(known, text, step.index):
                continue
            shown = said.quote(hit.start(), hit.start() + len(text))
            return match(f"{short(shown.text)} stands in no earlier result.", shown)
    return None


def _address_known(known: Knowledge, text: str, index: int) -> bool:
    if text.startswith("http") and (text.count("/") < 4 or "example." in text):
        return True
    words = words_of(text.partition("//")[2] or text)
    return all(known.value(word, index) for word in words)


def unsupported_amount(run: Run, step: Step) -> Match | None:
    """A sum of money in the answer that is neither given nor can be reckoned."""
    known = knowledge(run)
    if not looks_things_up(run) or known.outside is None:
        return None
    said = output(run, step)
    amounts = list(_AMOUNT.finditer(_prose(said)))[:MAX_VALUES]
    unknown = [hit for hit in amounts if not _amount_known(known, hit[0], step.index)]
    if not unknown:
        return None
    numbers = set(_numbers_near(run, step))
    for hit in unknown:
        if not _reckoned(_cents(hit[0]), numbers):
            shown = said.quote(hit.start(), hit.end())
            what = (
                f"{shown.text} stands in no earlier result and is no sum of what does"
            )
            return match(f"{what}.", said.line(hit.start()))
    return None


def _amount_known(known: Knowledge, text: str, index: int) -> bool:
    return all(known.word(word, index) for word in words_of(text) if word[0].isdigit())


def _cents(text: str) -> int:
    hit = _NUMBER.search(text)
    number = hit[0].replace(",", "") if hit else "0"
    return round(float(number) * 100) if len(number) < 16 else 0


def _numbers_near(run: Run, step: Step) -> Iterator[int]:
    """Numbers, in hundredths, of the answer itself and of what it read."""
    texts = [output(run, step)]
    texts += [output(run, run.steps[e.source]) for e in run.parents.get(step.key, ())]
    count = 0
    for said in texts[:8]:
        for hit in _NUMBER.finditer(said.low, 0, min(len(said.low), 20_000)):
            yield _cents(hit[0])
            count += 1
            if count >= MAX_NUMBERS:
                return


def _reckoned(value: int, numbers: set[int]) -> bool:
    """Whether a number is a sum, difference, product or share of two others."""
    if value == 0:
        return True
    for one in numbers - {value, 0}:
        if value - one in numbers or value + one in numbers or one - value in numbers:
            return True
        if (value * 100) % one == 0 and (value * 100) // one in numbers:
            return True
        if value % one == 0 and value // one <= 40:
            return True
        if one % value == 0 and one // value <= 40:
            return True
    return False


_EXACT = re.compile(
    r"(?<![\w.,:/#$€£-])\d[\d,]{0,20}(?:\.\d{1,8})?(?=(?:\ ?%)?(?![\w:/-]))(?P<percent>\ ?%)?"
)


def unsupported_number(run: Run, step: Step) -> Match | None:
    """An exact number in an answer that is neither given nor can be reckoned."""
    known = knowledge(run)
    if not looks_things_up(run) or known.outside is None or len(flow(run).agents) > 1:
        return None
    said = output(run, step)
    hits = list(_EXACT.finditer(_prose(said)))[:MAX_VALUES]
    unknown = [
        h for h in hits if _exact(h) and not _amount_known(known, h[0], step.index)
    ]
    if not unknown:
        return None
    numbers = set(_numbers_near(run, step))
    for hit in unknown:
        if not _reckoned(_cents(hit[0]), numbers) and not _rounded(hit[0], numbers):
            shown = said.quote(hit.start(), hit.end())
            what = f"{shown.text} stands in no earlier result and can't be reckoned from two that do"
            return match(f"{what}.", said.line(hit.start()))
    return None


def _exact(hit: re.Match[str]) -> bool:
    """Percentages, decimals and numbers of three digits that are no years."""
    number = hit[0].rstrip(" %").replace(",", "")
    if "." in number or hit["percent"]:
        return True
    return len(number) >= 3 and not (len(number) == 4 and number[:2] in {"19", "20"})


def _rounded(text: str, numbers: set[int]) -> bool:
    """Whether a number is another one with fewer decimals."""
    value, step = _cents(text), 10 if "." in text else 100
    return any(abs(value - other) < step for other in numbers if other != value)


@dataclass(frozen=True, slots=True)
class Specifics:
    """Names and numbers of a text, and which of them nobody had named.

    Attributes:
        total: How many there are.
        unknown: Places of those that were not known.
    """

    total: int
    unknown: tuple[tuple[int, int], ...]


_NAME = re.compile(
    r"\b[A-Z][a-zà-öø-ÿ'’-]{2,}(?:\ (?:of\ |the\ |de\ |and\ )?[A-Z][a-zà-öø-ÿ'’-]{1,}){1,4}"
)
_FACT = re.compile(r"(?<![\w.,])\d[\d,]{0,20}(?:\.\d{1,8})?(?![\w.,]*\d)")


def specifics(run: Run, step: Step) -> Specifics:
    """Names of several words and numbers of two digits or more in a text."""
    said, known = output(run, step), knowledge(run)
    text = said.text if "```" not in said.low else _blanked(said)
    total, unknown = 0, []
    for pattern in (_NAME, _FACT):
        for hit in pattern.finditer(text, 0, min(len(text), 8_000)):
            words = [w for w in words_of(hit[0]) if len(w) > 1]
            if not words or total >= 4 * MAX_VALUES:
                continue
            total += 1
            news = [w for w in words if not known.word(w, step.index)]
            if len(news) * 2 > len(words):
                unknown.append((hit.start(), hit.end()))
    return Specifics(total, tuple(sorted(unknown)))


def _blanked(said: Said) -> str:
    return _FENCE.sub(lambda hit: " " * len(hit[0]), said.text)


MANY = 5


def from_memory(run: Run, step: Step) -> Match | None:
    """Many facts that neither a result nor a message gave."""
    if not _can_look_up(run) or knowledge(run).outside is None:
        return None
    if shows_page(output(run, step)):
        return None
    found = specifics(run, step)
    if len(found.unknown) < MANY or len(found.unknown) * 2 < found.total:
        return None
    said = output(run, step)
    proof = (said.quote(start, end) for start, end in found.unknown[:5])
    what = (
        f"{len(found.unknown)} of {found.total} names and numbers stand in no result or "
        "message: the text is from memory"
    )
    return match(f"{what}.", *proof)


def _can_look_up(run: Run) -> bool:
    return bool(run.tools) or looks_things_up(run) or len(flow(run).agents) > 1


def ignores_results(run: Run, step: Step) -> Match | None:
    """An answer that shares nothing with any of the results it read."""
    said = output(run, step)
    if len(said.low) < 60:
        return None
    read = [
        run.steps[edge.source]
        for edge in run.parents.get(step.key, ())
        if run.steps[edge.source].type == StepType.EXEC
    ]
    read = [
        one for one in read if len(output(run, one).low) > 40 and not failed(run, one)
    ]
    if not read:
        return None
    own = _telling_parts(said.text)
    for one in read[:12]:
        if not own.isdisjoint(_telling_parts(output(run, one).text[:60_000])):
            return None
    shown = output(run, read[0])
    return match(
        "The answer takes up nothing of the results it read.",
        said.beginning(),
        shown.beginning(),
    )


_PART = re.compile(r"[^\W_]+")


def _telling_parts(text: str) -> set[str]:
    """Numbers and words of four letters or more, by their first five."""
    parts = _PART.findall(text.lower())
    return {part[:5] for part in parts if len(part) > 3 or part.isdigit()}


def _check(
    name: str,
    title: str,
    rule: str,
    run: Callable[[Run, Step], Match | None],
    cap: float,
    category: str,
) -> Check:
    return Check(
        f"synth.{name}", title, rule, SYNTH, "faithfulness", cap, category, run
    )


CHECKS = (
    _check(
        "unsupported_id",
        "Identifier from nowhere",
        "In a run with tool results, an identifier in the text (code apart) stands in no "
        "earlier result or message.",
        unsupported_id,
        1.0,
        "fabrication",
    ),
    _check(
        "unsupported_address",
        "Address from nowhere",
        "In a run with tool results, a mail address or the address of a page deep in a "
        "site stands in no earlier result or message.",
        unsupported_address,
        3.0,
        "fabrication",
    ),
    _check(
        "unsupported_amount",
        "Amount from nowhere",
        "A sum of money stands in no earlier result or message and is no sum, "
        "difference, product or share of two numbers that do.",
        unsupported_amount,
        2.0,
        "fabrication",
    ),
    _check(
        "unsupported_number",
        "Number from nowhere",
        "With a single agent and tool results, a percentage, a decimal or a number of "
        "three digits stands in no earlier result or message and is no sum, difference, "
        "product, share or rounding of what does.",
        unsupported_number,
        2.0,
        "fabrication",
    ),
    _check(
        "from_memory",
        "Facts from memory",
        "At least five names or numbers, and at least half of those in the text, stand "
        "in no earlier result or message, although the run has tools or other agents.",
        from_memory,
        2.0,
        "fabrication",
    ),
    _check(
        "ignores_results",
        "Results ignored",
        "The text shares no number and no word of four letters with any of the results "
        "it read.",
        ignores_results,
        2.0,
        "selective-omission",
    ),
)
