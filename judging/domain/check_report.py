"""How the named checks do on labelled runs, and the table that documents them.

A root label names the source position of the decisive error. A finding hits it
where the step it stands on has that position. The worth of a check is what the
others lose without it: labelled roots that no other check's finding hits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from judging.domain.findings import Check, Finding, Run

DEVELOPMENT, HELD_OUT = "development", "held out"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A judged run with what people said of it.

    Attributes:
        run: The run.
        findings: What the checks found.
        root: Source position of the decisive error, None if not labelled.
        passed: Whether the run reached its goal, None if nobody says.
    """

    run: Run
    findings: tuple[Finding, ...]
    root: int | None = None
    passed: bool | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One check on a set of runs.

    Attributes:
        check: Id.
        firings: Findings.
        runs: Share of runs with at least one, 0 to 1.
        on_passed: Findings in runs that reached their goal.
        labelled: Findings in runs with a labelled root.
        exact: Of these, those on the root's position.
        near: Of these, those at most one position off.
        worth: Labelled roots that only this check hits.
    """

    check: str
    firings: int
    runs: float
    on_passed: int
    labelled: int
    exact: int
    near: int
    worth: int


def half(trace_id: str) -> str:
    """The half a trace belongs to, by a stable hash of its id.

    Checks are tuned on the development half only.
    """
    digest = hashlib.blake2b(trace_id.encode(), digest_size=1).digest()
    return HELD_OUT if digest[0] % 2 else DEVELOPMENT


def report(runs: Sequence[Labelled], checks: Iterable[Check]) -> tuple[Row, ...]:
    """A row for each check, in the order given."""
    hits = [_hits(one) for one in runs]
    return tuple(_row(check.id, runs, hits) for check in checks)


def _hits(one: Labelled) -> frozenset[str]:
    """Checks with a finding on the labelled root."""
    return frozenset(f.check for f in one.findings if _distance(one, f) == 0)


def _distance(one: Labelled, finding: Finding) -> int | None:
    position = one.run.steps[finding.step].position
    if one.root is None or position is None:
        return None
    return abs(position - one.root)


def _row(check: str, runs: Sequence[Labelled], hits: Sequence[frozenset[str]]) -> Row:
    found = [[f for f in one.findings if f.check == check] for one in runs]
    distances = [
        _distance(one, each)
        for one, mine in zip(runs, found, strict=True)
        for each in mine
        if one.root is not None
    ]
    return Row(
        check=check,
        firings=sum(map(len, found)),
        runs=sum(map(bool, found)) / len(runs) if runs else 0.0,
        on_passed=sum(len(f) for f, one in zip(found, runs, strict=True) if one.passed),
        labelled=len(distances),
        exact=distances.count(0),
        near=sum(d is not None and d <= 1 for d in distances),
        worth=sum(each == {check} for each in hits),
    )


def table(rows: Iterable[Row]) -> str:
    """The rows as lines of text, for a test to print."""
    head = f"{'check':32}firings  runs passed labelled exact    ±1 worth"
    return "\n".join([head, *(_line(row) for row in rows)])


def _line(row: Row) -> str:
    share = f"{row.exact / row.labelled:.2f}" if row.labelled else "–"
    near = f"{row.near / row.labelled:.2f}" if row.labelled else "–"
    return (
        f"{row.check:32}{row.firings:7} {row.runs:5.2f} {row.on_passed:6} "
        f"{row.labelled:8} {share:>5} {near:>5} {row.worth:5}"
    )


def documented(checks: Sequence[Check]) -> str:
    """The page that documents the checks, as Markdown."""
    parts = [_INTRODUCTION.format(count=len(checks))]
    groups: Mapping[str, list[Check]] = {
        kind: [c for c in checks if c.id.startswith(f"{kind}.")] for kind in _TYPES
    }
    for kind, found in groups.items():
        rows = [
            f"| `{c.id}` | {c.rule} | {c.metric.replace('_', ' ')} | {c.cap:g} "
            f"| `{c.category}` |"
            for c in sorted(found, key=lambda check: check.id)
        ]
        parts.append("\n".join([f"## {_TYPES[kind]}\n", *_HEAD, *rows]))
    return "\n\n".join(parts) + "\n"


_TYPES = {
    "plan": "Plans",
    "toolsel": "Choice of tools",
    "paramgen": "Arguments",
    "exec": "Tool runs",
    "synth": "Answers",
}
_HEAD = (
    "| check | fires when | metric | cap | category |",
    "| --- | --- | --- | --- | --- |",
)
_INTRODUCTION = """# The named checks

The offline judge is {count} named checks. Each is a pure function of one run; it looks at
steps of one type and quotes the words it fired on. A check never gives a score: it *caps* a
metric. A metric without a finding has no score from the checks, which is weaker than a
judged pass ([method](method.md)).

A cap below the threshold of the step's type (3.0, for arguments 2.5) makes a step fail where
no other metric has a finding; 3 or more never does. So weigh tool errors that
were dealt with, and signs that often stand on healthy steps. Some checks give a lower or
higher cap or another category in particular cases; their rules say so.

Of one content the first 200,000 characters are looked at. "Known" is what the request, the
system prompt, a tool result or another outside text had said by then; what only the agent
itself said is not known.

This page is written by `WRITE_DOCS=1 pytest tests/judging/checks/test_checks.py`."""
