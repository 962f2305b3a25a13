"""Arguments of a call by themselves: JSON, schema, placeholders, the tool's name."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice

from judging.domain.checks.flow import flow
from judging.domain.checks.knowledge import knowledge
from judging.domain.checks.schema import (
    EMPTY,
    ENUM,
    EXTRA,
    MISSING,
    TYPE,
    Problem,
    problems,
)
from judging.domain.checks.text import (
    absent,
    arguments,
    cue,
    match,
    output,
    shared,
    short,
)
from judging.domain.findings import Check, Evidence, Match, Run
from traces.domain.records import Step, StepType

PARAMGEN = frozenset({StepType.PARAMGEN})
TOOLSEL = frozenset({StepType.TOOLSEL})


def malformed(run: Run, step: Step) -> Match | None:
    """Arguments that are no JSON."""
    call = run.content(step.key).call
    if call is None or not call.malformed:
        return None
    asked = arguments(run, step)
    evidence = asked.ending() if asked else absent(step, "arguments")
    return match(
        f"The arguments are not valid JSON: {short(call.malformed, 120)}.", evidence
    )


def by_schema(*kinds: str) -> Callable[[Run, Step], Match | None]:
    """A check that fires on some kinds of schema problem."""

    def run_check(run: Run, step: Step) -> Match | None:
        found = [each for each in _problems(run, step) if each.kind in kinds]
        if not found:
            return None
        evidence = (_place(run, step, problem) for problem in found)
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        what = f"{step.tool}: {found[0].message}{more}"
        return match(f"{what}.", *evidence)

    return run_check


def _problems(run: Run, step: Step) -> tuple[Problem, ...]:
    found = shared(run, _by_step)
    if step.key not in found:
        call = run.content(step.key).call
        tool = run.tools.get(call.name) if call else None
        if call is None or tool is None or call.malformed:
            found[step.key] = ()
        else:
            value = {} if call.arguments is None else call.arguments
            found[step.key] = problems(value, tool.parameters)
    return found[step.key]


def _by_step(run: Run) -> dict[str, tuple[Problem, ...]]:
    del run
    return {}


def _place(run: Run, step: Step, problem: Problem) -> Evidence:
    """The offending value; the beginning of the arguments for what is missing."""
    asked = arguments(run, step)
    for leaf in asked.form.leaves:
        if leaf.path == problem.path and leaf.end > leaf.start:
            return asked.quote(leaf.start, leaf.end)
    return absent(step, asked.where, problem.path)


_PLACEHOLDER = cue(
    "your",
    "<",
    "[",
    "todo",
    "example",
    "placeholder",
    "insert",
    "xxx",
    "lorem",
    "{{",
    "123-456",
    "555-",
    "path/to",
    "path_to",
    "dummy",
    "changeme",
    "replace",
    "tbd",
    "john",
    "sample",
    "unknown",
    "api_endpoint",
    "foo@bar",
    pattern=r"""
    \byour[_\-\ ](?:\w+[_\-\ ]){0,3}(?:key|token|id|secret|password|url|endpoint|name|email
       |username|account|bucket|project|domain|path|file|credentials|city|address)s?\b
    | <(?!/|!|br|p>|div|span|html|a\ |b>|i>|ul|li|td|tr|table|img|code|strong|em>|h\d|body
         |head|script|style|input|form|button|svg|pre|title|meta|link|center)
       [a-z][a-z0-9_\-\ ]{1,30}>
    | \{\{\ ?[a-z_][\w.\ ]{0,40}\}\} | \[(?:your|insert|enter|add|the)\ [a-z\ _]{2,40}\]
    | \b(?:insert|enter|put)[_ ](?:your|the|actual|real)[_ ]\w+
    | \bplaceholder\b | \blorem\ ipsum\b | \bxxx{1,8}\b | \btodo\b | \btbd\b | \bchangeme\b
    | \b(?:john|jane)[._]?doe\b | \b(?:user|test|example|name|e?mail|customer|foo|admin|your\w{0,12})@(?:example|domain|test|company)\.(?:com|org|net)\b
    | \bhttps?://(?:www\.|api\.)?example\.(?:com|org|net) | \b(?:some|dummy|sample)[_-](?:id|key|token)\b
    | \b(?:/?path[/_]to[/_]\w+) | \babc-?123\b | \b123-456-7890\b | \b\+?1?-?555-\d{3}-?\d{4}\b
    """,
)
_CODE_KEYS = frozenset(
    {
        "code",
        "command",
        "cmd",
        "script",
        "content",
        "text",
        "body",
        "message",
        "args",
        "thought",
        "new_str",
        "old_str",
        "file_text",
        "html",
        "prompt",
        "template",
        "input",
        "source",
        "patch",
        "diff",
        "note",
        "comment",
        "description",
        "instructions",
    }
)


def placeholder(run: Run, step: Step) -> Match | None:
    """A value that was meant to be replaced before the call."""
    asked = arguments(run, step)
    for hit in islice(_PLACEHOLDER.all(asked), 50):
        leaf = next(
            (x for x in asked.form.leaves if x.start <= hit.start() < x.end), None
        )
        if leaf is None or leaf.key.lower() in _CODE_KEYS:
            continue
        words = asked.text[hit.start() : hit.end()]
        if not _stands_upstream(run, step, words):
            evidence = asked.quote(leaf.start, leaf.end)
            return match(f"{leaf.key}: {short(words)!r} is a placeholder.", evidence)
    return None


def _stands_upstream(run: Run, step: Step, words: str) -> bool:
    """Whether the user, a message or a tool result used these very words."""
    if words.lower() in run.request.lower() or words.lower() in run.policy.lower():
        return True
    exact = any(char.isdigit() or char == "@" for char in words)
    return exact and knowledge(run).value(words, step.index)


def unknown_tool(run: Run, step: Step) -> Match | None:
    """A tool that was not among those offered."""
    content = run.content(step.key)
    name = content.call.name if content.call else ""
    offered = {tool.name for tool in content.tools}
    if not name or not offered or name in offered or step.part == "handoff":
        return None
    said = output(run, step)
    evidence = said.beginning() if said else absent(step, "name", name)
    shown = ", ".join(sorted(offered)[:8])
    return match(
        f"{short(name)!r} is not among the tools offered: {short(shown, 160)}.",
        evidence,
    )


def unknown_agent(run: Run, step: Step) -> Match | None:
    """A hand-over to an agent that never appears."""
    if step.part != "handoff" or len(flow(run).agents) < 2:
        return None
    name = _target(run, step)
    known = {_plain(agent) for agent in flow(run).agents} | shared(run, _speakers)
    wanted = _plain(
        re.sub(r"^(?:transfer|hand_?off|delegate|route)_?(?:to)?_", "", name)
    )
    if not wanted or any(wanted in each or each in wanted for each in known if each):
        return None
    if not any(other.index > step.index for other in run.graph.steps[-3:]):
        return None
    said = output(run, step)
    evidence = said.beginning() if said else absent(step, "name", name)
    return match(
        f"Hands over to {short(name)!r}, who never acts in this run.", evidence
    )


def _target(run: Run, step: Step) -> str:
    call = run.content(step.key).call
    return call.name.removeprefix("handoff to ") if call else ""


def _speakers(run: Run) -> frozenset[str]:
    """Everyone who acts: agents of any step, and containers by name."""
    steps = {_plain(step.agent) for step in run.graph.steps if step.agent}
    return frozenset(steps | {_plain(group.name) for group in run.graph.groups})


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())


_SCHEMA = "By the tool's schema in the trace: "


def _schema_check(
    name: str, title: str, rule: str, metric: str, category: str, *kinds: str
) -> Check:
    return Check(
        f"paramgen.{name}",
        title,
        _SCHEMA + rule,
        PARAMGEN,
        metric,
        2.0,
        category,
        by_schema(*kinds),
    )


CHECKS = (
    Check(
        "toolsel.unknown_tool",
        "Unknown tool",
        "The tool that was chosen is not among those offered in the same call.",
        TOOLSEL,
        "selection_accuracy",
        1.0,
        "category-error",
        unknown_tool,
    ),
    Check(
        "toolsel.unknown_agent",
        "Unknown agent",
        "Hands over to an agent that never acts, and the run goes on.",
        TOOLSEL,
        "selection_accuracy",
        2.0,
        "category-error",
        unknown_agent,
    ),
    Check(
        "paramgen.malformed",
        "Malformed arguments",
        "The arguments are not valid JSON.",
        PARAMGEN,
        "type_correctness",
        1.0,
        "type-mismatch",
        malformed,
    ),
    _schema_check(
        "wrong_type",
        "Wrong type",
        "an argument is of another type.",
        "type_correctness",
        "type-mismatch",
        TYPE,
    ),
    _schema_check(
        "not_in_enum",
        "Not an allowed value",
        "an argument is none of the values listed.",
        "value_correctness",
        "value-error",
        ENUM,
    ),
    _schema_check(
        "unknown_argument",
        "Unknown argument",
        "an argument is not among those allowed, and no others are.",
        "type_correctness",
        "type-mismatch",
        EXTRA,
    ),
    _schema_check(
        "missing_required",
        "Missing argument",
        "a required argument is missing.",
        "completeness",
        "missing-required",
        MISSING,
    ),
    _schema_check(
        "empty_required",
        "Empty argument",
        "a required argument is an empty text.",
        "completeness",
        "missing-required",
        EMPTY,
    ),
    Check(
        "paramgen.placeholder",
        "Placeholder",
        "An argument (code and free text apart) is a stand-in such as <id>, "
        "your_api_key or example.com that nobody used before.",
        PARAMGEN,
        "value_correctness",
        1.0,
        "value-error",
        placeholder,
    ),
)
