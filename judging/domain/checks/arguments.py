"""Checks on tool choice and arguments: schema, grounding, near misses, placeholders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from judging.domain.checks.evidence import LOOKED_AT, result_of, scalars
from judging.domain.findings import Check, Evidence, Match, Run
from judging.domain.text import text_of
from traces.domain.records import Json, Step, StepType
from traces.domain.view import ToolDefinition

Rule = Callable[[Run, Step], Match | None]
ARGS = frozenset({StepType.PARAMGEN.value})
SELECT = frozenset({StepType.TOOLSEL.value})
MAX_IDENTIFIERS = 200_000

_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@/#:+-]*[A-Za-z0-9]|[A-Za-z0-9]")
_PLACEHOLDER = re.compile(
    r"^(?:<[a-z_ -]{2,30}>|\{\{?[a-z_ ]{2,30}\}?\}|your[_ -][a-z_ -]{2,30}|todo|tbd|xxx+"
    r"|placeholder|insert .{1,30} here)$",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"([a-z][a-z_.-]{0,20})(\d{1,12})")
_AMOUNT = re.compile(r"[-+]?[\d,]*\.\d+[a-z%]{0,3}|[-+]?\d{1,3}(?:,\d{3})+")
_WORKED_OUT = re.compile(
    r"\d{4}-\d\d(?:-\d\d)?(?:$|[t ])|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}$|\d+(?:st|nd|rd|th)$"
    r"|\d{1,2}:\d\d|\d+(?:h|hrs?|min|am|pm|px|kg|km|ms|gb|mb|x|usd|eur)$"
)
_LACKS = re.compile(
    r"missing (?:\d+ )?required|required (?:argument|parameter|field|property)"
    r"|is a required property|field required|missing (?:argument|parameter|field)",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"invalid (?:argument|parameter|value|type|format|input|date|id)|validation error"
    r"|is not of type|unexpected keyword argument|expected .{1,40} but got|must be (?:a|an|one)"
    r"|could not convert|not a valid",
    re.IGNORECASE,
)
TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list, tuple),
    "object": (dict,),
}


def _evidence(step: Step, run: Run, words: str) -> Evidence:
    call = run.content(step.key).call
    text = text_of(call.arguments if call else None)[:LOOKED_AT]
    start = text.find(words) if words else -1
    return Evidence(step.key, "arguments", words[:300], start)


def _arguments(run: Run, step: Step) -> Json:
    call = run.content(step.key).call
    return call.arguments if call else None


def _definition(run: Run, step: Step) -> ToolDefinition | None:
    return run.tools.get(step.tool)


def _schema(run: Run, step: Step) -> Mapping[str, Any]:
    tool = _definition(run, step)
    schema = tool.parameters if tool else None
    return schema if isinstance(schema, dict) else {}


def malformed(run: Run, step: Step) -> Match | None:
    """The arguments are not valid JSON."""
    call = run.content(step.key).call
    if call is None or not call.malformed:
        return None
    words = text_of(call.arguments)[:200]
    return Match(
        f"The arguments can't be read: {call.malformed}.",
        (_evidence(step, run, words),),
    )


def missing_required(run: Run, step: Step) -> Match | None:
    """The tool's schema requires an argument that is absent or empty."""
    given, schema = _arguments(run, step), _schema(run, step)
    required = schema.get("required")
    if not isinstance(required, list) or not isinstance(given, (dict, type(None))):
        return None
    given = given or {}
    lacking = [str(n) for n in required if given.get(str(n)) in (None, "")]
    if not lacking:
        return None
    evidence = Evidence(step.key, "arguments", ", ".join(lacking)[:300], -1)
    return Match(f"Required but not given: {', '.join(lacking)[:200]}.", (evidence,))


def wrong_type(run: Run, step: Step) -> Match | None:
    """An argument has another type than the tool's schema says."""
    given = _arguments(run, step)
    for name, rule in _properties(run, step):
        value = given.get(name) if isinstance(given, dict) else None
        if value is None or _fits(value, rule):
            continue
        shown = text_of(value)[:80]
        message = f"{name} should be of type {rule['type']}, and is {shown!r}."
        return Match(message, (_evidence(step, run, shown),))
    return None


def _properties(run: Run, step: Step) -> Iterator[tuple[str, Mapping[str, Any]]]:
    found = _schema(run, step).get("properties")
    for name, rule in found.items() if isinstance(found, dict) else ():
        if isinstance(rule, dict) and isinstance(rule.get("type"), str):
            yield name, rule


def _fits(value: Json, rule: Mapping[str, Any]) -> bool:
    kinds = TYPES.get(rule["type"].lower())
    if kinds is None:
        return True
    if isinstance(value, bool):
        return bool in kinds
    whole_float = isinstance(value, float) and value.is_integer()
    return isinstance(value, kinds) or (int in kinds and whole_float)


