"""Data edges: a value that one step gave stands in what another step uses.

The values looked for are collected first (arguments of calls, identifiers in
answers), then every output is read once for just those: linear in the text.
A value counts as coming from the latest tool result before its use; where no
tool gave it, from the latest outside message; else from the step that first
made it up.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from traces.domain.graph.draft import Build, Draft, excerpt, plain
from traces.domain.records import BOUNDARY, EdgeKind, Json, StepType

MAX_TEXT = 200_000
"""Characters of one output or input that are looked at."""
MAX_VALUES = 200
MAX_DATA_PARENTS = 12
MAX_VALUE_LENGTH = 120
_WORD = re.compile(r"[^\W_]+(?:[_\-.@:/+#'][^\W_]+)*", re.UNICODE)
_COMMON = frozenset({"true", "false", "none", "null", "yes", "no"})


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a step uses.

    Attributes:
        words: Its words, lower case.
        shown: The value as it stands, for the edge's evidence.
        path: Where it stands in the arguments, "" in running text.
        confidence: How surely an equal value means the same thing.
    """

    words: tuple[str, ...]
    shown: str
    path: str
    confidence: float


def link_data(build: Build) -> None:
    """Add data edges into PARAMGEN, SYNTH and unmatched EXEC steps."""
    drafts = sorted(build.drafts.values(), key=lambda d: (d.start, d.end))
    wanted = {draft.key: list(_used_values(build, draft)) for draft in drafts}
    sought = {value.words[0] for values in wanted.values() for value in values}
    if not sought:
        return
    places = _Places(sought)
    rank = canonical_rank(build)
    for draft in sorted(drafts, key=lambda d: rank[d.key]):
        _link_values(build, places, draft, wanted[draft.key])
        places.learn(draft)


def canonical_rank(build: Build) -> Mapping[str, int]:
    """Order of use: by time, boundaries first, then place in the tree and part.

    A container's own result comes after everything inside it.
    """
    order = {key: number for number, key in enumerate(build.drafts)}

    def place(draft: Draft) -> tuple[int, int, int, int]:
        position = draft.position if draft.position is not None else -1
        return (draft.start, position, draft.type != BOUNDARY, order[draft.key])

    ranked = sorted(build.drafts.values(), key=place)
    return {draft.key: number for number, draft in enumerate(ranked)}


def _link_values(
    build: Build, places: _Places, draft: Draft, values: list[Value]
) -> None:
    found: dict[str, tuple[float, str]] = {}
    for value in values:
        source = places.origin(value, draft)
        if source is None:
            continue
        where = f" as {value.path}" if value.path else ""
        why = f"{excerpt(value.shown, 60)!r} of its output is used{where}"
        best = found.get(source)
        if best is None or value.confidence > best[0]:
            found[source] = (value.confidence, why)
    strongest = sorted(found.items(), key=lambda item: -item[1][0])
    for source, (confidence, why) in strongest[:MAX_DATA_PARENTS]:
        build.add_edge(source, draft.key, EdgeKind.DATA, confidence, why)


class _Places:
    """Where the sought words stood so far."""

    def __init__(self, sought: set[str]) -> None:
        self.sought = sought
        self.texts: dict[str, str] = {}
        self.results: dict[str, list[str]] = defaultdict(list)
        self.outside: dict[str, list[str]] = defaultdict(list)
        self.made: dict[str, list[str]] = defaultdict(list)

    def learn(self, draft: Draft) -> None:
        """Note the sought words in a step's output."""
        text = output_text(draft)
        if not text:
            return
        index = {StepType.EXEC: self.results, BOUNDARY: self.outside}.get(
            draft.type, self.made
        )
        words = words_of(text)
        hits = self.sought.intersection(words)
        for word in hits:
            index[word].append(draft.key)
        if hits:
            self.texts[draft.key] = " ".join(words)

    def origin(self, value: Value, user: Draft) -> str | None:
        """The step a value came from, None if no earlier step gave it."""
        first = value.words[0]
        for index in (self.results, self.outside):
            for key in reversed(index.get(first, [])[-8:]):
                if self._holds(key, value):
                    return key
        for key in self.made.get(first, ())[:4]:
            if key != user.key and self._holds(key, value):
                return key
        return None

    def _holds(self, key: str, value: Value) -> bool:
        if len(value.words) == 1:
            return True
        return f" {' '.join(value.words)} " in f" {self.texts[key]} "


def output_text(draft: Draft) -> str:
    """What a step gave, as text without JSON punctuation."""
    output = draft.content.output
    if isinstance(output, str):
        return output[:MAX_TEXT]
    return "\n".join(leaf for _, leaf in leaves(output))[:MAX_TEXT]


def words_of(text: str) -> list[str]:
    """Words of a text, lower case; identifiers and numbers stay whole."""
    words = _WORD.findall(text[:MAX_TEXT].casefold())
    return [_number(word) if "." in word else word for word in words]


def _number(word: str) -> str:
    """``3.0`` and ``3.50`` as ``3`` and ``3.5``, so that numbers compare."""
    whole, dot, fraction = word.partition(".")
    if not dot or not (whole.isdigit() and fraction.isdigit()):
        return word
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def _used_values(build: Build, draft: Draft) -> Iterator[Value]:
    if draft.type == StepType.PARAMGEN or (
        draft.type == StepType.EXEC and draft.key not in build.callers
    ):
        call = draft.content.call
        arguments = call.arguments if call else draft.content.input
        yield from argument_values(arguments)
    elif draft.type == StepType.SYNTH:
        yield from _identifiers(plain(draft.content.output))


def argument_values(arguments: Json) -> Iterator[Value]:
    """Values in the arguments of a call that could have come from upstream."""
    for path, leaf in list(leaves(arguments))[:MAX_VALUES]:
        if len(leaf) > MAX_VALUE_LENGTH:
            continue
        words = tuple(words_of(leaf))
        confidence = _confidence(words)
        if confidence > 0:
            yield Value(words, leaf, path, confidence)


def _identifiers(text: str) -> Iterator[Value]:
    """Identifiers, amounts and the like in running text."""
    seen: set[str] = set()
    for word in words_of(text):
        if word not in seen and _confidence((word,)) >= 0.9:
            seen.add(word)
            yield Value((word,), word, "", 0.9)
        if len(seen) >= MAX_VALUES:
            return


def _confidence(words: tuple[str, ...]) -> float:
    """How telling a value is: identifiers, then several words, then one."""
    if not words or len(words) > 20:
        return 0.0
    text = "".join(words)
    if any(ch.isdigit() for ch in text) and len(text) >= 3:
        return 0.9
    if len(words) > 1 or "@" in text:
        return 0.85
    if text in _COMMON or len(text) < 2:
        return 0.0
    return 0.7 if len(text) >= 4 else 0.5


def leaves(value: Json, limit: int = 20_000) -> Iterator[tuple[str, str]]:
    """Scalar leaves of a JSON value as (path, text), in order.

    Walks without recursion; booleans and null are left out.
    """
    stack: list[tuple[str, Json]] = [("", value)]
    while stack and limit > 0:
        path, item = stack.pop()
        limit -= 1
        if isinstance(item, dict):
            stack.extend(_inner(path, reversed(list(item.items()))))
        elif isinstance(item, (list, tuple)):
            stack.extend(_inner(path, reversed(list(enumerate(item)))))
        elif item is not None and not isinstance(item, bool):
            yield path, item if isinstance(item, str) else repr(item)


def _inner(path: str, items: Iterable[tuple[object, Json]]) -> list[tuple[str, Json]]:
    return [(f"{path}.{key}" if path else str(key), item) for key, item in items]
