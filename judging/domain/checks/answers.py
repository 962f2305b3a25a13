"""Checks on answers and on what happens between steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from judging.domain.checks.arguments import identifiers, looks_like_id, upstream_of
from judging.domain.checks.evidence import (
    LOOKED_AT,
    absent,
    at,
    content_text,
    executions,
    find,
    last_answer,
)
from judging.domain.checks.tool_results import CHECKS as RESULT_CHECKS
from judging.domain.checks.tool_results import made_good
from judging.domain.findings import Check, Evidence, Match, Run
from judging.domain.text import text_of
from traces.domain.records import Step, StepType

Rule = Callable[[Run, Step], Match | None]
SYNTH = frozenset({StepType.SYNTH.value})
TOOLSEL = frozenset({StepType.TOOLSEL.value})

_REFUSAL = re.compile(
    r"\bI(?:'m| am) (?:sorry, (?:but )?I )?(?:unable|not able) to\b"
    r"|\bI (?:cannot|can't|can not) (?:help|assist|do that|provide|complete|find)\b"
    r"|\bas an AI(?: language)? model\b",
    re.IGNORECASE,
)
_GIVING_UP = re.compile(
    r"\btry again later\b|\bcontact (?:the )?(?:support|help ?desk)\b"
    r"|\bI (?:could not|couldn't|was unable to|failed to)\b"
    r"|\bwithout success\b|\bgive up\b|\bgiving up\b",
    re.IGNORECASE,
)
_PROMISE = re.compile(
    r"\b(?:I will now|I'll now|let me(?! know)|I am going to|I'm going to|one moment|please wait)\b"
    r"[^.!?\n]{0,120}(?:[.!…:]|$)\s*$",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:I(?:'ve| have)(?: now| successfully)?|has been|have been|was|were|is now)"
    r"(?: successfully| now)? (?:cancell?ed|refunded|booked|updated|changed|created|deleted"
    r"|sent|filed|paid|moved|returned|processed|registered|submitted|exchanged)\b",
    re.IGNORECASE,
)
_MUTATION = re.compile(
    r"(?:^|[_\s.])(?:cancel|refund|book|update|change|create|delete|remove|send|file|pay|move"
    r"|return|process|register|submit|exchange|modify|transfer|set|add|write|post|put)",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[\w@.,#/:+-]*\d[\w@.,#/:+-]*")
_FENCE = re.compile(r"^\s*```", re.MULTILINE)
ERRORS = tuple(c for c in RESULT_CHECKS if c.metric == "success")


def is_last(run: Run, step: Step) -> bool:
    """Whether a step is the run's last answer."""
    last = last_answer(run)
    return last is not None and last.key == step.key


def failed_results(run: Run) -> list[Step]:
    """EXEC steps on which an error check fires, found once a run."""
    found = run.shared.get("failed_results")
    if not isinstance(found, list):
        good = made_good(run)
        found = [
            s
            for s in executions(run)
            if s.key not in good and any(c.run(run, s) for c in ERRORS)
        ]
        run.shared["failed_results"] = found
    return found


def empty_answer(run: Run, step: Step) -> Match | None:
    """The last answer says nothing."""
    content = run.content(step.key)
    if not is_last(run, step) or content.omitted or content.error:
        return None
    if content.output is not None and text_of(content.output).strip():
        return None
    if content.output is None and not content.finish_reason:
        return None
    return Match("The last answer is empty.", (absent(step, "(empty)"),))


def model_error(run: Run, step: Step) -> Match | None:
    """The model call itself failed."""
    error = run.content(step.key).error
    if not error:
        return None
    return Match(
        f"The model call failed: {error[:200]}",
        (Evidence(step.key, "error", error[:300], 0),),
    )