def not_in_enum(run: Run, step: Step) -> Match | None:
    """An argument is none of the values that the tool's schema lists."""
    given = _arguments(run, step)
    for name, rule in _properties(run, step):
        allowed = rule.get("enum")
        value = given.get(name) if isinstance(given, dict) else None
        if isinstance(allowed, list) and value is not None and value not in allowed:
            shown = text_of(value)[:80]
            listed = ", ".join(map(str, allowed))[:120]
            message = f"{name} is {shown!r}; the tool takes {listed}."
            return Match(message, (_evidence(step, run, shown),))
    return None


def unknown_argument(run: Run, step: Step) -> Match | None:
    """The tool's schema has no such argument."""
    given, schema = _arguments(run, step), _schema(run, step)
    known = schema.get("properties")
    if not isinstance(known, dict) or not known or not isinstance(given, dict):
        return None
    if schema.get("additionalProperties") not in (None, False):
        return None
    extra = [name for name in given if name not in known]
    if not extra:
        return None
    message = f"The tool takes no {', '.join(extra)[:120]}."
    return Match(message, (_evidence(step, run, extra[0]),))


def placeholder(run: Run, step: Step) -> Match | None:
    """An argument is a placeholder that was never filled in."""
    for path, value in scalars(_arguments(run, step)):
        if isinstance(value, str) and _PLACEHOLDER.match(value.strip()):
            message = f"{path or 'The argument'} is a placeholder: {value.strip()[:60]}"
            return Match(message, (_evidence(step, run, value.strip()),))
    return None


def lacks_argument(run: Run, step: Step) -> Match | None:
    """The tool's answer to these arguments says that one is missing."""
    return _answered(run, step, _LACKS, "The tool lacks an argument: {}")


def refused_argument(run: Run, step: Step) -> Match | None:
    """The tool's answer to these arguments says that one is not valid."""
    return _answered(run, step, _REFUSES, "The tool refuses an argument: {}")


def _answered(
    run: Run, step: Step, pattern: re.Pattern[str], message: str
) -> Match | None:
    result = result_of(run, step)
    if result is None:
        return None
    content = run.content(result.key)
    for where, value in (("error", content.error), ("output", content.output)):
        text = text_of(value)[:400]
        hit = pattern.search(text) if result.error or "rror" in text else None
        if hit is not None:
            shown = text[hit.start() : hit.start() + 120]
            evidence = Evidence(result.key, where, shown, hit.start())
            return Match(message.format(shown), (evidence,))
    return None


def unknown_tool(run: Run, step: Step) -> Match | None:
    """The tool is none of those that were offered in the same call."""
    offered = {tool.name for tool in run.content(step.key).tools}
    if not offered or not step.tool or step.tool in offered:
        return None
    evidence = Evidence(step.key, "output", step.tool[:300], 0)
    listed = ", ".join(sorted(offered))[:160]
    return Match(
        f"There is no tool {step.tool[:60]!r}; offered were {listed}.", (evidence,)
    )


class Upstream:
    """Identifiers that stood anywhere before each step, read once a run."""

    def __init__(self, run: Run) -> None:
        self.first: dict[str, int] = {}
        self.where: dict[str, str] = {}
        self.given = run.policy != "" or run.request != ""
        for step in run.graph.steps:
            if step.type not in {StepType.PARAMGEN, StepType.TOOLSEL}:
                self._learn(run, step)
        for words in (run.request, run.policy):
            for word in identifiers(words[:LOOKED_AT]):
                self.first[word] = -1
        self.ranges = _ranges(run.request[:LOOKED_AT])

    def _learn(self, run: Run, step: Step) -> None:
        if step.type in {StepType.PLAN, StepType.SYNTH}:
            return
        text = text_of(run.content(step.key).output)[:LOOKED_AT]
        for word in identifiers(text):
            if word not in self.first and len(self.first) < MAX_IDENTIFIERS:
                self.first[word] = step.index
                self.where[word] = step.key

    def knew(self, word: str, index: int) -> bool:
        """Whether a word stood in a result or message before a step.

        Of a range in the request (``DOC-1 to DOC-9``) all members count.
        """
        if self.first.get(word, 1 << 60) < index:
            return True
        hit = _NUMBERED.fullmatch(word)
        low, high = self.ranges.get(hit.group(1) if hit else "", (1, 0))
        return hit is not None and low <= int(hit.group(2)) <= high

    def nearest(self, word: str, index: int) -> str:
        """An identifier of the same length that differs in one or two places."""
        shape = _shape(word)
        for other in self.by_shape.get(shape, ()):
            if self.first[other] < index and 0 < _distance(word, other) <= 2:
                return other
        return ""

    @property
    def by_shape(self) -> Mapping[str, list[str]]:
        """Identifiers by their pattern of letters and digits."""
        found = getattr(self, "_shapes", None)
        if found is None:
            found = {}
            for word in self.first:
                if looks_like_id(word):
                    found.setdefault(_shape(word), []).append(word)
            self._shapes = found
        return found


