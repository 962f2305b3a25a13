"""What was known at each point of a run, and from where.

Known is what the user, the system prompt, a tool result or another outside text
had said by then. What only the agent itself has said is not known. One pass
over the texts of a run; later questions are look-ups.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from judging.domain.checks.failures import signs
from judging.domain.checks.text import arguments, lower, output, shared
from judging.domain.findings import Evidence, Run
from judging.domain.text import form_of
from traces.domain.records import BOUNDARY, Step, StepType

MAX_TOOL_TEXT = 4_000
MIN_ID, MAX_ID = 5, 64
BUCKET = 64
SEARCHES = 2_000
"""Near values looked for in one run at most: the rest stay without a neighbour."""

_WORD = re.compile(r"[^\W_]+(?:[_\-.@:/+#&][^\W_]+)*")
_PIECE = re.compile(r"[^\W_]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_ZEROS = re.compile(r"(\d+)\.(\d*?)0+\Z")
_NUMBERED = re.compile(r"([a-z][a-z_.-]{0,20})(\d{1,12})")
_RANGE = re.compile(
    r"\b([a-z][a-z_.-]{0,20})(\d{1,12})\ ?(?:to|through|until|up to|-|–|—|\.\.)\ ?"
    r"([a-z_.-]{0,21})(\d{1,12})\b"
)
_HAS_DIGIT = re.compile(r"\d")
_SPEAKS = frozenset({StepType.PLAN, StepType.SYNTH})


@dataclass
class Knowledge:
    """Words by the first step after which they were known.

    Attributes:
        first: Index of that step by word, -1 for request, policy and tools.
        outside: Index of the first step that brought any outside text.
        ranges: Beginning, first and last number of ranges in the request.
    """

    first: dict[str, int] = field(default_factory=dict)
    outside: int | None = None
    ranges: list[tuple[str, int, int]] = field(default_factory=list)
    _near: dict[str, list[str]] | None = None
    _searches: int = 0

    def learn(self, words: Iterable[str], index: int) -> None:
        """Take in words, with the parts that they are put together from."""
        first = self.first
        for word in words:
            if word not in first:
                first[word] = index
                for piece in _pieces(word):
                    first.setdefault(piece, index)

    def word(self, word: str, index: int) -> bool:
        """Whether a word was known to the step of this index."""
        return self.first.get(word, index + 1) <= index

    def value(self, text: str, index: int) -> bool:
        """Whether every word of a value, or all parts of it, were known."""
        return all(
            self.word(w, index) or self._in_parts(w, index) or self._in_range(w)
            for w in words_of(text)
        )

    def _in_range(self, word: str) -> bool:
        hit = _NUMBERED.fullmatch(word) if self.ranges else None
        return hit is not None and any(
            hit[1] == begins and low <= int(hit[2]) <= high
            for begins, low, high in self.ranges
        )

    def _in_parts(self, word: str, index: int) -> bool:
        if "@" in word:
            return False
        pieces = _PIECE.findall(word)
        return len(pieces) > 1 and all(self.word(p, index) for p in pieces)

    def near(self, word: str, index: int) -> str:
        """A known identifier that is one slip away, "" if there is none."""
        if not MIN_ID <= len(word) <= MAX_ID or self._searches >= SEARCHES:
            return ""
        self._searches += 1
        if self._near is None:
            self._near = _neighbourhoods(self.first)
        sizes = {(len(word) + more) // 2 - 1 for more in (-1, 0, 1)}
        for size in sorted(sizes, reverse=True):
            for key in _halves(word, size):
                for other in self._near.get(key, ()):
                    if self.first[other] <= index and one_slip(word, other):
                        return other
        return ""


def knowledge(run: Run) -> Knowledge:
    """What was known when in a run, made once."""
    return shared(run, learn_all)


def learn_all(run: Run) -> Knowledge:
    """Read every outside text of a run, in order."""
    found = Knowledge()
    for text in (run.request, run.policy, *_tool_texts(run)):
        found.learn(set(words_of(text)), -1)
    found.ranges = _ranges(run.request)
    if run.request.strip():
        found.outside = -1
    lines: set[str] = set()
    planned = {s.span_id for s in run.graph.steps if s.type == StepType.PLAN}
    for step in run.graph.steps:
        words = _words_from(run, step, lines, planned)
        if words and found.outside is None and step.type != StepType.EXEC:
            found.outside = step.index
        found.learn(words, step.index)
    return found


def _ranges(request: str) -> list[tuple[str, int, int]]:
    """Ranges such as ``DOC-21 to DOC-40``, at most 50."""
    found = []
    for hit in _RANGE.finditer(request[:20_000].lower()):
        begins, low, again, high = hit.groups()
        if again in {"", begins}:
            found.append((begins, int(low), int(high)))
    return found[:50]


def _tool_texts(run: Run) -> Iterator[str]:
    for tool in run.tools.values():
        yield tool.description[:MAX_TOOL_TEXT]
        yield form_of(tool.parameters, MAX_TOOL_TEXT).text


def _words_from(run: Run, step: Step, lines: set[str], planned: set[str]) -> set[str]:
    """Words that became known with a step."""
    if step.type == BOUNDARY:
        return set(_words(output(run, step).low))
    if step.type == StepType.EXEC:
        words = set(_words(output(run, step).low))
        # An error message repeats the value that it complains of.
        if signs(run, step):
            words -= set(_words(arguments(run, step).low))
        return words
    alone = step.type == StepType.TOOLSEL and step.span_id not in planned
    if alone or step.type in _SPEAKS:
        return set(_words(_news(run, step, lines)))
    return set()


def _news(run: Run, step: Step, lines: set[str]) -> str:
    """What is new in a model's input; a conversation repeated is read once."""
    value = run.content(step.key).input
    if value is None:
        return ""
    low = lower(form_of(value))
    if len(low) < 200:
        return low
    new = [line for line in low.split("\n") if line not in lines]
    lines.update(new)
    return "\n".join(new)