def cut_answer(run: Run, step: Step) -> Match | None:
    """The model stopped at its length limit."""
    reason = run.content(step.key).finish_reason.casefold()
    if reason not in {"length", "max_tokens", "max_output_tokens", "model_length"}:
        return None
    text = content_text(run, step, "output")
    evidence = at(step.key, "output", text, max(0, len(text) - 120), 120)
    return Match(f"The answer was cut: finish reason {reason}.", (evidence,))


def refusal(run: Run, step: Step) -> Match | None:
    """The last answer declines the task."""
    if not is_last(run, step):
        return None
    return find(run, step, _REFUSAL, "The answer declines: {}")


def gives_up(run: Run, step: Step) -> Match | None:
    """The last answer gives the task up after something failed."""
    if not is_last(run, step):
        return None
    match = find(run, step, _GIVING_UP, "The run ends without a result: {}")
    failures = failed_results(run)
    if match is None or not failures:
        return match
    tries = max((one.iteration for one in failures), default=0)
    category = "loop-exit" if tries >= 2 else ""
    return Match(match.message, match.evidence, category=category)


def only_promise(run: Run, step: Step) -> Match | None:
    """The run ends with an announcement in place of a result."""
    if not is_last(run, step):
        return None
    return find(run, step, _PROMISE, "The run ends with an announcement: {}")


def claims_after_failure(run: Run, step: Step) -> Match | None:
    """The answer says that something was done, and the last call that could have done it failed."""
    text = content_text(run, step, "output")
    said = _DONE.search(text)
    if said is None:
        return None
    changes = [
        e for e in executions(run) if e.index < step.index and _MUTATION.search(e.tool)
    ]
    failures = {one.key for one in failed_results(run)}
    if not changes or changes[-1].key not in failures:
        return None
    evidence = at(step.key, "output", text, said.start(), said.end() - said.start())
    failed = changes[-1]
    shown = content_text(run, failed, "output")[:200]
    proof = Evidence(failed.key, "output", shown, 0 if shown else -1)
    return Match(
        f"{said.group(0)!r} is claimed, but {failed.tool} failed.", (evidence, proof)
    )


def claims_without_call(run: Run, step: Step) -> Match | None:
    """The answer says that something was done, and no call could have done it."""
    text = content_text(run, step, "output")
    said = _DONE.search(text)
    calls = [e for e in executions(run) if e.index < step.index]
    if said is None or not run.tools or any(_MUTATION.search(e.tool) for e in calls):
        return None
    if not any(_MUTATION.search(name) for name in run.tools):
        return None
    before = " ".join(text_of(run.content(e.key).output)[:5_000] for e in calls[-12:])
    if _DONE.search(before) or not is_last(run, step):
        return None
    evidence = at(step.key, "output", text, said.start(), said.end() - said.start())
    return Match(f"{said.group(0)!r} is claimed, but no call did it.", (evidence,))


def unsupported_value(run: Run, step: Step) -> Match | None:
    """An identifier, amount or number in the answer stands in no earlier result or message."""
    if not executions(run):
        return None
    known = upstream_of(run)
    text = content_text(run, step, "output")
    numbers = _numbers(run, step)
    for hit in _TOKEN.finditer(text[:20_000]):
        word = hit.group(0).strip(".,:;+-/#").casefold()
        if not _telling(word) or _supported(
            word, known.knew(word, step.index), numbers
        ):
            continue
        if any(known.knew(part, step.index) for part in identifiers(word)):
            continue
        evidence = at(step.key, "output", text, hit.start(), len(hit.group(0)))
        return Match(
            f"{hit.group(0).strip('.,:;')!r} stands in no earlier result.", (evidence,)
        )
    return None


def _telling(word: str) -> bool:
    """Identifiers, and numbers too exact to be words of the language."""
    if looks_like_id(word):
        return True
    plain = word.replace(",", "").lstrip("$€£")
    return plain.replace(".", "", 1).isdigit() and len(plain) >= 3 and not _year(plain)


def _year(word: str) -> bool:
    return len(word) == 4 and word[:2] in {"19", "20"}


