"""The offline judge: every named check on every step it looks at."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from judging.domain.checks import CHECKS
from judging.domain.findings import Check, Finding, Run

VERSION = hashlib.blake2b(
    repr([(check.id, check.version) for check in CHECKS]).encode(), digest_size=8
).hexdigest()
"""Changes with any check's rule."""


def judge(run: Run, checks: Sequence[Check] = CHECKS) -> tuple[Finding, ...]:
    """Findings in the order of steps, then of check ids."""
    found = []
    for step in run.graph.steps:
        for check in checks:
            match = check.run(run, step) if step.type in check.types else None
            if match is not None:
                found.append(
                    Finding(
                        check.id,
                        step.key,
                        check.metric,
                        check.cap if match.cap is None else match.cap,
                        match.category or check.category,
                        match.message,
                        match.evidence,
                    )
                )
    return tuple(found)