def words_of(text: str) -> list[str]:
    """Words in lower case; identifiers stay whole, numbers in one spelling."""
    return _words(text.lower())


def _words(low: str) -> list[str]:
    if "," in low:
        low = _THOUSANDS.sub("", low)
    return [
        _ZEROS.sub(_plain_number, word) if "." in word and word[-1] == "0" else word
        for word in _WORD.findall(low)
    ]


def _plain_number(hit: re.Match[str]) -> str:
    return f"{hit[1]}.{hit[2]}" if hit[2] else hit[1]


def _pieces(word: str) -> Iterator[str]:
    """Parts of a word that is put together, numbers without leading zeros."""
    if word.isalpha():
        return
    pieces = _PIECE.findall(word)
    if len(pieces) > 1:
        yield from pieces
    for piece in pieces:
        if piece[0] == "0" and piece.isdigit():
            yield piece.lstrip("0") or "0"
        elif piece[0].isdigit() and piece[-2:] in _ORDINALS:
            yield piece[:-2]


_ORDINALS = frozenset({"st", "nd", "rd", "th"})


def _neighbourhoods(words: Iterable[str]) -> dict[str, list[str]]:
    """Identifiers by their beginnings and ends."""
    found: dict[str, list[str]] = {}
    for word in words:
        if MIN_ID <= len(word) <= MAX_ID and _HAS_DIGIT.search(word):
            for key in _halves(word, len(word) // 2 - 1):
                bucket = found.setdefault(key, [])
                if len(bucket) < BUCKET:
                    bucket.append(word)
    return found


def _halves(word: str, size: int) -> tuple[str, str]:
    """Whichever half a slip is in, the other one stays as it is."""
    return f"^{word[:size]}", f"${word[len(word) - size :]}"


def one_slip(a: str, b: str) -> bool:
    """Whether two words differ by one character or by two that changed places."""
    if a == b or abs(len(a) - len(b)) > 1:
        return False
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    rest_a, rest_b = a[start:], b[start:]
    if len(a) == len(b):
        swapped = rest_a[:2] == rest_b[1::-1] and rest_a[2:] == rest_b[2:]
        return rest_a[1:] == rest_b[1:] or (len(rest_a) > 1 and swapped)
    return rest_a[1:] == rest_b if len(a) > len(b) else rest_a == rest_b[1:]


def where_known(run: Run, word: str) -> Evidence | None:
    """The place where a known word first stood, if a step's output has it."""
    index = knowledge(run).first.get(word, -1)
    steps = run.graph.steps[max(index, 0) : max(index, 0) + 3]
    for step in steps:
        said = output(run, step)
        at = said.low.find(word)
        if at >= 0 and step.type in {BOUNDARY, StepType.EXEC}:
            return said.quote(at, at + len(word))
    return None