def _supported(word: str, known: bool, numbers: set[float]) -> bool:
    if known:
        return True
    value = _number(word)
    if value is None:
        return False
    near = (value, round(value, 1), round(value))
    return any(one in numbers for one in near) or any(
        abs(value - other) <= 0.0051 * max(1.0, abs(other)) for other in numbers
    )


def _number(word: str) -> float | None:
    try:
        return float(word.replace(",", "").strip("$€£%"))
    except ValueError:
        return None


def _numbers(run: Run, step: Step) -> set[float]:
    """Numbers that results gave before a step, with their sums and differences."""
    found: set[float] = set()
    parents = [run.steps[e.source] for e in run.parents.get(step.key, ())]
    recent = [e for e in executions(run) if e.index < step.index][-40:]
    for one in [*parents, *recent]:
        text = text_of(run.content(one.key).output)[:LOOKED_AT]
        for hit in re.finditer(r"-?\d[\d,]*\.?\d*", text[:20_000]):
            value = _number(hit.group(0).rstrip("."))
            if value is not None:
                found.add(value)
    if len(found) <= 60:
        listed = sorted(found)
        found |= {a + b for a in listed for b in listed} | {
            a - b for a in listed for b in listed
        }
        found |= {100 * a / b for a in listed for b in listed if b} | {sum(listed)}
        found |= {a * b for a in listed for b in listed}
    return found


def unclosed_code(run: Run, step: Step) -> Match | None:
    """A code block is opened and never closed."""
    text = content_text(run, step, "output")
    fences = list(_FENCE.finditer(text))
    if len(fences) % 2 == 0 or len(text) >= LOOKED_AT:
        return None
    evidence = at(step.key, "output", text, fences[-1].start(), 80)
    return Match("A code block is never closed.", (evidence,))


def said_before(run: Run, step: Step) -> Match | None:
    """The same words were said before in this run."""
    if step.iteration < 2:
        return None
    text = content_text(run, step, "output")
    message = f"These words come for the {step.iteration}. time."
    return Match(
        message,
        (at(step.key, "output", text, 0, 200),),
        cap=2.0 if step.iteration > 2 else None,
    )


def same_call_again(run: Run, step: Step) -> Match | None:
    """The same tool is called again with the same arguments, and the result was the same."""
    seen = _calls(run)
    earlier = seen.get(step.key)
    if earlier is None:
        return None
    call = run.content(step.key).call
    words = text_of(call.arguments if call else None)[:200]
    evidence = Evidence(step.key, "arguments", words, 0 if words else -1)
    return Match(
        f"{step.tool} was called with the same arguments at step {earlier}.",
        (evidence,),
    )


def _calls(run: Run) -> dict[str, int]:
    """TOOLSEL keys whose call repeats an earlier one without need, once a run."""
    known = run.shared.get("repeated_calls")
    if isinstance(known, dict):
        return known
    found: dict[str, int] = {}
    results = _results(run)
    seen: dict[tuple[str, str], tuple[int, str]] = {}
    for step in run.graph.steps:
        if step.type != StepType.TOOLSEL or not step.tool:
            continue
        call = run.content(step.key).call
        signature = (step.tool, text_of(call.arguments if call else None)[:5_000])
        result = results.get(step.key, "")
        before = seen.get(signature)
        if (
            before is not None
            and before[1] == result
            and signature[1] not in {"", "{}"}
        ):
            found[step.key] = before[0]
        seen[signature] = (step.index, result)
    run.shared["repeated_calls"] = found
    return found


def _results(run: Run) -> dict[str, str]:
    """Result text by TOOLSEL key."""
    found: dict[str, str] = {}
    for step in run.graph.steps:
        if step.type == StepType.TOOLSEL:
            for arguments in _next(run, step, StepType.PARAMGEN):
                for result in _next(run, arguments, StepType.EXEC):
                    found[step.key] = content_text(run, result, "output")[:5_000]
    return found


