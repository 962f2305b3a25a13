"""Results and answers that are cut, damaged or of the wrong kind."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from judging.domain.checks.failures import failed
from judging.domain.checks.text import arguments, cue, match, output, shared
from judging.domain.checks.tool_errors import EXEC
from judging.domain.findings import Check, Evidence, Match, Run
from traces.domain.records import Step, StepType

_CUT = cue(
    "cut",
    "truncat",
    "omitted",
    "…",
    "...",
    "too long",
    "characters",
    "elided",
    "remaining",
    "more lines",
    "more rows",
    "clipped",
    pattern=r"""
    [\[(<…*.]{1,4}\ ?(?:output\ |content\ |result\ |response\ |text\ |log\ )?
       (?:was\ |is\ )?(?:truncated|clipped|elided|cut\ off)\b
    | \b(?:output|content|result|response|text|file)\ (?:has\ been\ |was\ |is\ |were\ )?
       (?:truncated|clipped|cut\ off|too\ long)\b
    | \btruncated\ (?:to|after|at|output|for|because|due)\b | \btruncated\W{0,3}\Z
    | \b\d+\ (?:more\ |remaining\ |further\ )?(?:characters|chars|bytes|lines|rows|tokens)
       \ (?:were\ |are\ |have\ been\ )?(?:omitted|elided|truncated|not\ shown|left\ out)\b
    | …\ ?\[?cut\b | \[(?:\.\.\.\ ?)?cut\b
    | \.\.\.\ ?\[?(?:\d+\ more|more\ (?:lines|rows|characters))
    """,
)
CUT_ZONE = 600


def cut_result(run: Run, step: Step) -> Match | None:
    """A result that says of itself that it was cut."""
    said = output(run, step)
    size = len(said.low)
    hit = _CUT.find(said, 0, min(CUT_ZONE, size)) or _CUT.find(
        said, max(0, size - CUT_ZONE), size
    )
    if hit is None:
        return None
    evidence = said.line(hit.start())
    return match("The result was cut: a part of it never arrived.", evidence)


def broken_json(run: Run, step: Step) -> Match | None:
    """A text that begins as JSON and can't be read as JSON."""
    said = output(run, step)
    if not said.form.plain or not said.form.whole or said.low.lstrip()[:1] not in "{[":
        return None
    if not _JSON_START.match(said.low) or failed(run, step):
        return None
    fault = _json_fault(said.text.strip())
    if fault is None:
        return None
    evidence = said.ending()
    return match(f"The result begins as JSON and breaks off: {fault}.", evidence)


_JSON_START = re.compile(r'\s*(?:\[\s*)?\{\s*"[^"\n]{1,100}"\s*:')


def _json_fault(text: str) -> str | None:
    try:
        json.JSONDecoder().raw_decode(text)
    except ValueError as error:
        return str(error)[:80]
    except RecursionError:
        return None
    return None


_MARKUP = re.compile(r"\s{0,20}(?:<!doctype html|<html[\s>]|<head[\s>]|<body[\s>])")
_WEB = re.compile(
    r"html|web|page|url|http|browse|scrap|fetch|crawl|curl|file|cat|open|view|python|bash|shell|read|site|goto|click|exec|command"
)


def markup(run: Run, step: Step) -> Match | None:
    """A web page where data was expected."""
    said = output(run, step)
    texts = said.form.leaves[:4]
    for leaf in texts:
        if isinstance(leaf.value, str) and _MARKUP.match(said.low, leaf.start):
            if _WEB.search(step.tool.lower()) or _WEB.search(arguments(run, step).low):
                return None
            end = min(leaf.end, leaf.start + 160)
            what = f"{step.tool or 'The tool'} answered with a web page, not with data."
            return match(what, said.quote(leaf.start, end))
    return None


LENGTH = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "max_token"}
)


def stopped_by_length(run: Run, step: Step) -> Match | None:
    """The model stopped because it reached its limit."""
    reason = run.content(step.key).finish_reason.lower()
    if not any(each.strip("[]'\" ") in LENGTH for each in reason.split(",")):
        return None
    said = output(run, step)
    evidence = said.ending() if said else Evidence(step.key, "output", "")
    return match(f"The model stopped at its length limit ({reason[:40]}).", evidence)


_FENCE = re.compile(r"^[ \t]{0,8}`{3,}[^`\n]*$", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?:;…)\]}>\"'”’*_`|~=\-–—]\Z")
MIN_ANSWER = 400


def open_fence(run: Run, step: Step) -> Match | None:
    """A code block that is opened and never closed."""
    said = output(run, step)
    if not said.form.plain or not said.form.whole or "```" not in said.low:
        return None
    fences = [hit.start() for hit in _FENCE.finditer(said.low)]
    if len(fences) % 2 == 0:
        return None
    return match("A code block is never closed.", said.line(fences[-1]))


def breaks_off(run: Run, step: Step) -> Match | None:
    """A long answer that ends in the middle of a sentence."""
    said = output(run, step)
    last = said.low.rstrip()
    if not said.form.plain or not said.form.whole or len(last) < MIN_ANSWER:
        return None
    line = last.rpartition("\n")[2]
    if len(line) < 80 or not line[-1].isalpha() or _SENTENCE_END.search(line):
        return None
    if line.count(" ") < 8 or line.lstrip()[:1] in "-*•#|" or not _BROKEN.search(line):
        return None
    return match("The answer ends in the middle of a sentence.", said.ending(120))


