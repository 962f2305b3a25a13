"""Answers against the request: parts left out, form, language, stand-ins."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from judging.domain.checks.flow import flow, is_final, is_reply
from judging.domain.checks.text import Said, absent, cue, match, output, shared, short
from judging.domain.findings import Check, Match, Run
from traces.domain.records import BOUNDARY, Step, StepType

SYNTH = frozenset({StepType.SYNTH})
_ID = re.compile(r"(?<![\w./-])#?(?=[a-z_-]*\d)[a-z][\w-]{2,30}\d[\w-]{0,10}")
_WORD = re.compile(r"[a-zà-öø-ÿ]{4,}")
_QUESTION = re.compile(r"[^.!?\n]{12,300}\?")
_COMMON = frozenset(
    [
        "about",
        "also",
        "another",
        "anything",
        "available",
        "because",
        "been",
        "before",
        "being",
        "between",
        "both",
        "can",
        "could",
        "does",
        "doing",
        "don",
        "done",
        "each",
        "else",
        "ever",
        "every",
        "find",
        "from",
        "give",
        "going",
        "good",
        "have",
        "help",
        "here",
        "into",
        "just",
        "know",
        "like",
        "look",
        "made",
        "make",
        "many",
        "mine",
        "more",
        "most",
        "much",
        "need",
        "number",
        "only",
        "order",
        "other",
        "over",
        "please",
        "possible",
        "right",
        "same",
        "should",
        "since",
        "some",
        "something",
        "soon",
        "still",
        "such",
        "sure",
        "take",
        "tell",
        "than",
        "thank",
        "thanks",
        "that",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "thing",
        "this",
        "those",
        "time",
        "today",
        "want",
        "wanted",
        "maybe",
        "might",
        "wonder",
        "wondering",
        "were",
        "what",
        "when",
        "where",
        "whether",
        "which",
        "while",
        "will",
        "with",
        "without",
        "would",
        "your",
        "yours",
        "information",
        "detail",
        "details",
        "show",
        "list",
        "check",
        "provide",
        "question",
        "answer",
    ]
)


def leaves_out(run: Run, step: Step) -> Match | None:
    """The last answer leaves out what the request names beside others."""
    if not is_final(run, step):
        return None
    asked = list(dict.fromkeys(_ID.findall(run.request.lower()[:5_000])))
    if not 2 <= len(asked) <= 40:
        return None
    told = output(run, step).low + shared(run, _asked_for)
    lacking = [word for word in asked if word.strip("#") not in told]
    if not lacking or len(lacking) == len(asked):
        return None
    what = f"The request names {short(lacking[0])}; neither a call nor the answer does"
    return match(f"{what}.", absent(step, "output", lacking[0]))


def _asked_for(run: Run) -> str:
    kinds = {StepType.PARAMGEN, StepType.SYNTH}
    texts = (output(run, s).low[:2_000] for s in run.graph.steps if s.type in kinds)
    return "\n".join(texts)[:2_000_000]


def unanswered(run: Run, step: Step) -> Match | None:
    """Of several questions, one has no word in common with anything said since."""
    if not is_reply(run, step) or len(flow(run).agents) > 1:
        return None
    user = shared(run, _asked_before).get(step.key)
    questions = list(_questions(output(run, user))) if user is not None else []
    first = user is not None and output(run, user).text.strip() == run.request.strip()
    if user is None or not first or not 2 <= len(questions) <= 6:
        return None
    own = {word[:5] for word in _WORD.findall(output(run, step).low)}
    open_ones = [q for q in questions if not own & {word[:5] for word in q[2]}]
    if not open_ones or len(open_ones) == len(questions):
        return None
    asked = output(run, user)
    start, end, _ = open_ones[0]
    what = f"“{short(asked.text[start:end], 100)}” gets no answer"
    return match(f"{what}.", output(run, step).beginning(), asked.quote(start, end))


def _questions(said: Said) -> Iterator[tuple[int, int, frozenset[str]]]:
    """Questions with their telling words."""
    for hit in _QUESTION.finditer(said.low[:6_000]):
        words = frozenset(w for w in _WORD.findall(hit[0]) if w not in _COMMON)
        if len(words) >= 2:
            yield hit.start(), hit.end(), words


def _asked_before(run: Run) -> dict[str, Step]:
    """The user's latest message before each answer."""
    found: dict[str, Step] = {}
    latest: Step | None = None
    for step in run.graph.steps:
        if step.type == BOUNDARY and step.part.startswith(("user", "query")):
            latest = step
        elif step.type == StepType.SYNTH and latest is not None:
            found[step.key] = latest
    return found


_JSON_ONLY = re.compile(
    r"\b(?:only|exclusively|just)\ (?:with\ )?(?:a\ |an\ |one\ |valid\ |raw\ |the\ )*json\b"
    r"|\b(?:respond|reply|answer|output|return)\ (?:\w+\ ){0,3}(?:in|with|as)\ (?:a\ |an\ |valid\ |raw\ )*json\b"
    r"|\banswer\ should\ be\ (?:a\ |an\ )?json\b|\bjson\ only\b"
)


