"""Words for states: label, tone and meaning, the same on every page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Status:
    """How a state is shown.

    Attributes:
        label: One or two words.
        tone: ``good``, ``bad``, ``warn``, ``busy`` or ``plain``; never the
            only sign: the label says the same.
        help: What it means, in one sentence.
    """

    label: str
    tone: str = "plain"
    help: str = ""


STATUSES: Mapping[tuple[str, str], Status] = MappingProxyType(
    {
        ("structure", "declared"): Status(
            "declared", "plain", "The sender declared every dependency."
        ),
        ("structure", "inferred"): Status(
            "inferred", "plain", "Dependencies were found from calls, data and order."
        ),
        ("structure", "repaired"): Status(
            "repaired",
            "warn",
            "The run was not an acyclic graph: loops were unrolled or cycles cut.",
        ),
        ("structure", "flat"): Status(
            "flat",
            "bad",
            "No graph could be found. Steps stand alone and need a manual review.",
        ),
        ("conformance", "conformant"): Status(
            "conformant", "good", "Followed the workflow's declared graph."
        ),
        ("conformance", "deviant"): Status(
            "deviant",
            "warn",
            "Left the declared graph. A sign to look at, not a cause.",
        ),
        ("conformance", "unknown"): Status(
            "no schema", "plain", "The workflow has no declared graph to compare with."
        ),
        ("outcome", "passed"): Status("passed", "good", "The sender says it passed."),
        ("outcome", "failed"): Status("failed", "bad", "The sender says it failed."),
        ("state", "waiting"): Status(
            "waiting", "busy", "Received; the graph is being built."
        ),
        ("state", "done"): Status("analysed", "plain", "The graph is up to date."),
        ("state", "failed"): Status(
            "analysis failed", "bad", "The spans are kept; the graph was not built."
        ),
        ("state", "unfinished"): Status(
            "unfinished", "busy", "The sender never closed the run."
        ),
        ("token", "active"): Status("active", "good", "Can be used."),
        ("token", "revoked"): Status("revoked", "plain", "Can no longer be used."),
        ("token", "expired"): Status("expired", "plain", "Its time is over."),
    }
)


def find_status(kind: str, value: str) -> Status:
    """Words for a state; the value itself where it is not one of ours."""
    return STATUSES.get((kind, value), Status(value))