def _ranges(request: str) -> Mapping[str, tuple[int, int]]:
    """Lowest and highest number of each numbered identifier in the request."""
    found: dict[str, tuple[int, int]] = {}
    for word in identifiers(request):
        hit = _NUMBERED.fullmatch(word)
        if hit:
            number = int(hit.group(2))
            low, high = found.get(hit.group(1), (number, number))
            found[hit.group(1)] = (min(low, number), max(high, number))
    return found


def upstream_of(run: Run) -> Upstream:
    """The identifiers of a run, read when first asked for."""
    found = run.shared.get("upstream")
    if not isinstance(found, Upstream):
        found = run.shared["upstream"] = Upstream(run)
    return found


def identifiers(text: str) -> Iterator[str]:
    """Words of a text, lower case, identifiers whole and in their parts."""
    for hit in _IDENTIFIER.finditer(text):
        word = hit.group(0).casefold().rstrip(".:,")
        yield word
        if any(ch in word for ch in "/:#"):
            yield from (part for part in re.split(r"[/:#]", word) if part)


def looks_like_id(word: str) -> bool:
    """Letters and digits together, or at least five digits: made to be exact.

    Amounts with a decimal point, dates, times and ordinals are no identifiers:
    they are worked out from words.
    """
    digits = sum(ch.isdigit() for ch in word)
    letters = any(ch.isalpha() for ch in word)
    if not 4 <= len(word) <= 64 or _AMOUNT.fullmatch(word) or _WORKED_OUT.match(word):
        return False
    return (letters and digits >= 2) or digits >= 5


def _shape(word: str) -> str:
    return re.sub(r"[0-9]", "0", re.sub(r"[a-z]", "a", word))


def _distance(one: str, other: str) -> int:
    return (
        sum(a != b for a, b in zip(one, other, strict=True))
        if len(one) == len(other)
        else 99
    )


def made_up(run: Run, step: Step) -> Match | None:
    """An identifier in the arguments stands in no earlier result, message, request or policy."""
    known = upstream_of(run)
    if not known.given:
        return None
    for path, value in scalars(_arguments(run, step)):
        word = str(value).strip().casefold()
        if " " in word or not looks_like_id(word) or known.knew(word, step.index):
            continue
        if any(known.knew(part, step.index) for part in identifiers(word)):
            continue
        return _made_up(run, step, path, str(value), known)
    return None


def _made_up(run: Run, step: Step, path: str, value: str, known: Upstream) -> Match:
    near = known.nearest(value.strip().casefold(), step.index)
    evidence = [_evidence(step, run, value.strip())]
    message = f"{path or 'The argument'} is {value[:60]!r}, which nothing before gave."
    if near:
        message = f"{path or 'The argument'} is {value[:60]!r}; before stood {near!r}."
        source = known.where.get(near)
        if source:
            text = text_of(run.content(source).output)[:LOOKED_AT]
            start = text.casefold().find(near)
            evidence.append(
                Evidence(source, "output", text[start : start + len(near)], start)
            )
    result = result_of(run, step)
    failed = result is not None and result.error
    return Match(message, tuple(evidence), cap=1.0 if near or failed else None)


def _arguments_check(
    name: str, title: str, metric: str, cap: float, category: str, run: Rule
) -> Check:
    rule = run.__doc__ or ""
    return Check(f"paramgen.{name}", title, rule, ARGS, metric, cap, category, run)


TYPE, VALUE, WHOLE = "type_correctness", "value_correctness", "completeness"
CHECKS: tuple[Check, ...] = (
    _arguments_check(
        "malformed", "Unreadable arguments", TYPE, 1.0, "type-mismatch", malformed
    ),
    _arguments_check(
        "missing_required",
        "Required argument missing",
        WHOLE,
        1.0,
        "missing-required",
        missing_required,
    ),
    _arguments_check(
        "wrong_type", "Wrong type", TYPE, 1.5, "type-mismatch", wrong_type
    ),
    _arguments_check(
        "not_in_enum", "Value not allowed", VALUE, 1.5, "value-error", not_in_enum
    ),
    _arguments_check(
        "unknown_argument",
        "Unknown argument",
        TYPE,
        2.0,
        "type-mismatch",
        unknown_argument,
    ),
    _arguments_check(
        "placeholder", "Placeholder", VALUE, 1.0, "value-error", placeholder
    ),
    _arguments_check(
        "made_up", "Made-up identifier", VALUE, 2.0, "value-error", made_up
    ),
    _arguments_check(
        "lacks_argument",
        "Tool lacks an argument",
        WHOLE,
        1.0,
        "missing-required",
        lacks_argument,
    ),
    _arguments_check(
        "refused_argument",
        "Tool refuses an argument",
        TYPE,
        1.5,
        "type-mismatch",
        refused_argument,
    ),
    Check(
        "toolsel.unknown_tool",
        "Unknown tool",
        unknown_tool.__doc__ or "",
        SELECT,
        "selection_accuracy",
        1.0,
        "category-error",
        unknown_tool,
    ),
)
