"""Answers that decline, give up, promise, apologise or hand the task on."""

from __future__ import annotations

from collections.abc import Callable

from judging.domain.checks.failures import failed
from judging.domain.checks.flow import flow, is_final
from judging.domain.checks.text import absent, cue, match, output, short
from judging.domain.findings import Check, Match, Run
from traces.domain.records import Step, StepType

SYNTH = frozenset({StepType.SYNTH})

_REFUSES = cue(
    "can't",
    "cannot",
    "can’t",
    "unable",
    "not able",
    "as an ai",
    "language model",
    "won't",
    "not allowed",
    "against",
    pattern=r"""
    \b(?:i['’]m\ sorry,?|sorry,?|unfortunately,?|i\ apologi[sz]e,?)\ (?:but\ )?i\ (?:can['’]?t|cannot
       |can\ not|am\ unable\ to|am\ not\ able\ to|won['’]t)\ (?!find|see|locate|access|retrieve|get)
    | \bi\ (?:can['’]?t|cannot|can\ not|won['’]t)\ (?:help|assist|do\ that|comply|fulfil|provide
       |answer|engage|process)\b
    | \bi(?:['’]m|\ am)\ (?:unable|not\ able)\ to\ (?:help|assist|comply|fulfil|provide|answer
       |process|proceed|complete)\b
    | \bas\ an\ ai\b(?:\ language\ model)? | \bas\ a\ (?:large\ )?language\ model\b
    """,
)
_GIVES_UP = cue(
    "unable",
    "could not",
    "couldn't",
    "couldn’t",
    "was not able",
    "wasn't able",
    "fail",
    "unfortunately",
    "no information",
    "not available",
    "without success",
    "give up",
    "giving up",
    "cannot determine",
    "can't determine",
    "try again later",
    "not possible",
    "contact",
    "unresolved",
    "inconclusive",
    "cannot be determined",
    "not find",
    "n't find",
    pattern=r"""
    \b(?:i|we)\ (?:was|were|am|are|have\ been)\ (?:unable|not\ able)\ to\b
    | \b(?:i|we)\ (?:could\ not|couldn['’]t|did\ not\ manage\ to|failed\ to|was\ unable\ to
       |did\ not\ find|didn['’]t\ find)\b
    | \bwithout\ success\b | \bgiv(?:e|ing)\ up\b | \btry\ again\ later\b
    | \b(?:cannot|can['’]t|could\ not)\ be\ (?:determined|completed|resolved|found|verified)\b
    | \b(?:cannot|can['’]t|could\ not)\ (?:determine|complete|resolve)\b
    | \b(?:remains|is)\ (?:unresolved|inconclusive)\b
    | \b(?:contact|reach\ out\ to)\ (?:\w+\ ){0,3}(?:support|help\ ?desk)\b
    """,
)
_RULES = cue(
    "policy",
    "policies",
    "eligible",
    "allowed",
    "rules",
    "permitted",
    "terms",
    "requirements",
    pattern=r"""
    \bpolic(?:y|ies)\b | \beligible\b | \bnot\ (?:allowed|permitted)\b | \brules\b | \bterms\b
    """,
)
"""Declining by the rules is what was asked for."""
_PROMISES = cue(
    "i will",
    "i'll",
    "i’ll",
    "let me",
    "going to",
    "one moment",
    "please wait",
    "hold on",
    "we will",
    "let's",
    "let’s",
    "next,",
    "next step",
    "will now",
    "will proceed",
    pattern=r"""
    (?:\A|[.!?\n]\W{0,6})(?:sure,?\ |great,?\ |okay,?\ |ok,?\ |now,?\ |next,?\ |then,?\ |first,?\ )*
    (?:i\ will|i['’]ll|we\ will|we['’]ll|let\ me|let['’]s|i['’]m\ going\ to|i\ am\ going\ to
       |one\ moment|please\ wait|hold\ on|please\ hold)\b(?!\ (?:know|be\ (?:happy|glad)))
    [^.!?\n]{0,200}[.!…:]?\s*\Z
    """,
)
_ASKS = cue("?", pattern=r"\?\s*[\"'”’)*_]{0,3}\s*\Z")
MAX_END = 400


def refuses(run: Run, step: Step) -> Match | None:
    """The last answer declines."""
    said = output(run, step)
    hit = _REFUSES.find(said) if is_final(run, step) else None
    if hit is None or _RULES.find(said):
        return None
    what = short(said.text[hit.start() : hit.end()])
    return match(f"The answer declines: “{what}”.", said.line(hit.start()))


