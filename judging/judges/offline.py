"""The offline judge: every named check on every step it looks at.

Of one content at most ``MAX_TEXT`` characters are looked at. Checks are pure;
the same run gives the same findings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from judging.domain.checks import CHECKS
from judging.domain.findings import Check, Finding, Match, Run
from traces.domain.records import Step

VERSION = hashlib.blake2b(
    repr([(check.id, check.version) for check in CHECKS]).encode(), digest_size=8
).hexdigest()
"""Changes with any check's rule."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A check that could not finish on a step: a fault of ours, not a finding."""

    check: str
    step: str
    error: str


@dataclass(frozen=True, slots=True)
class Judged:
    """Everything the checks said, and those that broke.

    Attributes:
        findings: In the order of steps, then of check ids.
        broken: Checks that raised; tests hold this empty.
    """

    findings: tuple[Finding, ...]
    broken: tuple[Broken, ...] = ()


def judge(run: Run, checks: Sequence[Check] = CHECKS) -> tuple[Finding, ...]:
    """Findings in the order of steps, then of check ids."""
    return run_checks(run, checks).findings


def run_checks(run: Run, checks: Sequence[Check] = CHECKS) -> Judged:
    """Run the checks; one that raises doesn't stop the rest."""
    ordered = sorted(checks, key=lambda check: check.id)
    types = {kind for check in ordered for kind in check.types}
    by_type = {kind: [c for c in ordered if kind in c.types] for kind in types}
    findings: list[Finding] = []
    broken: list[Broken] = []
    for step in run.graph.steps:
        for check in by_type.get(step.type, ()):
            try:
                match = check.run(run, step)
            except Exception as error:  # noqa: BLE001 - named in the result, never lost
                broken.append(Broken(check.id, step.key, repr(error)[:200]))
                continue
            if match is not None:
                findings.append(_finding(check, step, match))
    return Judged(tuple(findings), tuple(broken))


def _finding(check: Check, step: Step, match: Match) -> Finding:
    return Finding(
        check.id,
        step.key,
        check.metric,
        check.cap if match.cap is None else match.cap,
        match.category or check.category,
        match.message,
        match.evidence,
    )
