"""What a plan names and what then happens."""

from __future__ import annotations

import re

from judging.domain.checks.text import absent, match, output, shared, short
from judging.domain.findings import Check, Match, Run
from traces.domain.records import Step, StepType

PLAN = frozenset({StepType.PLAN})
_WORD = re.compile(r"[a-z][a-z0-9]*(?:[_.][a-z0-9]+)+")
_LIST = re.compile(r"^\ {0,4}(?:\d{1,2}[.)]|[-*•]|step\ \d)", re.MULTILINE)
_LATER = re.compile(
    r"\b(?:if|in case|should|otherwise|unless|optional|might|may|could|or)\b"
)


def tool_left_out(run: Run, step: Step) -> Match | None:
    """A step of the plan names a tool that is never called."""
    offered = shared(run, _offered)
    said = output(run, step)
    if len(offered) < 2 or "_" not in said.low:
        return None
    items = _LIST.findall(said.low)
    if len(items) < 2:
        return None
    called = shared(run, _called)
    for hit in _WORD.finditer(said.low):
        if hit[0] in offered and hit[0] not in called:
            line = said.low[said.low.rfind("\n", 0, hit.start()) + 1 : hit.end()]
            if not _LATER.search(line) and _LIST.match(line):
                return match(
                    f"The plan names {hit[0]}, which is never called.",
                    said.line(hit.start()),
                )
    return None


def _offered(run: Run) -> frozenset[str]:
    return frozenset(name.lower() for name in run.tools)


def _called(run: Run) -> frozenset[str]:
    kinds = {StepType.TOOLSEL, StepType.EXEC}
    return frozenset(s.tool.lower() for s in run.graph.steps if s.type in kinds)


def not_as_planned(run: Run, step: Step) -> Match | None:
    """The text right before a call names another tool than the one called."""
    plan = next(
        (
            run.steps[edge.source]
            for edge in run.parents.get(step.key, ())
            if run.steps[edge.source].type == StepType.PLAN
            and run.steps[edge.source].span_id == step.span_id
        ),
        None,
    )
    if plan is None or "_" not in step.tool:
        return None
    said = output(run, plan)
    known = shared(run, _offered) | shared(run, _called)
    named = {word for word in _WORD.findall(said.low[:4_000]) if word in known}
    if len(named) != 1 or step.tool.lower() in named:
        return None
    if len(shared(run, _calls_by_span).get(step.span_id, ())) > 1:
        return None
    other = named.pop()
    at = said.low.find(other)
    what = f"The text names {other}, the call goes to {short(step.tool)}"
    chosen = output(run, step)
    return match(
        f"{what}.",
        chosen.beginning() if chosen else absent(step, "output"),
        said.line(at),
    )


def _calls_by_span(run: Run) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for step in run.graph.steps:
        if step.type == StepType.TOOLSEL:
            found.setdefault(step.span_id, []).append(step.tool)
    return found


_ID = re.compile(r"(?<![\w./-])#?(?=[a-z_-]*\d)[a-z][\w-]{2,30}\d[\w-]{0,10}")


def part_left_out(run: Run, step: Step) -> Match | None:
    """A first plan in several steps that leaves out what the request names."""
    asked = list(dict.fromkeys(_ID.findall(run.request.lower()[:5_000])))
    if len(asked) < 2 or shared(run, _first_plan) != step.key:
        return None
    said = output(run, step)
    named = [word for word in asked if word.strip("#") in said.low]
    lacking = [word for word in asked if word not in named]
    if not named or not lacking or len(_LIST.findall(said.low)) < 2:
        return None
    what = f"The request names {short(lacking[0])}; the plan has {short(named[0])} and not that"
    return match(f"{what}.", absent(step, "output", lacking[0]), said.beginning())


def _first_plan(run: Run) -> str:
    return next((s.key for s in run.graph.steps if s.type == StepType.PLAN), "")


CHECKS = (
    Check(
        "plan.tool_left_out",
        "Planned tool never called",
        "A list item of the plan names, without if or or, a tool that was offered and is "
        "never called in the run.",
        PLAN,
        "completeness",
        2.0,
        "tool-omission",
        tool_left_out,
    ),
    Check(
        "plan.part_left_out",
        "Part of the request left out",
        "The first plan of the run, in several steps, names some identifiers of the "
        "request and leaves out others.",
        PLAN,
        "completeness",
        2.0,
        "scope-error",
        part_left_out,
    ),
    Check(
        "toolsel.not_as_planned",
        "Not the tool that was named",
        "The text before a single call names one tool, and the call goes to another.",
        frozenset({StepType.TOOLSEL}),
        "selection_accuracy",
        2.0,
        "category-error",
        not_as_planned,
    ),
)