def gives_up(run: Run, step: Step) -> Match | None:
    """The last answer ends the run without a result."""
    said = output(run, step)
    hit = _GIVES_UP.find(said) if is_final(run, step) else None
    if hit is None or _RULES.find(said):
        return None
    tries = [s for s in run.graph.steps if s.type == StepType.EXEC and failed(run, s)]
    again = max((s.iteration for s in tries), default=0) >= 2
    what = short(said.text[hit.start() : hit.end()])
    message = f"The run ends without a result (“{what}”)."
    return match(message, said.line(hit.start()), category="loop-exit" if again else "")


def only_promises(run: Run, step: Step) -> Match | None:
    """The last words of the run announce what is to be done."""
    if not is_final(run, step) or step.index < run.graph.steps[-1].index:
        return None
    said = output(run, step)
    size = len(said.low)
    hit = _PROMISES.find(said, max(0, size - MAX_END))
    if hit is None or _ASKS.find(said):
        return None
    return match(
        "The run ends with an announcement, not with a result.",
        said.line(hit.end() - 1),
    )


def empty_answer(run: Run, step: Step) -> Match | None:
    """The last answer holds nothing."""
    content = run.content(step.key)
    if not is_final(run, step) or content.omitted or content.error:
        return None
    if output(run, step) or (content.output is None and not content.finish_reason):
        return None
    if step.index < run.graph.steps[-1].index:
        return None
    return match("The last answer is empty.", absent(step, "output"))


def model_error(run: Run, step: Step) -> Match | None:
    """The call of the model itself failed."""
    content = run.content(step.key)
    if not content.error:
        return None
    evidence = absent(step, "error", content.error)
    return match(
        f"The model call failed: {short(content.error, 160)}.",
        type(evidence)(step.key, "error", evidence.text, 0),
    )


_LEAKS = cue(
    "<tool_call",
    "<function",
    "action input:",
    '"arguments"',
    "<|",
    "functions.",
    '"tool_calls"',
    "<invoke",
    "</think>",
    "[tool_call",
    "tool_code",
    pattern=r"""
    <tool_call> | <function(?:=|_call|s?>) | ^action:\ [^\n]{1,80}\naction\ input: | <\|[a-z_]{2,30}\|>
    | \{\s{0,4}"name":\s{0,4}"[\w.-]{1,60}",\s{0,8}"(?:arguments|parameters)":\s{0,4}\{
    | "tool_calls":\s{0,4}\[ | <invoke\ name= | </think> | \[tool_calls?\]
    """,
)


def call_in_text(run: Run, step: Step) -> Match | None:
    """A tool call stands in the text, so it was never made."""
    said = output(run, step)
    hit = _LEAKS.find(said)
    if hit is None or said.low.rfind("```", 0, hit.start()) >= 0:
        return None
    what = "A tool call or a control mark stands in the text; it was never carried out."
    return match(what, said.line(hit.start()))


_OTHERS = cue(
    "\nuser:",
    "\nhuman:",
    "\nobservation:",
    "\ncustomer:",
    pattern=r"\n(?:user|human|observation|customer):\ [^\n]{3,}",
)


def speaks_for_others(run: Run, step: Step) -> Match | None:
    """The text goes on with what a user or a tool would have said."""
    said = output(run, step)
    hit = _OTHERS.find(said)
    if hit is None or len(flow(run).agents) > 1 or not said.form.plain:
        return None
    return match("Writes the next turn of someone else.", said.line(hit.start() + 1))


def _synth(
    name: str,
    title: str,
    rule: str,
    run: Callable[[Run, Step], Match | None],
    metric: str = "completeness",
    cap: float = 2.0,
    category: str = "partial-completion",
) -> Check:
    return Check(f"synth.{name}", title, rule, SYNTH, metric, cap, category, run)


CHECKS = (
    _synth(
        "model_error",
        "Model call failed",
        "The source reports an error of the model call.",
        model_error,
        cap=1.0,
        category="error-response",
    ),
    _synth(
        "empty",
        "Empty answer",
        "The run ends with an answer that is recorded and empty.",
        empty_answer,
        cap=1.0,
    ),
    _synth(
        "refuses",
        "Declines",
        "The last answer of the run declines the task and names no rule.",
        refuses,
    ),
    _synth(
        "gives_up",
        "Gives up",
        "The last answer says that something could not be found, done or determined, and "
        "names no rule.",
        gives_up,
    ),
    _synth(
        "only_promises",
        "Ends with a promise",
        "The last words of the run announce the next action, and nothing follows.",
        only_promises,
    ),
    _synth(
        "call_in_text",
        "Tool call in the text",
        "The text holds the syntax of a tool call or a control mark, outside code.",
        call_in_text,
        metric="coherence",
        category="type-mismatch",
    ),
    _synth(
        "speaks_for_others",
        "Speaks for others",
        "With a single agent, the text goes on with a line of a user, a customer or a "
        "tool's observation.",
        speaks_for_others,
        metric="faithfulness",
        category="fabrication",
    ),
)
