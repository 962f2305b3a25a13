"""The named checks of the offline judge, listed by hand."""

from judging.domain.findings import Check

CHECKS: tuple[Check, ...] = ()