def _next(run: Run, step: Step, kind: StepType) -> Iterator[Step]:
    for edge in run.children.get(step.key, ()):
        if run.steps[edge.target].type == kind and edge.kind == "call":
            yield run.steps[edge.target]


def leaves_out(run: Run, step: Step) -> Match | None:
    """The request lists identifiers, and the last answer and the calls leave one out."""
    if not is_last(run, step) or not run.request:
        return None
    asked = [
        w for w in dict.fromkeys(identifiers(run.request[:5_000])) if looks_like_id(w)
    ]
    if len(asked) < 2:
        return None
    answer = content_text(run, step, "output").casefold()
    used = _used_in_calls(run)
    lacking = [word for word in asked if word not in answer and word not in used]
    if not lacking:
        return None
    message = f"The request names {lacking[0]!r}; neither a call nor the answer does."
    return Match(message, (absent(step, lacking[0]),))


def _used_in_calls(run: Run) -> str:
    found = run.shared.get("used_in_calls")
    if not isinstance(found, str):
        parts = [
            text_of(run.content(s.key).output)[:2_000]
            for s in run.graph.steps
            if s.type == StepType.PARAMGEN
        ]
        found = "\n".join(parts).casefold()
        run.shared["used_in_calls"] = found
    return found


def _check(
    name: str,
    title: str,
    types: frozenset[str],
    metric: str,
    cap: float,
    category: str,
    run: Rule,
) -> Check:
    return Check(name, title, run.__doc__ or "", types, metric, cap, category, run)


CHECKS: tuple[Check, ...] = (
    _check(
        "synth.model_error",
        "Model call failed",
        SYNTH,
        "completeness",
        1.0,
        "error-response",
        model_error,
    ),
    _check(
        "synth.empty",
        "Empty answer",
        SYNTH,
        "completeness",
        1.0,
        "partial-completion",
        empty_answer,
    ),
    _check(
        "synth.cut",
        "Answer was cut",
        SYNTH,
        "completeness",
        2.0,
        "truncation",
        cut_answer,
    ),
    _check(
        "synth.refusal",
        "Declines the task",
        SYNTH,
        "completeness",
        2.0,
        "partial-completion",
        refusal,
    ),
    _check(
        "synth.gives_up",
        "Gives up",
        SYNTH,
        "completeness",
        2.0,
        "partial-completion",
        gives_up,
    ),
    _check(
        "synth.only_promise",
        "Ends with a promise",
        SYNTH,
        "completeness",
        2.0,
        "partial-completion",
        only_promise,
    ),
    _check(
        "synth.leaves_out",
        "Leaves a part out",
        SYNTH,
        "completeness",
        2.5,
        "partial-completion",
        leaves_out,
    ),
    _check(
        "synth.claims_after_failure",
        "Claims success after failure",
        SYNTH,
        "faithfulness",
        1.0,
        "fabrication",
        claims_after_failure,
    ),
    _check(
        "synth.claims_without_call",
        "Claims an action without a call",
        SYNTH,
        "faithfulness",
        1.5,
        "fabrication",
        claims_without_call,
    ),
    _check(
        "synth.unsupported_value",
        "Unsupported value",
        SYNTH,
        "faithfulness",
        2.0,
        "fabrication",
        unsupported_value,
    ),
    _check(
        "synth.unclosed_code",
        "Unclosed code block",
        SYNTH,
        "coherence",
        2.5,
        "partial-completion",
        unclosed_code,
    ),
    _check(
        "synth.said_before",
        "Repeats itself",
        SYNTH,
        "coherence",
        2.5,
        "suboptimal-sequence",
        said_before,
    ),
    _check(
        "toolsel.same_call_again",
        "Same call again",
        TOOLSEL,
        "relevance",
        2.5,
        "suboptimal-sequence",
        same_call_again,
    ),
)
