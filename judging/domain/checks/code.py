"""Code in a step's words: stand-ins, made-up data, code that breaks when it is run."""

from __future__ import annotations

import re
from collections.abc import Callable

from judging.domain.checks.emptiness import empty, null_result
from judging.domain.checks.failures import failed, signs, words
from judging.domain.checks.flow import After, after, author
from judging.domain.checks.text import Said, cue, match, output, shared, short
from judging.domain.findings import Check, Evidence, Match, Run
from traces.domain.records import Step, StepType

_FENCED = re.compile(r"```[a-z]{0,12}\n(.{1,20000}?)```", re.DOTALL)
_STAND_IN = cue(
    "your_",
    "your-",
    "your api",
    "replace",
    "api_endpoint",
    "example.com",
    "path/to",
    "path_to",
    "placeholder",
    "insert_",
    pattern=r"""
    ['"](?:your[_\- ][a-z0-9_\- ]{2,40}|insert[_ ][a-z_ ]{2,40}|/?path[/_]to[/_][^'"\n]{1,60})['"]
    | ['"]https?://(?:www\.|api\.)?example\.(?:com|org)[^'"\n]{0,80}['"]
    | \#[^\n]{0,40}\b(?:replace\ (?:with|this)|placeholder)\b[^\n]{0,60}
    | \byour_(?:api_)?key\b | \bapi_key_here\b
    """,
)


def placeholder_code(run: Run, step: Step) -> Match | None:
    """Code to be run that still has stand-ins in it."""
    said = output(run, step)
    hit = _STAND_IN.find(said) if "```" in said.low else None
    if hit is None or not _in_fence(said, hit.start()):
        return None
    words = said.text[hit.start() : hit.end()]
    evidence = said.line(hit.start())
    return match(
        f"The code has a stand-in where a real value is needed: {short(words)}.",
        evidence,
    )


def _in_fence(said: Said, at: int) -> bool:
    return any(hit.start() <= at < hit.end() for hit in _FENCED.finditer(said.low))


def failed_code(run: Run, step: Step) -> Match | None:
    """A step whose own code breaks when it is run."""
    told = shared(run, _broken_code).get(step.key)
    if told is None:
        return None
    said = output(run, step)
    what = f"The code of this step fails: {short(told[0].text, 120)}"
    return match(
        f"{what}.", told[0], said.line(max(said.low.find("```"), 0)), cap=told[1]
    )


def _broken_code(run: Run) -> dict[str, tuple[Evidence, float]]:
    """Words of the failure and cap, by key of the step that wrote the code."""
    found: dict[str, tuple[Evidence, float]] = {}
    for step in run.graph.steps:
        if step.type == StepType.EXEC and failed(run, step):
            source = author(run, step)
            if source is not None and source.type != StepType.PARAMGEN:
                cap = 3.0 if after(run, step) is After.RECOVERED else 2.0
                found.setdefault(source.key, (words(signs(run, step)), cap))
    return found


def fruitless_code(run: Run, step: Step) -> Match | None:
    """A step whose own code runs and gives nothing."""
    told = shared(run, _fruitless).get(step.key)
    if told is None:
        return None
    said = output(run, step)
    return match(
        "The code of this step runs and gives nothing.",
        told,
        said.line(max(said.low.find("```"), 0)),
    )


def _fruitless(run: Run) -> dict[str, Evidence]:
    found: dict[str, Evidence] = {}
    for step in run.graph.steps:
        if step.type == StepType.EXEC:
            nothing = empty(run, step) or null_result(run, step)
            source = author(run, step) if nothing else None
            if nothing and source is not None and source.type != StepType.PARAMGEN:
                found.setdefault(source.key, nothing.evidence[0])
    return found


