"""The named checks of the offline judge, listed by hand."""

from judging.domain.checks import answers, arguments, tool_results
from judging.domain.findings import Check

CHECKS: tuple[Check, ...] = (
    *arguments.CHECKS,
    *tool_results.CHECKS,
    *answers.CHECKS,
)
"""Every check, in the order of the pipeline."""