def not_json(run: Run, step: Step) -> Match | None:
    """JSON was asked for, and the answer holds none."""
    if not is_final(run, step) or not shared(run, _wants_json):
        return None
    said = output(run, step)
    if not said or not said.form.plain or _has_json(said.text):
        return None
    return match("The answer was to be JSON and holds none.", said.beginning())


def _wants_json(run: Run) -> bool:
    texts = (run.request[:20_000], run.policy[:20_000])
    return any(_JSON_ONLY.search(text.lower()) for text in texts)


def _has_json(text: str) -> bool:
    decoder = json.JSONDecoder()
    for hit in list(re.finditer(r"[\[{]", text[:50_000]))[:20]:
        try:
            decoder.raw_decode(text, hit.start())
        except (ValueError, RecursionError):
            continue
        return True
    return False


_STAND_IN = cue(
    "[your",
    "[insert",
    "[name",
    "[date",
    "<insert",
    "{{",
    "lorem",
    "[customer",
    "[order",
    "[link",
    "[amount",
    "[company",
    "xx/xx",
    "[city",
    pattern=r"""
    \[(?:your|insert|name|date|customer|order|link|amount|company|city)\b[^\]\n()]{0,40}\](?!\()
    | <insert[^>\n]{0,40}> | \{\{\s{0,3}[a-z_][\w.\ ]{0,40}\}\} | \blorem\ ipsum\b | \bxx/xx/
    """,
)


def stand_in(run: Run, step: Step) -> Match | None:
    """A part of a template was not filled in."""
    if not is_reply(run, step):
        return None
    said = output(run, step)
    hit = _STAND_IN.find(said)
    if hit is None or "```" in said.low[: hit.start()]:
        return None
    words = short(said.text[hit.start() : hit.end()])
    if words.lower() in run.request.lower() or "template" in said.low:
        return None
    return match(f"{words} was never filled in.", said.line(hit.start()))


_SCRIPTS = (
    ("Cyrillic", re.compile(r"[\u0400-\u04ff]")),
    ("Greek", re.compile(r"[\u0370-\u03ff]")),
    ("Han", re.compile(r"[\u4e00-\u9fff]")),
    ("Kana", re.compile(r"[\u3040-\u30ff]")),
    ("Hangul", re.compile(r"[\uac00-\ud7af]")),
    ("Arabic", re.compile(r"[\u0600-\u06ff]")),
    ("Hebrew", re.compile(r"[\u0590-\u05ff]")),
    ("Devanagari", re.compile(r"[\u0900-\u097f]")),
)


def other_script(run: Run, step: Step) -> Match | None:
    """An answer in a script that neither request nor policy uses."""
    said = output(run, step)
    if said.low.isascii() or not is_reply(run, step):
        return None
    text = said.text[:4_000]
    letters = sum(char.isalpha() for char in text)
    for name, pattern in _SCRIPTS:
        count = len(pattern.findall(text))
        if count < 20 or count * 3 < letters:
            continue
        if pattern.search(run.request) or pattern.search(run.policy):
            continue
        at = pattern.search(said.text)
        place = at.start() if at else 0
        return match(
            f"The answer is in {name} script; the request isn't.", said.line(place)
        )
    return None


def repeats_request(run: Run, step: Step) -> Match | None:
    """An answer that is the request again."""
    said = output(run, step)
    own = " ".join(said.low.split())
    if len(own) < 40 or own != " ".join(run.request.lower().split()):
        return None
    return match("The answer is the request, word for word.", said.beginning())


CHECKS = (
    Check(
        "synth.leaves_out",
        "Leaves a part out",
        "The request names several identifiers; the last answer, the answers before it "
        "and all calls leave one out.",
        SYNTH,
        "completeness",
        2.0,
        "partial-completion",
        leaves_out,
    ),
    Check(
        "synth.unanswered",
        "Question left open",
        "Of two to six questions in the request, one has no telling word in "
        "common with the reply, and another has.",
        SYNTH,
        "completeness",
        2.0,
        "partial-completion",
        unanswered,
    ),
    Check(
        "synth.not_json",
        "Not the form asked for",
        "Request or system prompt ask for JSON, and the last answer holds none.",
        SYNTH,
        "coherence",
        2.0,
        "scope-error",
        not_json,
    ),
    Check(
        "synth.stand_in",
        "Template not filled in",
        "A reply to the user holds a stand-in such as [your name] or {{amount}}.",
        SYNTH,
        "faithfulness",
        2.0,
        "selective-omission",
        stand_in,
    ),
    Check(
        "synth.other_script",
        "Another script",
        "At least a third of a reply is in a script that neither the request nor the "
        "system prompt uses.",
        SYNTH,
        "coherence",
        3.0,
        "scope-error",
        other_script,
    ),
    Check(
        "synth.repeats_request",
        "Repeats the request",
        "The text is the request, word for word.",
        SYNTH,
        "completeness",
        2.0,
        "partial-completion",
        repeats_request,
    ),
)