_BROKEN = re.compile(
    r"\b(?:the|a|an|of|to|and|or|for|with|in|on|is|are|was|that|which|by|from|as|at|if)\Z"
)


def on_cut_ground(run: Run, step: Step) -> Match | None:
    """A total or a count that rests on a result known to be cut."""
    cut = [
        run.steps[edge.source]
        for edge in run.parents.get(step.key, ())
        if edge.source in shared(run, _cut_results)
    ]
    said = output(run, step)
    hit = _TOTAL.find(said) if cut else None
    if hit is None or _CUT.find(said) is not None or "partial" in said.low:
        return None
    source = output(run, cut[0])
    what = "A total is drawn from a result that was cut, and the answer doesn't say so."
    place = _CUT.near_ends(source)
    rest = (source.line(place.start()),) if place else ()
    return match(what, said.line(hit.start()), *rest)


_TOTAL = cue(
    "total",
    "sum",
    "overall",
    "in all",
    "altogether",
    "average",
    "count",
    "all ",
    pattern=r"""
    \b(?:in\ )?total\b[^\n]{0,60}\d | \b(?:sum|average|mean)\b[^\n]{0,60}\d
    | \boverall\b[^\n]{0,60}\d | \ball\ (?:\d+|of\ the)\b | \bcount\b[^\n]{0,40}\d
    """,
)


def _cut_results(run: Run) -> frozenset[str]:
    return frozenset(
        step.key
        for step in run.graph.steps
        if step.type == StepType.EXEC and cut_result(run, step) is not None
    )


def wrong_alphabet(run: Run, step: Step) -> Match | None:
    """Characters that show a text was decoded wrongly."""
    said = output(run, step)
    hit = _MOJIBAKE.find(said) if said else None
    if hit is None:
        return None
    marks = sum(1 for _ in _MOJIBAKE.all(said))
    if marks < MANY_MARKS:
        return None
    evidence = said.line(hit.start())
    return match(f"{marks} places were decoded with the wrong alphabet.", evidence)


MANY_MARKS = 3
_MOJIBAKE = cue(
    "\ufffd",
    "ã",
    "â€",
    pattern=r"\ufffd|ã[¤©¨¼±³¡¶\xad]|â€[\u0099\u009c\u009d™œ“”¦]",
)


def _model(
    kind: StepType,
    name: str,
    title: str,
    rule: str,
    run: Callable[[Run, Step], Match | None],
) -> Check:
    return Check(
        f"{kind.lower()}.{name}",
        title,
        rule,
        frozenset({kind}),
        "completeness",
        2.0,
        "truncation",
        run,
    )


_LENGTH_RULE = "The model's finish reason says that it reached its length limit."
_FENCE_RULE = "A fenced code block is opened and never closed."

CHECKS = (
    Check(
        "exec.cut",
        "Cut result",
        "The beginning or the end of the result says that it was truncated.",
        EXEC,
        "result_validity",
        3.0,
        "truncation",
        cut_result,
    ),
    Check(
        "exec.broken_json",
        "Broken JSON",
        "The result begins as a JSON object and can't be read as JSON.",
        EXEC,
        "result_validity",
        2.0,
        "malformed-response",
        broken_json,
    ),
    Check(
        "exec.markup",
        "Web page in place of data",
        "The result is an HTML page, and neither the tool's name nor the call speaks of "
        "pages, files or commands.",
        EXEC,
        "result_validity",
        2.0,
        "malformed-response",
        markup,
    ),
    Check(
        "exec.wrong_alphabet",
        "Wrongly decoded text",
        "At least three places show replacement characters or typical traces of text "
        "decoded with the wrong alphabet.",
        EXEC,
        "result_validity",
        4.0,
        "malformed-response",
        wrong_alphabet,
    ),
    _model(
        StepType.PLAN, "length_limit", "Length limit", _LENGTH_RULE, stopped_by_length
    ),
    _model(
        StepType.PARAMGEN,
        "length_limit",
        "Length limit",
        _LENGTH_RULE,
        stopped_by_length,
    ),
    _model(
        StepType.SYNTH, "length_limit", "Length limit", _LENGTH_RULE, stopped_by_length
    ),
    _model(StepType.PLAN, "open_fence", "Unclosed code block", _FENCE_RULE, open_fence),
    _model(
        StepType.SYNTH, "open_fence", "Unclosed code block", _FENCE_RULE, open_fence
    ),
    _model(
        StepType.SYNTH,
        "breaks_off",
        "Breaks off",
        "An answer of at least 400 characters ends in an article, a preposition or the "
        "like, without a full stop.",
        breaks_off,
    ),
    _model(
        StepType.SYNTH,
        "on_cut_ground",
        "Total of a cut result",
        "States a total, sum, average or count, and reads a result that was cut, without "
        "saying that it is partial.",
        on_cut_ground,
    ),
)
