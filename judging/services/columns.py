"""What follows from a diagnosis, as columns; plain values without a database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judging.domain.diagnosis import Diagnosis, Outcome

MAX_LISTED = 20
"""Categories listed on a trace, the most frequent."""


def worth_storing(outcome: Outcome) -> bool:
    """Steps without finding and boundaries have no row."""
    return outcome.score.score is not None or outcome.score.state == "unscored"


def trace_columns(diagnosis: Diagnosis) -> dict[str, Any]:
    """What the list of traces shows of a diagnosis."""
    counts, root = diagnosis.counts, diagnosis.primary_root
    return {
        "score": diagnosis.workflow.value,
        "failed_count": counts["failed"],
        "scored_count": counts["scored"],
        "unscored_count": counts["unscored"],
        "root_count": len(diagnosis.roots),
        "root_category": diagnosis.outcomes[root].category if root else "",
        "root_step": root,
        "categories": failed_categories(diagnosis.outcomes),
    }


def failed_categories(outcomes: Mapping[str, Outcome]) -> list[str]:
    """Categories of all failures, the most frequent first."""
    counts: dict[str, int] = {}
    for outcome in outcomes.values():
        if outcome.failed:
            counts[outcome.category] = counts.get(outcome.category, 0) + 1
    return sorted(counts, key=lambda one: (-counts[one], one))[:MAX_LISTED]


def evaluation_columns(counts: Mapping[str, int]) -> dict[str, int]:
    """Counters of an evaluation from the steps by state, plus ``failed``."""
    return {
        "total": sum(counts.values()) - counts["failed"] - counts["boundary"],
        "scored": counts["scored"],
        "no_finding": counts["no_finding"],
        "unscored": counts["unscored"],
        "failed": counts["failed"],
    }