_ASSUMED = cue(
    "assum",
    "hypothetical",
    "simulat",
    "mock",
    "example data",
    "sample data",
    "dummy",
    "fictional",
    "for demonstration",
    "for the sake of",
    "for illustration",
    "placeholder",
    "pretend",
    "let's say",
    "suppose",
    "made up",
    "made-up",
    "estimat",
    pattern=r"""
    \b(?:let['’]s|let\ us|i['’]ll|i\ will|we\ will|we['’]ll|we\ can|i)\ (?:now\ )?
       (?:assume|suppose|pretend|simulate|mock)\b
    | \b(?:hypothetical|mock|dummy|fictional|simulated|made-up)\ (?:\w+\ )?
       (?:data|dataset|values?|results?|list|output|example|response|numbers|prices|content
       |text|names|function|scenario|search)
    | \b(?:example|sample|placeholder)\ (?:data|dataset|values?|results?|prices|numbers)\b
    | \b(?:for|as)\ (?:the\ sake\ of|demonstration|illustration|illustrative)\b
    | \bassum(?:ing|e|ed)\ (?:that\ )?(?:the|we|this|these|it|all|you|an?\b|there)
    | \#\ ?(?:mock|dummy|sample|simulated|hypothetical|placeholder)
    """,
)


def assumed_data(run: Run, step: Step) -> Match | None:
    """Assumed or invented data where real data has to be looked up."""
    said = output(run, step)
    for hit in _ASSUMED.all(said):
        before = said.low[said.low.rfind("\n", 0, hit.start()) + 1 : hit.start()]
        # What code assumes of its input is no assumed data.
        if "#" in before.lstrip(" #") or (
            before.lstrip()[:1] == "#" and "assum" in hit[0]
        ):
            continue
        what = short(said.text[hit.start() : hit.end()])
        return match(f"Goes on with assumed data (“{what}”).", said.line(hit.start()))
    return None


_BY_HAND = cue(
    "manual",
    "by hand",
    "yourself",
    pattern=r"""
    \bmanual(?:ly)?\ (?:\w+\ ){0,2}(?:check|verif|inspect|search|review|visit|brows|look
       |extract|count|analy|identif|collect|gather|examin|confirm|access|download|research
       |read|cross|approach|process)
    | \b(?:check|verify|inspect|review|extract|confirm|identify|analy[sz]e|examine|do|collect
       |search|verified|checked|extracted|counted|reviewed|confirmed|visit|look)
       (?:\ [\w'’-]+){0,8}?\ manually\b
    | \bby\ hand\b
    """,
)


def by_hand(run: Run, step: Step) -> Match | None:
    """Work that tools should do is to be done by hand."""
    if not shared(run, _runs_code):
        return None
    said = output(run, step)
    hit = _BY_HAND.find(said)
    if hit is None:
        return None
    return match("Leaves to manual work what a tool could do.", said.line(hit.start()))


def _runs_code(run: Run) -> bool:
    return any(step.type == StepType.EXEC for step in run.graph.steps)


def _pair(
    name: str,
    title: str,
    rule: str,
    run: Callable[[Run, Step], Match | None],
    metrics: tuple[str, str],
    cap: float,
    category: str,
) -> tuple[Check, Check]:
    """The same rule for plans and for answers, each with its own metric."""
    plan, synth = frozenset({StepType.PLAN}), frozenset({StepType.SYNTH})
    return (
        Check(f"plan.{name}", title, rule, plan, metrics[0], cap, category, run),
        Check(f"synth.{name}", title, rule, synth, metrics[1], cap, category, run),
    )


CHECKS = (
    *_pair(
        "failed_code",
        "Code that fails",
        "The code in this step's text was run and failed. Caps at 3 where a later try "
        "succeeded.",
        failed_code,
        ("feasibility", "faithfulness"),
        2.0,
        "value-error",
    ),
    *_pair(
        "fruitless_code",
        "Code that gives nothing",
        "The code in this step's text was run and gave nothing, None or an empty list.",
        fruitless_code,
        ("feasibility", "completeness"),
        2.0,
        "value-error",
    ),
    *_pair(
        "stand_in_code",
        "Stand-in in code",
        "A code block holds a stand-in such as 'your_api_key', 'path/to/file' or "
        "example.com.",
        placeholder_code,
        ("feasibility", "faithfulness"),
        2.0,
        "value-error",
    ),
    *_pair(
        "assumed_data",
        "Assumed data",
        "The text says that it goes on with assumed, simulated, mock or sample data.",
        assumed_data,
        ("feasibility", "faithfulness"),
        2.0,
        "fabrication",
    ),
    *_pair(
        "by_hand",
        "Left to manual work",
        "In a run with tools the text leaves checking, searching or extracting to "
        "manual work.",
        by_hand,
        ("feasibility", "completeness"),
        2.0,
        "tool-omission",
    ),
)
