"""The named checks of the offline judge, listed by hand."""

from judging.domain.checks import (
    answers,
    arguments,
    broken,
    claims,
    code,
    emptiness,
    facts,
    grounding,
    http,
    plans,
    progress,
    records,
    refusals,
    repetition,
    support,
    timeouts,
    tool_errors,
)
from judging.domain.findings import Check

CHECKS: tuple[Check, ...] = (
    *plans.CHECKS,
    *arguments.CHECKS,
    *grounding.CHECKS,
    *repetition.CHECKS,
    *progress.CHECKS,
    *tool_errors.CHECKS,
    *http.CHECKS,
    *timeouts.CHECKS,
    *emptiness.CHECKS,
    *broken.CHECKS,
    *code.CHECKS,
    *claims.CHECKS,
    *support.CHECKS,
    *records.CHECKS,
    *facts.CHECKS,
    *answers.CHECKS,
    *refusals.CHECKS,
)
"""Every check, by module."""
