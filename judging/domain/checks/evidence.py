"""Ways to point at words, shared by all checks; every text is bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator

from judging.domain.findings import Evidence, Match, Run
from judging.domain.text import text_of
from traces.domain.records import EdgeKind, Json, Step, StepType

LOOKED_AT = 60_000
"""Characters of one content that a check looks at; longer texts are cut."""
SHOWN = 300
_LEADS_TO = frozenset({EdgeKind.CALL, EdgeKind.DECLARED})


def content_text(run: Run, step: Step, where: str) -> str:
    """Text form of one part of a step's content, bounded."""
    content = run.content(step.key)
    values: dict[str, Json] = {
        "output": content.output,
        "input": content.input,
        "error": content.error or None,
        "arguments": content.call.arguments if content.call else None,
    }
    return text_of(values[where])[:LOOKED_AT]


def at(step: str, where: str, text: str, start: int, length: int) -> Evidence:
    """Words of a text as evidence."""
    return Evidence(step, where, text[start : start + min(length, SHOWN)], start)


def whole(run: Run, step: Step, where: str = "output") -> Evidence:
    """The beginning of a content as evidence."""
    text = content_text(run, step, where)
    return Evidence(step.key, where, text[:SHOWN], 0 if text else -1)


def absent(step: Step, what: str) -> Evidence:
    """Evidence of something that isn't there."""
    return Evidence(step.key, "output", what, -1)


def find(
    run: Run, step: Step, pattern: re.Pattern[str], message: str, where: str = "output"
) -> Match | None:
    """A match on the first place where a pattern stands."""
    text = content_text(run, step, where)
    found = pattern.search(text)
    if found is None:
        return None
    line = _line_around(text, found.start(), found.end())
    evidence = at(step.key, where, text, line[0], line[1] - line[0])
    return Match(message.format(found.group(0).strip()[:120]), (evidence,))


def _line_around(text: str, start: int, end: int) -> tuple[int, int]:
    first = text.rfind("\n", max(0, start - 120), start) + 1 or max(0, start - 40)
    last = text.find("\n", end, end + 160)
    return min(first, start), last if last >= 0 else min(len(text), end + 120)


def caller_of(run: Run, step: Step) -> Step | None:
    """The PARAMGEN step that asked for a run, None if it isn't known."""
    for edge in run.parents.get(step.key, ()):
        parent = run.steps[edge.source]
        if edge.kind in _LEADS_TO and parent.type == StepType.PARAMGEN:
            return parent
    return None


def result_of(run: Run, step: Step) -> Step | None:
    """The EXEC step that a PARAMGEN step led to, None if it never ran."""
    for edge in run.children.get(step.key, ()):
        child = run.steps[edge.target]
        if edge.kind in _LEADS_TO and child.type == StepType.EXEC:
            return child
    return None


def executions(run: Run) -> list[Step]:
    """All EXEC steps in order, found once a run."""
    found = run.shared.get("executions")
    if not isinstance(found, list):
        found = [step for step in run.graph.steps if step.type == StepType.EXEC]
        run.shared["executions"] = found
    return found


def last_answer(run: Run) -> Step | None:
    """The last SYNTH step, None if the run has none."""
    found = run.shared.get("last_answer")
    if "last_answer" not in run.shared:
        answers = (s for s in reversed(run.graph.steps) if s.type == StepType.SYNTH)
        found = next(answers, None)
        run.shared["last_answer"] = found
    return found if isinstance(found, Step) else None


def scalars(value: Json, limit: int = 500) -> Iterator[tuple[str, str | int | float]]:
    """Scalar leaves of a JSON value with their paths, without recursion."""
    stack: list[tuple[str, Json]] = [("", value)]
    while stack and limit > 0:
        path, item = stack.pop()
        limit -= 1
        if isinstance(item, dict):
            inner = [(f"{path}.{k}" if path else str(k), v) for k, v in item.items()]
            stack.extend(reversed(inner))
        elif isinstance(item, (list, tuple)):
            stack.extend(
                (f"{path}[{n}]", v) for n, v in reversed(list(enumerate(item)))
            )
        elif isinstance(item, (str, int, float)) and not isinstance(item, bool):
            yield path, item
